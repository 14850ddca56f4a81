/* The wall, seen from inside: what a cell can ask of its host, and nothing else.
 *
 * Every function that answers with data returns the length of a reply. A reply of up to HC_INBOX_SIZE bytes has been
 * written to `hc_inbox` already; a longer one waits at the host until `host_take` copies it. */
#ifndef HOTCELL_HOST_H
#define HOTCELL_HOST_H

#define HC_IMPORT(name) __attribute__((import_module("hotcell"), import_name(name)))
#define HC_EXPORT(name) __attribute__((export_name(name), used))

#define HC_INBOX_SIZE 16384
uint8_t hc_inbox[HC_INBOX_SIZE];

HC_IMPORT("take") void host_take(void *destination, size_t length);
HC_IMPORT("emit") void host_emit(int32_t kind, const void *data, size_t length);
HC_IMPORT("interrupted") int32_t host_interrupted(void);
/* How many bytes of the machine's stack are in use since the call with `mark` set. */
HC_IMPORT("stack") uint32_t host_stack(int32_t mark);
HC_IMPORT("now") double host_now(void);
/* Milliseconds that timers count in. */
HC_IMPORT("timer_time") double host_timer_time(void);
HC_IMPORT("random") uint64_t host_random(void);
HC_IMPORT("tool_call") int32_t host_tool_call(int32_t tool, const void *arguments, size_t length);
HC_IMPORT("tool_wait") int32_t host_tool_wait(int32_t tool, const void *arguments, size_t length);
HC_IMPORT("tool_start") int32_t host_tool_start(int32_t tool, int32_t call, const void *arguments, size_t length);
HC_IMPORT("tool_maybe_async") int32_t host_tool_maybe_async(int32_t tool, int32_t call, const void *arguments, size_t length);
HC_IMPORT("next_answer") int32_t host_next_answer(void);
HC_IMPORT("admit") int32_t host_admit(int32_t kind, const void *source, size_t length);
HC_IMPORT("module") int32_t host_module(const void *specifier, size_t length);
HC_IMPORT("library") int32_t host_library(const void *request, size_t length);

/* Kinds of `host_emit`. The Rust side has the same table in `guest.rs`. */
enum {
    HC_EMIT_RESULT = 0,      /* a value */
    HC_EMIT_EXCEPTION = 1,   /* what was thrown */
    HC_EMIT_UNCLONEABLE = 2, /* why the result cannot leave, and how it prints */
    HC_EMIT_FINAL = 3,       /* the value of final_answer */
    HC_EMIT_LOG = 4,         /* a console line */
    HC_EMIT_REJECTION = 5,   /* a rejected promise nobody handled */
    HC_EMIT_PLACE = 6,       /* where the code was when the run was stopped */
};

#endif
