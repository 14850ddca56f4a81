/* The names that the engine edits (`edits.rs`) put into quickjs.c. Everything the engine calls of ours is here. */
#ifndef HOTCELL_HOOKS_H
#define HOTCELL_HOOKS_H

/* Iterations that the code may still make. One counter, one poll point: the loop tick below. The host writes it before
   a run and reads it after, by its address. */
int64_t hc_operations_left = INT64_MAX;

/* What the host decides about a cell. It writes this by its address before the first run; see policy.c. */
struct HcPolicy {
    uint32_t clock;
    uint32_t random;
    double fixed_time;
    uint64_t seed; /* of the sequence that follows; advances with every number */
    /* Whether loops are compiled to count. Off while the image is built, so that the loops of SES and of our own library
       never count against user code. */
    uint64_t counts_loops;
    uint64_t timers;
    double timer_time; /* see timers.c; the host writes it where it keeps it, before the memory is copied */
    double timer_due; /* when a cell that waits wants to be woken; the host reads it */
} hc_policy;

/* JavaScript calls may nest this deep. A count, not only a stack size, so that a tier that uses less stack per call
   fails at the same depth. */
#define HC_MAX_CALL_DEPTH 10000

struct JSContext;
static void hc_stop_for_operations(struct JSContext *ctx);

/* The engine checks the C stack, which is in the cell's memory. Behind every C frame there is also one on the machine's
   stack, out of sight and of another size: asking the host about that costs some nanoseconds, so calls of JavaScript,
   whose frames are alike, ask once in a while only. */
static bool hc_machine_stack_is_low(void);
#define HC_TOO_DEEP(depth) \
    unlikely((depth) > HC_MAX_CALL_DEPTH || (((depth) & 63) == 63 && hc_machine_stack_is_low()))

/* Gives back the memory that is kept for the moment when there is none. */
static void hc_release_reserve(void);

/* Errors that name what they are about: see operand-name.c. */
static JSValue hc_throw_not_a_function(struct JSContext *ctx, JSValueConst value);
static JSValue hc_throw_not_iterable(struct JSContext *ctx, JSValueConst value);
static JSValue hc_throw_not_destructurable(struct JSContext *ctx, JSValueConst value);

/* True while the image is made, see state.c. */
static bool hc_booting;

/* True while a script of the image has a function made of text, see source.c. */
static bool hc_makes_internal;

/* Whether a reader of the stack did not write this frame: a function of the image, or what it called of the engine. */
struct JSStackFrame;
static bool hc_is_hidden_frame(struct JSStackFrame *frame);

/* Code was stopped for good, at `pc` of this function. */
struct JSFunctionBytecode;
static void hc_note_stop(struct JSContext *ctx, struct JSFunctionBytecode *code, const uint8_t *pc);

/* The frame to skip up to for an error made by `new_target`: that of its constructor, or `frame`. */
static struct JSStackFrame *hc_maker_of(struct JSStackFrame *frame, JSValueConst new_target);

/* A loop body starts with this: `close_loc` with an index no function can have, which costs one dispatch and no stack. */
#define HC_TICK 0xffff
#define HC_EMIT_TICK(s) \
    do { \
        if (hc_policy.counts_loops) { \
            emit_source_loc(s); \
            emit_op(s, OP_close_loc); \
            emit_u16(s, HC_TICK); \
        } \
    } while (0)

/* The program of a run: a global script compiled as an async function. It may `return`. */
#define HC_IS_PROGRAM(fd) ((fd)->func_kind == JS_FUNC_ASYNC && (fd)->eval_type == JS_EVAL_TYPE_GLOBAL)

/* The value on the stack, wrapped like the completion value of a program: {value: …}. */
#define HC_EMIT_WRAP_RESULT(s) \
    do { \
        emit_op(s, OP_put_loc); \
        emit_u16(s, (s)->cur_func->eval_ret_idx); \
        emit_op(s, OP_object); \
        emit_op(s, OP_dup); \
        emit_op(s, OP_get_loc); \
        emit_u16(s, (s)->cur_func->eval_ret_idx); \
        emit_op(s, OP_put_field); \
        emit_atom(s, JS_ATOM_value); \
    } while (0)

#endif
