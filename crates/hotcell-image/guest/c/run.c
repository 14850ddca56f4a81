/* Running programs. The host calls `evaluate` to start one and `resume` after it has answers; both return a status. The
 * host never calls in while an earlier call has not returned, so no guest frame is live between calls and the memory
 * can be copied then. */

enum {
    HC_STATUS_DONE = 0,    /* the outcome was emitted */
    HC_STATUS_WAITING = 1, /* tool calls are outstanding */
    HC_STATUS_STALLED = 2, /* nothing can ever settle it */
    HC_STATUS_STOPPED = 3, /* plus the reason of stop.c */
};

/* How the value prints, as a message. Falls back to a fixed text: printing may fail for lack of memory. */
static bool hc_put_printed(JSContext *ctx, JSValueConst value)
{
    JSValue text = JS_Call(ctx, hc.inspect, JS_UNDEFINED, 1, &value);
    if (JS_IsException(text)) {
        if (JS_IsUncatchableError(ctx->rt->current_exception))
            return false;
        hc_drop_exception(ctx);
        text = JS_NewString(ctx, "(a value that cannot be printed)");
    }
    JSValue refusal;
    bool ok = hc_encode_value(ctx, text, "text", &refusal);
    JS_FreeValue(ctx, refusal);
    JS_FreeValue(ctx, text);
    return ok;
}

/* flags, if it is a tool's error its number, the value itself if it can cross, else HC_END, then how it prints. The value
   first: it takes less memory. */
enum {
    HC_EXCEPTION_FROM_TOOL = 1,
    HC_EXCEPTION_AT_COMPILE = 2,
};

static bool hc_emit_exception(JSContext *ctx, JSValueConst error, uint8_t flags)
{
    /* Whoever ran out of memory has left garbage; what follows needs some. */
    if (!hc_reserve_block)
        JS_RunGC(ctx->rt);
    int32_t tool = hc_tool_of_error(ctx, error);
    if (tool >= 0)
        flags |= HC_EXCEPTION_FROM_TOOL;
    size_t start = hc_out.length;
    JSValue refusal = JS_UNDEFINED;
    bool ok = hc_put_byte(flags) && (tool < 0 || hc_put_number((uint64_t)tool));
    if (ok && !hc_encode_value(ctx, error, "error", &refusal)) {
        JS_FreeValue(ctx, refusal);
        if (JS_HasException(ctx)) {
            ok = !JS_IsUncatchableError(ctx->rt->current_exception);
            if (ok)
                hc_drop_exception(ctx);
        }
        ok = ok && hc_put_byte(HC_END);
    }
    ok = ok && hc_put_printed(ctx, error);
    if (ok)
        host_emit(HC_EMIT_EXCEPTION, hc_out.data + start, hc_out.length - start);
    hc_out.length = start;
    return ok;
}

/* Emits `value` as `kind`, or why it cannot leave and how it prints. False if the run was stopped meanwhile. */
static bool hc_emit_value(JSContext *ctx, int32_t kind, JSValueConst value)
{
    size_t start = hc_out.length;
    JSValue refusal;
    bool ok = hc_encode_value(ctx, value, kind == HC_EMIT_FINAL ? "answer" : "result", &refusal);
    if (ok) {
        host_emit(kind, hc_out.data + start, hc_out.length - start);
    } else if (!JS_IsUndefined(refusal)) {
        JSValue none;
        ok = hc_put_byte(kind == HC_EMIT_FINAL) && hc_encode_value(ctx, refusal, "text", &none) && hc_put_printed(ctx, value);
        JS_FreeValue(ctx, refusal);
        if (ok)
            host_emit(HC_EMIT_UNCLONEABLE, hc_out.data + start, hc_out.length - start);
    } else if (!JS_IsUncatchableError(ctx->rt->current_exception)) {
        /* A getter threw, or memory ran out: that is the outcome. */
        JSValue error = JS_GetException(ctx);
        ok = hc_emit_exception(ctx, error, 0);
        JS_FreeValue(ctx, error);
    }
    hc_out.length = start;
    return ok;
}

/* final_answer(value): the answer leaves at once, and nothing runs after it. */
static JSValue hc_final_answer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int tool)
{
    (void)this_val; (void)tool;
    JSValueConst value = argc > 0 ? argv[0] : JS_UNDEFINED;
    if (JS_IsObject(value) && JS_VALUE_GET_OBJ(value)->class_id == JS_CLASS_PROMISE)
        return JS_ThrowTypeError(ctx, "final_answer got a promise: await it first, as in final_answer(await value)");
    size_t start = hc_out.length;
    JSValue refusal;
    if (hc_encode_value(ctx, value, "answer", &refusal)) {
        host_emit(HC_EMIT_FINAL, hc_out.data + start, hc_out.length - start);
        hc_out.length = start;
        return hc_stop(ctx, HC_STOP_FINAL_ANSWER);
    }
    if (JS_IsUndefined(refusal))
        return JS_EXCEPTION;
    JS_FreeValue(ctx, refusal);
    return hc_emit_value(ctx, HC_EMIT_FINAL, value) ? hc_stop(ctx, HC_STOP_FINAL_ANSWER) : JS_EXCEPTION;
}

static void hc_on_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool is_handled, void *opaque)
{
    (void)reason; (void)opaque;
    if (is_handled) {
        for (uint32_t i = 0; i < hc.rejection_count; i++) {
            if (JS_VALUE_GET_OBJ(hc.rejections[i]) == JS_VALUE_GET_OBJ(promise)) {
                JS_FreeValue(ctx, hc.rejections[i]);
                memmove(&hc.rejections[i], &hc.rejections[i + 1], (--hc.rejection_count - i) * sizeof *hc.rejections);
                return;
            }
        }
        return;
    }
    if (hc.rejection_count == hc.rejection_capacity) {
        uint32_t capacity = hc.rejection_capacity ? hc.rejection_capacity * 2 : 8;
        JSValue *rejections = realloc(hc.rejections, capacity * sizeof *rejections);
        if (!rejections)
            return; /* a report less */
        hc.rejections = rejections;
        hc.rejection_capacity = capacity;
    }
    hc.rejections[hc.rejection_count++] = JS_DupValue(ctx, promise);
}

/* At most this many are told; more say nothing new. */
#define HC_REJECTIONS_TOLD 10

static bool hc_emit_rejections(JSContext *ctx)
{
    bool ok = true;
    for (uint32_t i = 0; i < hc.rejection_count && i < HC_REJECTIONS_TOLD && ok; i++) {
        if (JS_IsObject(hc.run) && JS_VALUE_GET_OBJ(hc.rejections[i]) == JS_VALUE_GET_OBJ(hc.run))
            continue;
        size_t start = hc_out.length;
        JSValue reason = JS_PromiseResult(ctx, hc.rejections[i]);
        ok = hc_put_printed(ctx, reason);
        JS_FreeValue(ctx, reason);
        if (ok)
            host_emit(HC_EMIT_REJECTION, hc_out.data + start, hc_out.length - start);
        hc_out.length = start;
    }
    return ok;
}

static void hc_drop_jobs(JSRuntime *rt)
{
    struct list_head *el, *next;
    list_for_each_safe(el, next, &rt->job_list) {
        JSJobEntry *job = list_entry(el, JSJobEntry, link);
        list_del(&job->link);
        for (int i = 0; i < job->argc; i++)
            JS_FreeValueRT(rt, job->argv[i]);
        js_free_rt(rt, job);
    }
}

static int32_t hc_end_run(JSContext *ctx, int32_t status)
{
    for (uint32_t i = 0; i < hc.rejection_count; i++)
        JS_FreeValue(ctx, hc.rejections[i]);
    hc.rejection_count = 0;
    JS_FreeValue(ctx, hc.run);
    hc.run = JS_UNDEFINED;
    if (hc_policy.timers != HC_TIMERS_PERSIST)
        hc_drop_timers(ctx, true);
    hc_sweep_uninitialized(ctx);
    hc_out.length = 0;
    return status;
}

/* The run was stopped: nothing of it goes on. */
static int32_t hc_end_stopped(JSContext *ctx)
{
    int32_t status = HC_STATUS_STOPPED + hc_stop_reason;
    if (hc_stop_place[0])
        host_emit(HC_EMIT_PLACE, hc_stop_place, strlen(hc_stop_place));
    hc_stop_place[0] = 0;
    hc_drop_exception(ctx);
    hc_drop_jobs(ctx->rt);
    hc_forget_calls(ctx);
    hc_drop_timers(ctx, false);
    hc_stop_reason = HC_RUNNING;
    ctx->interrupt_counter = JS_INTERRUPT_COUNTER_INIT;
    return hc_end_run(ctx, status);
}

/* The run was stopped, or what it came to could not be told. */
static int32_t hc_end_interrupted(JSContext *ctx)
{
    if (hc_stop_reason == HC_RUNNING)
        hc_stop_reason = HC_STOP_INTERRUPTED;
    return hc_end_stopped(ctx);
}

/* After the promise of the run has settled. */
static int32_t hc_finish(JSContext *ctx, JSPromiseStateEnum state)
{
    /* Answers that nobody awaited are taken in, so that they do not pile up from run to run. */
    if (hc.calls_outstanding && hc_take_answers(ctx) < 0)
        return hc_end_stopped(ctx);
    JSValue result = JS_PromiseResult(ctx, hc.run);
    bool ok;
    if (state == JS_PROMISE_REJECTED) {
        ok = hc_emit_exception(ctx, result, 0);
    } else {
        JSValue value = JS_GetProperty(ctx, result, JS_ATOM_value);
        ok = !JS_IsException(value) && hc_emit_value(ctx, HC_EMIT_RESULT, value);
        JS_FreeValue(ctx, value);
    }
    JS_FreeValue(ctx, result);
    ok = ok && hc_emit_rejections(ctx);
    return ok ? hc_end_run(ctx, HC_STATUS_DONE) : hc_end_interrupted(ctx);
}

/* A program that evaluated to an object may have evaluated to a promise: await it. True if there is more to wait for. */
static bool hc_await_value(JSContext *ctx)
{
    JSValue result = JS_PromiseResult(ctx, hc.run);
    JSValue value = JS_GetProperty(ctx, result, JS_ATOM_value);
    JS_FreeValue(ctx, result);
    if (!JS_IsObject(value)) {
        JS_FreeValue(ctx, value);
        return false;
    }
    JSValue promise = JS_Call(ctx, hc.await_result, JS_UNDEFINED, 1, vc(&value));
    JS_FreeValue(ctx, value);
    if (JS_IsException(promise))
        return false;
    JS_FreeValue(ctx, hc.run);
    hc.run = promise;
    return true;
}

static bool hc_value_awaited;

/* A chain of promises makes few polls of its own: look for an interrupt after this many jobs, too. */
#define HC_JOBS_PER_POLL 32

/* Runs jobs until there is none. False if the run was stopped. */
static bool hc_run_jobs(JSContext *ctx, uint32_t *jobs)
{
    JSContext *job_context;
    while (JS_IsJobPending(ctx->rt)) {
        if (++*jobs % HC_JOBS_PER_POLL == 0 && hc_on_interrupt_poll(ctx->rt, NULL))
            return false;
        if (JS_ExecutePendingJob(ctx->rt, &job_context) < 0 && hc_stop_reason == HC_RUNNING)
            hc_drop_exception(ctx);
        if (hc_stop_reason != HC_RUNNING)
            return false;
    }
    return true;
}

/* What a timer's callback threw is the outcome of the run, whatever it awaits. */
static int32_t hc_end_uncaught(JSContext *ctx)
{
    if (hc_stop_reason == HC_RUNNING) {
        JSValue error = JS_GetException(ctx);
        bool ok = hc_emit_exception(ctx, error, 0);
        JS_FreeValue(ctx, error);
        if (hc_stop_reason == HC_RUNNING)
            hc_stop_reason = ok ? HC_STOP_UNCAUGHT : HC_STOP_INTERRUPTED;
    }
    return hc_end_stopped(ctx);
}

/* The timers of earlier runs that have become due meanwhile, before the program begins. What they set is for later. */
static bool hc_fire_overdue(JSContext *ctx)
{
    uint32_t jobs = 0;
    double now = hc_has_timers() ? hc_timer_now() : 0;
    uint64_t last = hc.timer_order;
    while (hc_has_timers() && hc.timers[0].due <= now && hc.timers[0].order <= last) {
        if (hc_on_interrupt_poll(ctx->rt, NULL) || hc_fire_timer(ctx) < 0 || !hc_run_jobs(ctx, &jobs))
            return false;
    }
    return true;
}

static int32_t hc_drive(JSContext *ctx)
{
    uint32_t jobs = 0;
    for (;;) {
        if (!hc_run_jobs(ctx, &jobs))
            return hc_end_stopped(ctx);
        JSPromiseStateEnum state = JS_PromiseState(ctx, hc.run);
        if (state == JS_PROMISE_FULFILLED && !hc_value_awaited) {
            hc_value_awaited = true;
            if (hc_await_value(ctx))
                continue;
            if (hc_stop_reason != HC_RUNNING)
                return hc_end_stopped(ctx);
        }
        if (state != JS_PROMISE_PENDING)
            return hc_finish(ctx, state);
        int applied = hc_take_answers(ctx);
        if (applied < 0 || hc_stop_reason != HC_RUNNING)
            return hc_end_stopped(ctx);
        if (applied > 0)
            continue;
        int fired = hc_fire_timer(ctx);
        if (fired < 0)
            return hc_end_uncaught(ctx);
        if (fired == 0) {
            hc_note_next_timer();
            if (hc.calls_outstanding || hc_has_timers())
                return HC_STATUS_WAITING;
            /* What was rejected meanwhile may well be why. */
            return hc_emit_rejections(ctx) ? HC_STATUS_STALLED : hc_end_interrupted(ctx);
        }
        /* A callback may do nothing but set the next timer. */
        if (hc_on_interrupt_poll(ctx->rt, NULL))
            return hc_end_stopped(ctx);
    }
}

/* The text of a program as the engine wants it: with a zero behind it. */
static char *hc_get_text(HcIn *in, size_t *length)
{
    uint64_t n;
    const uint8_t *bytes;
    if (!hc_get_number(in, &n) || n > INT32_MAX || !hc_get_bytes(in, &bytes, (size_t)n))
        return NULL;
    char *text = malloc((size_t)n + 1);
    if (!text)
        return NULL;
    memcpy(text, bytes, (size_t)n);
    text[n] = 0;
    *length = (size_t)n;
    return text;
}

/* The outcome of a call that failed before any promise was there. */
static int32_t hc_end_with_exception(JSContext *ctx, uint8_t flags)
{
    if (hc_stop_reason != HC_RUNNING)
        return hc_end_stopped(ctx);
    JSValue error = JS_GetException(ctx);
    bool ok = hc_emit_exception(ctx, error, flags);
    JS_FreeValue(ctx, error);
    return ok ? hc_end_run(ctx, HC_STATUS_DONE) : hc_end_interrupted(ctx);
}

/* The message of `length` bytes: name and source of the program. */
HC_EXPORT("evaluate") int32_t hc_evaluate(int32_t length)
{
    JSContext *ctx = hc.ctx;
    host_stack(1);
    hc_renew_reserve();
    hc.timers_before = hc.last_timer;
    HcReply message;
    size_t name_length, source_length;
    char *name = NULL, *source = NULL;
    if (hc_receive(ctx, length, &message)) {
        name = hc_get_text(&message.in, &name_length);
        source = name ? hc_get_text(&message.in, &source_length) : NULL;
        hc_release(&message);
        if (!source)
            JS_ThrowOutOfMemory(ctx);
    }
    JSValue program = JS_EXCEPTION;
    if (source && hc_grant_timers(ctx))
        program = JS_Eval(ctx, source, source_length, name,
                          JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_ASYNC | JS_EVAL_FLAG_STRICT | JS_EVAL_FLAG_COMPILE_ONLY);
    free(name);
    free(source);
    if (JS_IsException(program))
        return hc_end_with_exception(ctx, HC_EXCEPTION_AT_COMPILE);
    if (!hc_fire_overdue(ctx)) {
        JS_FreeValue(ctx, program);
        return hc_end_uncaught(ctx);
    }
    if (!hc_make_way_for(ctx, program)) {
        JS_FreeValue(ctx, program);
        return hc_end_with_exception(ctx, 0);
    }
    hc_value_awaited = false;
    JSValue promise = JS_EvalFunction(ctx, program);
    if (JS_IsException(promise))
        return hc_end_with_exception(ctx, 0);
    hc.run = promise;
    if (hc_stop_reason != HC_RUNNING)
        return hc_end_stopped(ctx);
    return hc_drive(ctx);
}

/* Goes on with the run under way after the host has answers, or has decided to stop it. */
HC_EXPORT("resume") int32_t hc_resume(void)
{
    host_stack(1);
    return hc_drive(hc.ctx);
}

/* Gives up the run under way without running any of it. */
HC_EXPORT("abandon") int32_t hc_abandon(void)
{
    host_stack(1);
    hc_stop_reason = HC_STOP_INTERRUPTED;
    return hc_end_stopped(hc.ctx);
}

/* Variables, tools and modules. Returns 0, or 1 after emitting the exception. */
HC_EXPORT("define") int32_t hc_define(int32_t length)
{
    JSContext *ctx = hc.ctx;
    HcReply message;
    host_stack(1);
    bool ok = hc_receive(ctx, length, &message);
    if (ok) {
        ok = hc_define_variables(ctx, &message.in) && hc_define_tools(ctx, &message.in)
            && hc_define_modules(ctx, &message.in);
        hc_release(&message);
    }
    if (ok)
        return 0;
    /* A run that waits meanwhile goes on as if nothing had been. */
    JSValue error = JS_GetException(ctx);
    hc_emit_exception(ctx, error, 0);
    JS_FreeValue(ctx, error);
    hc_out.length = 0;
    return 1;
}
