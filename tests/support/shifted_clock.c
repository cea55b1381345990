/* A preloaded library that shifts the time of day by the seconds in a shared file, and no other
   clock: programs see what they would see when somebody sets the machine's clock. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long *shift;

static long seconds(void)
{
    if (shift == NULL) {
        const char *file = getenv("SHIFTED_CLOCK");
        int descriptor = file == NULL ? -1 : open(file, O_RDONLY | O_CLOEXEC);
        if (descriptor < 0)
            return 0;
        void *page = mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, descriptor, 0);
        close(descriptor);
        if (page == MAP_FAILED)
            return 0;
        shift = page;
    }
    return *shift;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && clock == CLOCK_REALTIME)
        now->tv_sec += seconds();
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec precise;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place)
{
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (place != NULL)
        *place = precise.tv_sec;
    return precise.tv_sec;
}
