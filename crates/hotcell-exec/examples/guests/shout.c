/* A guest in C: what it reads goes through `tools/tr a-z A-Z`, and what comes back is its output. It writes and reads in turns, as
 * every guest has to that does not know how much its program takes before it gives.
 *
 *     zig cc --target=wasm32-freestanding -nostdlib -O2 -Wl,--no-entry -Wl,--export=lembeh_handle shout.c -o shout.wasm
 *     echo hello | hotcell guest run shout.wasm --allow tools/tr
 */
#include "lembeh.h"

static void fail(const char *why) {
    lembeh_log("shout", 5, why, (int)length(why));
    __builtin_trap();
}

void lembeh_handle(int input, int output) {
    static u8 from_us[4096], to_us[4096];
    static const char *args[] = {"tr", "a-z", "A-Z"};
    program tr;
    u32 code = 0;
    int hub = open_hub();
    if (hub < 0) fail("there is no hub");
    if (!start(hub, 1, "tools/tr", 3, args, 3, &tr)) fail("tr cannot be started");

    u32 waiting = 0, at = 0; /* Bytes for the program that it has not taken. */
    int is_over = 0;
    for (;;) {
        if (!is_over && waiting == 0) {
            int got = req_read(input, from_us, sizeof from_us);
            at = 0, waiting = got > 0 ? (u32)got : 0;
            if (got <= 0) res_end(tr.in), is_over = 1;
        }
        if (waiting) {
            int taken = res_write(tr.in, from_us + at, (int)waiting);
            if (taken < 0) fail("tr takes no more");
            at += (u32)taken, waiting -= (u32)taken;
        }
        /* -1 says that the program waits for us: there is more to write. */
        int got = req_read(tr.out, to_us, sizeof to_us);
        if (got == 0) break;
        if (got > 0 && !write_all(output, to_us, (u32)got)) fail("the output takes no more");
    }
    if (status(hub, 2, tr.id, &code) != 1 || code != 0) fail("tr failed");
    res_end(hub);
    res_end(output);
}
