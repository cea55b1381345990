/* A bot for the ladder: wins when it can, blocks when it must, else stays near the middle.
   Compile it with: cc -O2 -o center_bot center_bot.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rows, columns, side, no_row, no_column, height[12];
static int stone[14][14]; /* 0 nobody, 1 the first player, 2 the second; with an empty frame */

/* The number behind "key": in a line of JSON; the harness's lines have each key once. */
static int number(const char *line, const char *key) { return atoi(strstr(line, key) + strlen(key)); }
static void settle(int c) { height[c] += c == no_column && height[c] == no_row; }

static int connects(int r, int c, int who) {
    static const int down[] = {0, 1, 1, 1}, right[] = {1, 0, 1, -1};
    for (int d = 0; d < 4; d++) {
        int count = 1;
        for (int sign = -1; sign <= 1; sign += 2)
            for (int n = 1; stone[1 + r + n * sign * down[d]][1 + c + n * sign * right[d]] == who; n++)
                count++;
        if (count >= 4) return 1;
    }
    return 0;
}

static int choose(const char *moves) {
    memset(stone, 0, sizeof stone), memset(height, 0, sizeof height);
    for (int c = 0; c < columns; c++) settle(c);
    int best = -1, best_value = -1000;
    for (int ply = 0; *moves != ']'; ply++, moves += *moves == ',') {
        int c = (int)strtol(moves, (char **)&moves, 10);
        stone[1 + height[c]++][1 + c] = 1 + ply % 2;
        settle(c);
    }
    for (int c = 0; c < columns; c++) {
        if (height[c] >= rows) continue;
        int value = 200 * connects(height[c], c, 1 + side) + 100 * connects(height[c], c, 2 - side);
        value -= abs(2 * c - (columns - 1)); /* the middle is worth most */
        if (value > best_value) best = c, best_value = value;
    }
    return best;
}

int main(void) {
    static char line[65536];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) && !strstr(line, "\"type\":\"quit\"")) {
        if (strstr(line, "\"type\":\"hello\"")) puts("{\"type\":\"hello\",\"name\":\"center\"}");
        if (strstr(line, "\"type\":\"new_game\"")) {
            rows = number(line, "\"rows\":"), columns = number(line, "\"columns\":");
            side = number(line, "\"side\":"), no_row = no_column = -1;
            char *cell = strstr(line, "\"forbidden\":[");
            if (cell) sscanf(cell, "\"forbidden\":[%d,%d", &no_row, &no_column);
            puts("{\"type\":\"ready\"}");
        }
        if (strstr(line, "\"type\":\"move\""))
            printf("{\"type\":\"move\",\"column\":%d}\n", choose(strstr(line, "\"moves\":[") + 9));
    }
}
