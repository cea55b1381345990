// A course strategy that misbehaves in one way, chosen when it is compiled: -DSLEEPS.
// Without any it plays a legal column at random, checking on the way what it is told.

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#ifdef USES_RUNTIME
// As the course's sample strategies do.
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <vector>
static double weigh(int columns) {
    std::vector<double> weights;
    try {
        for (int y = 0; y < columns; y++) weights.push_back(std::log(1.0 + y));
        weights.at(columns);
    } catch (const std::out_of_range&) {
        std::cerr << "out of range" << std::endl;
    }
    return std::sqrt(weights.back());
}
#endif
#ifdef MISSING_HELPER
int helper_of_the_course(int column);
#endif

#ifdef NO_EXTERN_C
#define INTERFACE
#else
#define INTERFACE extern "C"
#endif

struct Point {
    int x, y;
};

static int plies_seen = 0;
#ifdef STATIC_MEMORY
char table[4L << 30] __attribute__((section(".lbss")));  // of which the first MiB is used
#endif

static void insist(bool true_of_the_board, const char* what) {
    if (!true_of_the_board) {
        fprintf(stderr, "told wrongly: %s\n", what);
        exit(9);
    }
}

INTERFACE Point* getPoint(const int M, const int N, const int* top, const int* board,
                          const int lastX, const int lastY, const int noX, const int noY) {
    printf("a strategy may print\n");
    plies_seen++;
    int stones = 0;
    for (int y = 0; y < N; y++) {
        for (int x = 0; x < M; x++) {
            const int cell = board[x * N + y];
            const bool forbidden = x == noX && y == noY;
            if (forbidden) {
                insist(cell == 0, "the forbidden cell is not empty");
            } else {
                insist((cell != 0) == (x >= top[y]), "stones do not begin at top");
            }
            stones += cell != 0;
        }
        insist(top[y] == 0 || !(top[y] - 1 == noX && y == noY), "top leads to the forbidden cell");
    }
    insist((stones == 0) == (lastX < 0), "the last move and the stones disagree");
    if (lastX >= 0) insist(board[lastX * N + lastY] == 1, "the last move is not the opponent's");
#ifdef SEGFAULT_GET
    return (Point*)(long)*(volatile int*)nullptr;
#elif defined(NULL_POINT)
    return nullptr;
#elif defined(HANGS)
    for (;;) pause();
#elif defined(SLEEPS)
    usleep(160 * 1000);
#elif defined(NEEDS_FORBIDDEN)
    if (noX < 0) abort();
#elif defined(EATS_MEMORY)
    for (;;) insist(new char[64 << 20] != nullptr, "no memory");
#elif defined(STATIC_MEMORY)
    for (long at = 0; at < 1 << 20; at += 4096) table[at] = 1;
#elif defined(OFF_THE_BOARD)
    return new Point{M, N};
#elif defined(FLOATS)
    return new Point{0, N - 1};
#elif defined(STATIC_STATE)
    // Knows only the game in which it was loaded.
    if (stones / 2 + 1 < plies_seen) return new Point{-1, -1};
#endif
#ifdef USES_RUNTIME
    insist(weigh(N) > 0, "mathematics");
#endif
#ifdef MISSING_HELPER
    insist(helper_of_the_course(N) == 0, "no helper");
#endif
    int y;
#ifdef ONE_COLUMN
    y = 4;
    return new Point{top[y] == 0 ? 0 : top[y] - 1, y};
#endif
    do {
        y = rand() % N;
    } while (top[y] == 0);
    return new Point{top[y] - 1, y};
}

#ifndef NO_CLEAR
INTERFACE void clearPoint(Point* p) {
    delete p;
}
#endif
