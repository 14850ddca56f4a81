/* What a guest in C needs: the imports, and a few functions that build and read frames. No libc. */
#ifndef LEMBEH_H
#define LEMBEH_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;

#define IMPORT(name) __attribute__((import_module("lembeh"), import_name(#name)))
IMPORT(req_read) int req_read(int handle, void *ptr, int cap);
IMPORT(res_write) int res_write(int handle, const void *ptr, int len);
IMPORT(res_end) void res_end(int handle);
IMPORT(log) void lembeh_log(const void *topic, int topic_len, const void *msg, int msg_len);
IMPORT(_ctl) int lembeh_ctl(const void *req, int req_len, void *resp, int resp_cap);

/* Bytes that are being put together, or taken apart. Whoever goes beyond the end gets nothing, and `bad` is set. */
typedef struct {
    u8 *at, *end;
    int bad;
} buf;

static void put(buf *b, const void *from, u32 count) {
    const u8 *bytes = from;
    if ((u32)(b->end - b->at) < count) { b->bad = 1; return; }
    while (count--) *b->at++ = *bytes++;
}

static void put1(buf *b, u8 value) { put(b, &value, 1); }
static void put2(buf *b, u16 value) { put(b, &value, 2); } /* WebAssembly is little-endian, and so are frames. */
static void put4(buf *b, u32 value) { put(b, &value, 4); }
static void put8(buf *b, u32 value) { put4(b, value); put4(b, 0); }

static u32 length(const char *text) { u32 n = 0; while (text[n]) n++; return n; }
static void put_text(buf *b, const char *text) { put4(b, length(text)); put(b, text, length(text)); }

static u32 get4(buf *b) {
    if (b->end - b->at < 4) { b->bad = 1; return 0; }
    u32 value = b->at[0] | b->at[1] << 8 | b->at[2] << 16 | (u32)b->at[3] << 24;
    b->at += 4;
    return value;
}

/* Writes everything; 0 if the other side does not take it. */
static int write_all(int handle, const void *from, u32 count) {
    const u8 *bytes = from;
    while (count) {
        int taken = res_write(handle, bytes, (int)count);
        if (taken <= 0) return 0;
        bytes += taken, count -= (u32)taken;
    }
    return 1;
}

static int read_all(int handle, void *to, u32 count) {
    u8 *bytes = to;
    while (count) {
        int got = req_read(handle, bytes, (int)count);
        if (got <= 0) return 0;
        bytes += got, count -= (u32)got;
    }
    return 1;
}

/* Opens the hub; -1 if that cannot be. */
static int open_hub(void) {
    u8 request[64], reply[128];
    buf b = {request, request + sizeof request, 0};
    put(&b, "ZCL1", 4), put2(&b, 1), put2(&b, 3), put4(&b, 1), put4(&b, 0), put4(&b, 0);
    put4(&b, 36);
    put_text(&b, "async"), put_text(&b, "default"), put4(&b, 1), put4(&b, 8), put4(&b, 0), put4(&b, 0);
    int count = lembeh_ctl(request, (int)(b.at - request), reply, sizeof reply);
    if (b.bad || count < 36 || reply[20] != 1) return -1;
    buf r = {reply + 24, reply + count, 0};
    return (int)get4(&r);
}

/* Begins a REGISTER_FUTURE of a selector of exec/default; `finish` puts the lengths into it. */
static u8 *begin(buf *b, u32 id, const char *selector) {
    u8 *frame = b->at;
    put(b, "ZAX1", 4), put2(b, 1), put2(b, 1), put2(b, 1), put2(b, 0);
    put8(b, id), put8(b, 0), put8(b, 0), put8(b, id), put4(b, 0);
    put1(b, 2), put4(b, 0);
    put_text(b, "exec"), put_text(b, "default"), put_text(b, selector);
    put4(b, 0);
    return frame;
}

static void set4(u8 *at, u32 value) { for (int i = 0; i < 4; i++) at[i] = (u8)(value >> 8 * i); }

static int finish(buf *b, int hub, u8 *frame, const char *selector) {
    u32 size = (u32)(b->at - frame), head = 48 + 5 + 4 + 4 + 4 + 7 + 4 + length(selector) + 4;
    if (b->bad) return 0;
    set4(frame + 44, size - 48), set4(frame + 49, size - 53), set4(frame + head - 4, size - head);
    return write_all(hub, frame, size);
}

/* Waits for what comes of a future, and reads its value: how long it is, or -1 if it failed. */
static int result(int hub, u32 id, u8 *value, u32 cap) {
    u8 header[48], skipped;
    for (;;) {
        if (!read_all(hub, header, sizeof header)) return -1;
        buf h = {header + 44, header + 48, 0}, f = {header + 36, header + 40, 0};
        u32 size = get4(&h), op = header[8] | (u32)header[9] << 8, is_ours = get4(&f) == id;
        if (op == 110 && is_ours && size >= 4 && size - 4 <= cap) {
            u8 prefix[4];
            return read_all(hub, prefix, 4) && read_all(hub, value, size - 4) ? (int)(size - 4) : -1;
        }
        while (size--)
            if (!read_all(hub, &skipped, 1)) return -1;
        if ((op == 111 || op == 112) && is_ours) return -1;
        if (op == 102) return -1;
    }
}

/* A program: its id and its streams, 0 for those that were not wanted. */
typedef struct {
    u32 id;
    int in, out, err;
} program;

/* Starts a program; 0 if that cannot be. `flags`: 1 stdin, 2 stdout, 4 stderr. */
static int start(int hub, u32 future, const char *prog, u32 flags, const char **args, u32 argc, program *p) {
    static u8 frame[4096];
    u8 value[20];
    const char *selector = "exec.start.v1";
    buf b = {frame, frame + sizeof frame, 0};
    begin(&b, future, selector);
    put_text(&b, prog), put4(&b, flags), put4(&b, argc);
    for (u32 i = 0; i < argc; i++) put_text(&b, args[i]);
    put4(&b, 0);
    if (!finish(&b, hub, frame, selector) || result(hub, future, value, sizeof value) != 20) return 0;
    buf r = {value, value + 20, 0};
    p->id = get4(&r);
    if (!(get4(&r) & 1)) return 0;
    p->in = (int)get4(&r), p->out = (int)get4(&r), p->err = (int)get4(&r);
    return !!p->in == !!(flags & 1) && !!p->out == !!(flags & 2) && !!p->err == !!(flags & 4);
}

/* How a program is: its state, and its code; -1 if that cannot be said. */
static int status(int hub, u32 future, u32 id, u32 *code) {
    u8 frame[256], value[8];
    const char *selector = "exec.status.v1";
    buf b = {frame, frame + sizeof frame, 0};
    begin(&b, future, selector);
    put4(&b, id);
    if (!finish(&b, hub, frame, selector) || result(hub, future, value, sizeof value) != 8) return -1;
    buf r = {value, value + 8, 0};
    int state = (int)get4(&r);
    *code = get4(&r);
    return state;
}

#endif
