// clock_res_get, clock_time_get, poll_oneoff, sched_yield, random_get.
#include "check.h"

#define MILLISECOND 1000000ULL

static __wasi_timestamp_t now(__wasi_clockid_t clock) {
    __wasi_timestamp_t time = 0;
    IS(__wasi_clock_time_get(clock, 1, &time), 0);
    return time;
}

static __wasi_subscription_t after(__wasi_timestamp_t time, __wasi_clockid_t clock, int absolute) {
    __wasi_subscription_t one = {.userdata = 7, .u.tag = __WASI_EVENTTYPE_CLOCK};
    one.u.u.clock.id = clock;
    one.u.u.clock.timeout = time;
    one.u.u.clock.flags = absolute ? __WASI_SUBCLOCKFLAGS_SUBSCRIPTION_CLOCK_ABSTIME : 0;
    return one;
}

static __wasi_subscription_t ready(__wasi_fd_t fd, uint8_t kind) {
    __wasi_subscription_t one = {.userdata = 100 + fd, .u.tag = kind};
    one.u.u.fd_read.file_descriptor = fd;
    return one;
}

static void clocks(void) {
    __wasi_timestamp_t time;
    for (int clock = 0; clock < 4; clock++) {
        IS(__wasi_clock_res_get(clock, &time), 0);
        CHECK(time > 0);
        now(clock);
    }
    CHECK(now(__WASI_CLOCKID_REALTIME) > 1600000000000000000ULL);
    __wasi_timestamp_t before = now(__WASI_CLOCKID_MONOTONIC);
    CHECK(now(__WASI_CLOCKID_MONOTONIC) >= before);
    IS(__wasi_clock_time_get(4, 1, &time), __WASI_ERRNO_INVAL);
    IS(__wasi_clock_res_get(4, &time), __WASI_ERRNO_INVAL);
    IS(__wasi_clock_time_get(0, 1, (__wasi_timestamp_t *)0xfffffffc), __WASI_ERRNO_FAULT);
    IS(__wasi_clock_res_get(0, (__wasi_timestamp_t *)0xfffffffc), __WASI_ERRNO_FAULT);
}

static void sleeping(void) {
    __wasi_event_t event;
    __wasi_size_t count;
    __wasi_timestamp_t before = now(__WASI_CLOCKID_MONOTONIC);
    __wasi_subscription_t one = after(20 * MILLISECOND, __WASI_CLOCKID_MONOTONIC, 0);
    IS(__wasi_poll_oneoff(&one, &event, 1, &count), 0);
    IS(count, 1);
    IS(event.userdata, 7);
    IS(event.error, 0);
    IS(event.type, __WASI_EVENTTYPE_CLOCK);
    CHECK(now(__WASI_CLOCKID_MONOTONIC) - before >= 20 * MILLISECOND);
    one = after(now(__WASI_CLOCKID_REALTIME) + 10 * MILLISECOND, __WASI_CLOCKID_REALTIME, 1);
    IS(__wasi_poll_oneoff(&one, &event, 1, &count), 0);
    one = after(0, __WASI_CLOCKID_REALTIME, 1);
    IS(__wasi_poll_oneoff(&one, &event, 1, &count), 0);
    IS(count, 1);
    one = after(1, __WASI_CLOCKID_PROCESS_CPUTIME_ID, 0);
    IS(__wasi_poll_oneoff(&one, &event, 1, &count), 0);
    IS(event.error, __WASI_ERRNO_NOTSUP);
    one = after(1, 17, 0);
    IS(__wasi_poll_oneoff(&one, &event, 1, &count), 0);
    IS(event.error, __WASI_ERRNO_INVAL);
    one.u.u.clock.id = 0, one.u.u.clock.flags = 8;
    IS(__wasi_poll_oneoff(&one, &event, 1, &count), __WASI_ERRNO_INVAL);
    one.u.tag = 9;
    IS(__wasi_poll_oneoff(&one, &event, 1, &count), __WASI_ERRNO_INVAL);
    IS(__wasi_poll_oneoff(&one, &event, 0, &count), __WASI_ERRNO_INVAL);
    IS(__wasi_poll_oneoff(&one, &event, 1000000, &count), __WASI_ERRNO_INVAL);
    IS(__wasi_poll_oneoff((void *)0xfffffff0, &event, 1, &count), __WASI_ERRNO_FAULT);
    IS(__wasi_poll_oneoff(&one, (void *)0xfffffff0, 1, &count), __WASI_ERRNO_FAULT);
}

// Standard input is a pipe that gets something only after a while.
static void streams(void) {
    __wasi_event_t events[3];
    __wasi_size_t count;
    __wasi_subscription_t three[] = {
        after(3600000 * MILLISECOND, __WASI_CLOCKID_MONOTONIC, 0),
        ready(0, __WASI_EVENTTYPE_FD_READ),
        ready(99, __WASI_EVENTTYPE_FD_READ),
    };
    IS(__wasi_poll_oneoff(three, events, 3, &count), 0);
    IS(count, 1);
    IS(events[0].userdata, 199);
    IS(events[0].error, __WASI_ERRNO_BADF);
    // A short time is over before anything comes.
    __wasi_subscription_t two[] = {
        after(MILLISECOND, __WASI_CLOCKID_MONOTONIC, 0),
        ready(0, __WASI_EVENTTYPE_FD_READ),
    };
    IS(__wasi_poll_oneoff(two, events, 2, &count), 0);
    IS(count, 1);
    IS(events[0].type, __WASI_EVENTTYPE_CLOCK);
    // A read that may not wait says so.
    char text[8];
    IS(__wasi_fd_fdstat_set_flags(0, __WASI_FDFLAGS_NONBLOCK), 0);
    IS(read_text(0, text, sizeof text, &count), __WASI_ERRNO_AGAIN);
    IS(__wasi_fd_fdstat_set_flags(0, 0), 0);
    // A long time is not.
    IS(__wasi_poll_oneoff(three, events, 2, &count), 0);
    IS(count, 1);
    IS(events[0].userdata, 100);
    IS(events[0].type, __WASI_EVENTTYPE_FD_READ);
    CHECK(events[0].fd_readwrite.nbytes >= 1);
    IS(read_text(0, text, sizeof text, &count), 0);
    CHECK(memcmp(text, "late\n", 5) == 0);
    __wasi_subscription_t out = ready(1, __WASI_EVENTTYPE_FD_WRITE);
    IS(__wasi_poll_oneoff(&out, events, 1, &count), 0);
    IS(count, 1);
    IS(events[0].type, __WASI_EVENTTYPE_FD_WRITE);
    // A file can always be read: what is left of it.
    __wasi_fd_t fd;
    IS(open_here("ready", __WASI_OFLAGS_CREAT, &fd), 0);
    IS(write_text(fd, "12345", &count), 0);
    __wasi_filesize_t at;
    IS(__wasi_fd_seek(fd, 2, __WASI_WHENCE_SET, &at), 0);
    out = ready(fd, __WASI_EVENTTYPE_FD_READ);
    IS(__wasi_poll_oneoff(&out, events, 1, &count), 0);
    IS(events[0].fd_readwrite.nbytes, 3);
    out = ready(ROOT, __WASI_EVENTTYPE_FD_READ);
    IS(__wasi_poll_oneoff(&out, events, 1, &count), 0);
    IS(events[0].error, __WASI_ERRNO_ISDIR);
}

int main(void) {
    clocks();
    sleeping();
    streams();
    IS(__wasi_sched_yield(), 0);
    static uint8_t one[300000], two[300000];
    IS(__wasi_random_get(one, sizeof one), 0);
    IS(__wasi_random_get(two, sizeof two), 0);
    CHECK(memcmp(one, two, sizeof one) != 0);
    IS(__wasi_random_get(one, 0), 0);
    IS(__wasi_random_get((uint8_t *)0xfffffff0, 64), __WASI_ERRNO_FAULT);
    return end();
}
