/* A question and an answer between two processes over two pipes, on one processor: the least that a
   ply costs any match runner whose engine is another process. Prints the median of several batches,
   in microseconds. Argument: the index of the processor among those it may use, from 0. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { QUESTION = 60, ANSWER = 30, BATCHES = 25, ROUNDS = 2000 };

static double now_us(void) {
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    return moment.tv_sec * 1e6 + moment.tv_nsec / 1e3;
}

static int ascending(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static void stay_on_processor(int place) {
    cpu_set_t allowed, one;
    sched_getaffinity(0, sizeof allowed, &allowed);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && place-- == 0) {
            CPU_SET(cpu, &one);
            break;
        }
    sched_setaffinity(0, sizeof one, &one);
}

int main(int words, char **word) {
    int to_bot[2], from_bot[2];
    char question[QUESTION], answer[ANSWER], received[256];
    double took[BATCHES];
    memset(question, '?', sizeof question);
    memset(answer, '!', sizeof answer);
    stay_on_processor(words > 1 ? atoi(word[1]) : 0);
    if (pipe(to_bot) || pipe(from_bot)) return 1;
    pid_t bot = fork();
    if (bot < 0) return 1;
    if (bot == 0) {
        close(to_bot[1]);
        while (read(to_bot[0], received, sizeof received) > 0)
            if (write(from_bot[1], answer, sizeof answer) < 0) break;
        _exit(0);
    }
    for (int batch = 0; batch < BATCHES; batch++) {
        double begun = now_us();
        for (int round = 0; round < ROUNDS; round++)
            if (write(to_bot[1], question, sizeof question) < 0 ||
                read(from_bot[0], received, sizeof received) <= 0)
                return 1;
        took[batch] = (now_us() - begun) / ROUNDS;
    }
    close(to_bot[1]);
    waitpid(bot, NULL, 0);
    qsort(took, BATCHES, sizeof *took, ascending);
    printf("%.3f\n", took[BATCHES / 2]);
    return 0;
}
