/* Tools: ordinary functions inside, the host's code outside.
 *
 * By who waits: HC_TOOL_SYNC answers within the call, HC_TOOL_WAIT suspends the whole cell until the answer is there,
 * HC_TOOL_ASYNC returns a promise that `next_answer` settles, HC_TOOL_MAYBE_ASYNC suspends the cell until the host knows whether
 * it has an answer or a promise of one. HC_TOOL_FINAL is `final_answer`, see run.c. HC_TOOL_PAGES returns an async iterator,
 * which calls as HC_TOOL_ASYNC does for a page at a time; HC_TOOL_JSON a promise for the value that an answer is the JSON text of:
 * see wrapped-tools.js. */

enum {
    HC_TOOL_SYNC = 0,
    HC_TOOL_WAIT = 1,
    HC_TOOL_ASYNC = 2,
    HC_TOOL_FINAL = 3,
    HC_TOOL_MAYBE_ASYNC = 4,
    HC_TOOL_PAGES = 5,
    HC_TOOL_JSON = 6,
};

/* Beside the kind of a tool: a program may declare its name. */
#define HC_TOOL_SHADOWABLE 0x80

static JSValue hc_final_answer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int tool);

/* First byte of a tool's answer. */
enum {
    HC_ANSWER_VALUE = 0,
    HC_ANSWER_ERROR = 1,
    HC_ANSWER_STOP = 2, /* the run is over: cancelled, out of time, or refused for good */
};

/* Remembers that `error` is the tool's own, so that a run that ends with this very object can say so. */
static void hc_mark_tool_error(JSContext *ctx, JSValueConst error, JSValueConst tool)
{
    if (!JS_IsObject(error))
        return;
    JSValueConst entry[2] = { error, tool };
    JSValue done = js_map_set(ctx, hc.tool_errors, 2, entry, MAGIC_WEAK);
    if (JS_IsException(done))
        hc_drop_exception(ctx);
    JS_FreeValue(ctx, done);
}

/* Appends the arguments to the out buffer, each a value of its own. */
static bool hc_encode_arguments(JSContext *ctx, int argc, JSValueConst *argv)
{
    size_t start = hc_out.length;
    if (!hc_put_number(argc)) {
        JS_ThrowOutOfMemory(ctx);
        return false;
    }
    for (int i = 0; i < argc; i++) {
        char root[32] = "";
        JSValue refusal;
        /* Only worth formatting when it can be needed. */
        if (JS_VALUE_GET_TAG(argv[i]) == JS_TAG_OBJECT || JS_VALUE_GET_TAG(argv[i]) == JS_TAG_SYMBOL)
            snprintf(root, sizeof root, "arguments[%d]", i);
        if (hc_encode_value(ctx, argv[i], root, &refusal))
            continue;
        hc_out.length = start;
        if (!JS_IsUndefined(refusal)) {
            const char *why = JS_ToCString(ctx, refusal);
            if (why) {
                JS_ThrowTypeError(ctx, "%s and cannot be passed to a tool", why);
                hc_mark_tool_error(ctx, ctx->rt->current_exception, JS_GetActiveFunction(ctx));
            }
            JS_FreeCString(ctx, why);
            JS_FreeValue(ctx, refusal);
        }
        return false;
    }
    return true;
}

/* The number of the tool whose error this is, or -1. */
static int32_t hc_tool_of_error(JSContext *ctx, JSValueConst error)
{
    if (!JS_IsObject(error))
        return -1;
    JSValue tool = js_map_get(ctx, hc.tool_errors, 1, &error, MAGIC_WEAK);
    int32_t number = -1;
    if (JS_VALUE_GET_TAG(tool) == JS_TAG_OBJECT && JS_VALUE_GET_OBJ(tool)->class_id == JS_CLASS_C_FUNCTION)
        number = JS_VALUE_GET_OBJ(tool)->u.cfunc.magic;
    JS_FreeValue(ctx, tool);
    return number;
}

/* Where the code calls the tool: its innermost frame. */
static void hc_note_place(JSContext *ctx, HcCall *call)
{
    call->function = JS_UNDEFINED;
    for (JSStackFrame *frame = ctx->rt->current_stack_frame; frame; frame = frame->prev_frame) {
        JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func);
        if (!js_class_has_bytecode(function->class_id) || !frame->cur_pc)
            continue;
        JSFunctionBytecode *code = function->u.func.function_bytecode;
        if (code->hc_internal)
            continue;
        call->function = JS_DupValue(ctx, frame->cur_func);
        call->position = (uint32_t)(frame->cur_pc - code->byte_code_buf - 1);
        return;
    }
}

/* An error that comes after the fact has no frames of the program: the place of the call is where to look. */
static void hc_place_error(JSContext *ctx, JSValueConst error, const HcCall *call)
{
    if (JS_VALUE_GET_TAG(error) != JS_TAG_OBJECT || !JS_IsObject(call->function))
        return;
    JSObject *p = JS_VALUE_GET_OBJ(error);
    if (p->class_id != JS_CLASS_ERROR || (JS_IsString(p->u.object_data) && JS_VALUE_GET_STRING(p->u.object_data)->len != 0))
        return;
    JSFunctionBytecode *code = JS_VALUE_GET_OBJ(call->function)->u.func.function_bytecode;
    int column, line = find_line_num(ctx, code, call->position, &column);
    const char *name = get_func_name(ctx, call->function);
    const char *file = code->filename ? JS_AtomToCString(ctx, code->filename) : NULL;
    DynBuf text;
    js_dbuf_init(ctx, &text);
    dbuf_printf(&text, "    at %s (%s:%d:%d)\n", name && name[0] ? name : "<anonymous>", file ? file : "<null>", line, column);
    JS_FreeCString(ctx, file);
    JS_FreeCString(ctx, name);
    JSValue stack = dbuf_error(&text) ? JS_EXCEPTION : JS_NewStringLen(ctx, (char *)text.buf, text.size);
    dbuf_free(&text);
    if (JS_IsException(stack)) {
        hc_drop_exception(ctx);
        return;
    }
    JS_FreeValue(ctx, p->u.object_data);
    p->u.object_data = stack;
}

/* What the answer at `in` means: *is_error says whether `value` is to be thrown. JS_EXCEPTION if it cannot be read. */
static JSValue hc_read_answer(JSContext *ctx, HcIn *in, bool *is_error)
{
    uint8_t kind;
    *is_error = false;
    if (!hc_get_byte(in, &kind))
        return JS_ThrowInternalError(ctx, "the host gave no answer");
    if (kind == HC_ANSWER_STOP)
        return hc_stop(ctx, HC_STOP_INTERRUPTED);
    /* An error is the program's to extend or wrap; only values are shared and therefore frozen. */
    JSValue value = hc_decode_value(ctx, in, kind == HC_ANSWER_VALUE);
    *is_error = kind == HC_ANSWER_ERROR && !JS_IsException(value);
    return value;
}

/* What a call returns, or throws, whose answer is a reply of that length. */
static JSValue hc_take_reply(JSContext *ctx, int32_t length)
{
    HcReply reply;
    if (!hc_receive(ctx, length, &reply))
        return JS_EXCEPTION;
    bool is_error;
    JSValue value = hc_read_answer(ctx, &reply.in, &is_error);
    hc_release(&reply);
    if (!is_error)
        return value;
    hc_mark_tool_error(ctx, value, JS_GetActiveFunction(ctx));
    return JS_Throw(ctx, value);
}

static JSValue hc_call_now(JSContext *ctx, int32_t (*host_call)(int32_t, const void *, size_t), int32_t tool, int argc,
                           JSValueConst *argv)
{
    size_t start = hc_out.length;
    if (!hc_encode_arguments(ctx, argc, argv))
        return JS_EXCEPTION;
    int32_t length = host_call(tool, hc_out.data + start, hc_out.length - start);
    hc_out.length = start;
    return hc_take_reply(ctx, length);
}

static JSValue hc_tool_sync(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int tool)
{
    (void)this_val;
    return hc_call_now(ctx, host_tool_call, tool, argc, argv);
}

static JSValue hc_tool_wait(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int tool)
{
    (void)this_val;
    return hc_call_now(ctx, host_tool_wait, tool, argc, argv);
}

/* A free slot in the table of outstanding calls. Its index is the call's name at the host. Free slots form a list, so
   that a thousand outstanding calls do not make the next one slow. */
static int32_t hc_new_call(JSContext *ctx)
{
    if (hc.free_call == hc.call_capacity) {
        uint32_t capacity = hc.call_capacity ? hc.call_capacity * 2 : 8;
        HcCall *calls = realloc(hc.calls, capacity * sizeof *calls);
        if (!calls) {
            JS_ThrowOutOfMemory(ctx);
            return -1;
        }
        for (uint32_t i = hc.call_capacity; i < capacity; i++)
            calls[i] = (HcCall) { .in_use = false, .next_free = i + 1 };
        hc.calls = calls;
        hc.call_capacity = capacity;
    }
    uint32_t call = hc.free_call;
    hc.free_call = hc.calls[call].next_free;
    hc.calls_outstanding++;
    return (int32_t)call;
}

static void hc_end_call(JSContext *ctx, uint32_t call)
{
    HcCall *entry = &hc.calls[call];
    JS_FreeValue(ctx, entry->resolve);
    JS_FreeValue(ctx, entry->reject);
    JS_FreeValue(ctx, entry->tool);
    JS_FreeValue(ctx, entry->function);
    *entry = (HcCall) { .in_use = false, .next_free = hc.free_call };
    hc.free_call = call;
    hc.calls_outstanding--;
}

/* Settles `call` with the answer at `in`. */
static bool hc_settle_call(JSContext *ctx, uint32_t call, HcIn *in)
{
    if (call >= hc.call_capacity || !hc.calls[call].in_use) {
        JS_ThrowInternalError(ctx, "an answer to a call that was not made");
        return false;
    }
    bool is_error;
    JSValue value = hc_read_answer(ctx, in, &is_error);
    if (JS_IsException(value)) {
        if (JS_IsUncatchableError(ctx->rt->current_exception))
            return false;
        /* The answer does not fit into the cell: that is what the caller gets to see. */
        value = JS_GetException(ctx);
        is_error = true;
    }
    if (is_error) {
        hc_place_error(ctx, value, &hc.calls[call]);
        hc_mark_tool_error(ctx, value, hc.calls[call].tool);
    }
    JSValue done = JS_Call(ctx, is_error ? hc.calls[call].reject : hc.calls[call].resolve, JS_UNDEFINED, 1, vc(&value));
    JS_FreeValue(ctx, value);
    hc_end_call(ctx, call);
    bool ok = !JS_IsException(done);
    JS_FreeValue(ctx, done);
    return ok;
}

/* So many calls may be outstanding before a call takes in the answers of earlier ones. A program that never waits, because
   it forgot an `await`, would pile them up. */
#define HC_CALLS_BEFORE_TAKING 64

static int hc_take_answers(JSContext *ctx);

/* Makes a call under a number of its own, with a promise for its answer. *now is the length of a reply that came at
   once, or 0. JS_EXCEPTION if it could not be made. */
static JSValue hc_start_call(JSContext *ctx, int32_t (*host_call)(int32_t, int32_t, const void *, size_t), int32_t tool,
                             int argc, JSValueConst *argv, int32_t *call, int32_t *now)
{
    if (hc.calls_outstanding >= HC_CALLS_BEFORE_TAKING && hc_take_answers(ctx) < 0)
        return JS_EXCEPTION;
    size_t start = hc_out.length;
    if (!hc_encode_arguments(ctx, argc, argv))
        return JS_EXCEPTION;
    JSValue settle[2];
    JSValue promise = JS_NewPromiseCapability(ctx, settle);
    if (JS_IsException(promise)) {
        hc_out.length = start;
        return promise;
    }
    *call = hc_new_call(ctx);
    if (*call < 0) {
        hc_out.length = start;
        JS_FreeValue(ctx, settle[0]);
        JS_FreeValue(ctx, settle[1]);
        JS_FreeValue(ctx, promise);
        return JS_EXCEPTION;
    }
    hc.calls[*call] = (HcCall) {
        .in_use = true, .resolve = settle[0], .reject = settle[1], .tool = JS_DupValue(ctx, JS_GetActiveFunction(ctx))
    };
    hc_note_place(ctx, &hc.calls[*call]);
    *now = host_call(tool, *call, hc_out.data + start, hc_out.length - start);
    hc_out.length = start;
    return promise;
}

static JSValue hc_tool_async(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int tool)
{
    (void)this_val;
    int32_t call, now;
    JSValue promise = hc_start_call(ctx, host_tool_start, tool, argc, argv, &call, &now);
    if (JS_IsException(promise) || now <= 0)
        return promise;
    /* Answered at once: refused, or a limit. */
    HcReply reply;
    bool ok = hc_receive(ctx, now, &reply) && hc_settle_call(ctx, (uint32_t)call, &reply.in);
    hc_release(&reply);
    if (ok)
        return promise;
    JS_FreeValue(ctx, promise);
    return JS_EXCEPTION;
}

static JSValue hc_tool_maybe_async(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int tool)
{
    (void)this_val;
    int32_t call, now;
    JSValue promise = hc_start_call(ctx, host_tool_maybe_async, tool, argc, argv, &call, &now);
    if (JS_IsException(promise) || now <= 0)
        return promise;
    /* A plain answer: nobody will ever see the promise. */
    JS_FreeValue(ctx, promise);
    hc_end_call(ctx, (uint32_t)call);
    return hc_take_reply(ctx, now);
}

/* Whether this is the native function of a tool. */
static bool hc_is_tool(const JSObject *function)
{
    if (function->class_id != JS_CLASS_C_FUNCTION)
        return false;
    JSCFunctionMagic *native = function->u.cfunc.c_function.generic_magic;
    return native == hc_tool_sync || native == hc_tool_wait || native == hc_tool_async || native == hc_tool_maybe_async
        || native == hc_final_answer;
}

/* Answers that have come in, as (call, answer). Returns how many were applied, or -1 with an exception. */
static int hc_take_answers(JSContext *ctx)
{
    int applied = 0;
    for (;;) {
        int32_t length = host_next_answer();
        if (length <= 0)
            return applied;
        HcReply reply;
        uint64_t call;
        if (!hc_receive(ctx, length, &reply))
            return -1;
        bool ok = hc_get_number(&reply.in, &call) && hc_settle_call(ctx, (uint32_t)call, &reply.in);
        hc_release(&reply);
        if (!ok)
            return -1;
        applied++;
    }
}

/* Nobody will answer any more: the promises stay pending for ever and the slots are free again. */
static void hc_forget_calls(JSContext *ctx)
{
    for (uint32_t i = 0; i < hc.call_capacity; i++) {
        if (hc.calls[i].in_use)
            hc_end_call(ctx, i);
    }
}

static JSValue hc_new_tool(JSContext *ctx, const char *name, uint8_t kind, int tool)
{
    JSCFunctionType function;
    switch (kind) {
    case HC_TOOL_SYNC:
        function.generic_magic = hc_tool_sync;
        break;
    case HC_TOOL_WAIT:
        function.generic_magic = hc_tool_wait;
        break;
    case HC_TOOL_ASYNC:
    case HC_TOOL_PAGES:
    case HC_TOOL_JSON:
        function.generic_magic = hc_tool_async;
        break;
    case HC_TOOL_FINAL:
        function.generic_magic = hc_final_answer;
        break;
    case HC_TOOL_MAYBE_ASYNC:
        function.generic_magic = hc_tool_maybe_async;
        break;
    default:
        return JS_ThrowInternalError(ctx, "unknown kind of tool");
    }
    JSValue made = JS_NewCFunction2(ctx, function.generic, name, 0, JS_CFUNC_generic_magic, tool);
    if (!JS_IsException(made) && JS_FreezeObject(ctx, made) < 0) {
        JS_FreeValue(ctx, made);
        return JS_EXCEPTION;
    }
    if (JS_IsException(made) || (kind != HC_TOOL_PAGES && kind != HC_TOOL_JSON))
        return made;
    JSValue arguments[2] = { made, JS_NewString(ctx, name) };
    JSValueConst wrap = kind == HC_TOOL_PAGES ? hc.make_pages : hc.make_json;
    JSValue wrapped = JS_IsException(arguments[1]) ? JS_EXCEPTION : JS_Call(ctx, wrap, JS_UNDEFINED, 2, vc(arguments));
    JS_FreeValue(ctx, arguments[0]);
    JS_FreeValue(ctx, arguments[1]);
    return wrapped;
}
