/* Ending a run in a way that no JavaScript can refuse.
 *
 * An uncatchable error unwinds bytecode past `catch` and `finally`. Native code of the engine may still swallow it (a
 * promise constructor turns any exception into a rejection), so the reason is also kept here, and every later poll
 * throws again until the run is over. */

enum {
    HC_RUNNING = 0,
    HC_STOP_OPERATIONS = 1,
    HC_STOP_INTERRUPTED = 2,
    HC_STOP_FINAL_ANSWER = 3,
    HC_STOP_UNCAUGHT = 4, /* a timer's callback threw */
};

static int32_t hc_stop_reason;

/* How many polls the engine skips before it asks the handler below. The host sets it to zero when a run is to end: then
   the next one asks. */
int32_t *hc_poll_countdown;

/* Where the run was stopped, as in "run-1.js:3:5"; empty if no code of a program was. */
static char hc_stop_place[256];

/* The innermost function of the program is the first that the end passes. */
static void hc_note_stop(JSContext *ctx, JSFunctionBytecode *code, const uint8_t *pc)
{
    if (hc_stop_place[0] || code->hc_internal || hc_stop_reason == HC_RUNNING || hc_stop_reason == HC_STOP_FINAL_ANSWER)
        return;
    /* A jump back was made already, to before the loop's condition; the tick behind that knows where the loop is. */
    const uint8_t *at = pc, *end = code->byte_code_buf + code->byte_code_len;
    for (int left = 8; left > 0 && end - at > 3 && short_opcode_info(*at).size > 0; left--) {
        if (*at == OP_close_loc && get_u16(at + 1) == HC_TICK) {
            pc = at + 1;
            break;
        }
        at += short_opcode_info(*at).size;
    }
    int column, line = find_line_num(ctx, code, (uint32_t)(pc - code->byte_code_buf - 1), &column);
    char file[128];
    if (code->filename && line > 0)
        snprintf(hc_stop_place, sizeof hc_stop_place, "%s:%d:%d", JS_AtomGetStr(ctx, file, sizeof file, code->filename), line, column);
}

static JSValue hc_stop(JSContext *ctx, int32_t reason)
{
    if (hc_stop_reason == HC_RUNNING)
        hc_stop_reason = reason;
    ctx->interrupt_counter = 0;
    JS_ThrowInternalError(ctx, "the run has ended");
    JS_SetUncatchableError(ctx, ctx->rt->current_exception);
    return JS_EXCEPTION;
}

static void hc_stop_for_operations(JSContext *ctx)
{
    hc_stop(ctx, HC_STOP_OPERATIONS);
}

/* The engine polls this from loops, calls and regular expressions. */
static int hc_on_interrupt_poll(JSRuntime *rt, void *opaque)
{
    (void)rt;
    (void)opaque;
    if (hc_stop_reason == HC_RUNNING && host_interrupted())
        hc_stop_reason = HC_STOP_INTERRUPTED;
    if (hc_stop_reason == HC_RUNNING)
        return 0;
    /* Ask again at the very next poll: this exception may be swallowed. */
    hc.ctx->interrupt_counter = 0;
    return 1;
}

/* What may be used of the machine's stack, less room for what runs between two checks. HC_MACHINE_STACK is the host's
   MAX_WASM_STACK. */
#define HC_MACHINE_STACK_RESERVE (2 << 20)

static bool hc_machine_stack_is_low(void)
{
    return !hc_booting && host_stack(0) > HC_MACHINE_STACK - HC_MACHINE_STACK_RESERVE;
}

/* Memory kept for the end of memory: an error object, its printed form, the message that carries them out. Never
   touched, so it costs nothing but address space. */
#define HC_RESERVE_SIZE (256 << 10)
static void *hc_reserve_block;

static void hc_release_reserve(void)
{
    free(hc_reserve_block);
    hc_reserve_block = NULL;
}

static void hc_renew_reserve(void)
{
    if (!hc_reserve_block)
        hc_reserve_block = malloc(HC_RESERVE_SIZE);
}
