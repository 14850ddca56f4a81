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
