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
};

static int32_t hc_stop_reason;

/* How many polls the engine skips before it asks the handler below. The host sets it to zero when a run is to end: then
   the next one asks. */
int32_t *hc_poll_countdown;

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
