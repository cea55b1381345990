/* Stands in for headers of Windows that course sources include: none of this is needed to play.

   docs/foreign-bots.md shows the command that compiles such a source with this folder. */
#ifndef LADDER_CONIO_H
#define LADDER_CONIO_H

#include <time.h>

typedef unsigned int DWORD;
typedef int BOOL;

#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif

static inline int _cprintf(const char*, ...) {
    return 0;
}

static inline BOOL AllocConsole(void) {
    return TRUE;
}

static inline BOOL FreeConsole(void) {
    return TRUE;
}

static inline int _getch(void) {
    return 0;
}

/* Milliseconds of a clock on the wall. */
static inline DWORD GetTickCount(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (DWORD)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

#endif
