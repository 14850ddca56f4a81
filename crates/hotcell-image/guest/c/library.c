/* Natives for our own scripts in `guest/js`: what JavaScript cannot see or would do slowly. They are handed to the
 * scripts while the image is built and are never reachable from user code. */

static JSValue hc_native_log(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    static const char *const levels[] = { "log", "info", "warn", "error" };
    const char *level = JS_ToCString(ctx, argv[0]);
    if (!level)
        return JS_EXCEPTION;
    uint8_t number = 0;
    for (uint8_t i = 0; i < countof(levels); i++) {
        if (!strcmp(level, levels[i]))
            number = i;
    }
    JS_FreeCString(ctx, level);
    JSValue refusal;
    size_t start = hc_out.length;
    if (!hc_put_byte(number))
        return JS_ThrowOutOfMemory(ctx);
    if (!JS_IsString(argv[1]) || !hc_encode_value(ctx, argv[1], "text", &refusal)) {
        hc_out.length = start;
        return JS_ThrowTypeError(ctx, "log needs a text");
    }
    host_emit(HC_EMIT_LOG, hc_out.data + start, hc_out.length - start);
    hc_out.length = start;
    return JS_UNDEFINED;
}

/* Milliseconds, or undefined when the clock is off. */
static JSValue hc_native_now(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val; (void)argc; (void)argv;
    double now = hc_policy.clock == HC_CLOCK_REAL ? host_now() : hc_clock();
    return isnan(now) ? JS_UNDEFINED : JS_NewFloat64(ctx, now);
}

/* [state, value], or undefined for anything but a promise. */
static JSValue hc_native_promise_state(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    const char *name;
    if (argc < 1)
        return JS_UNDEFINED;
    switch (JS_PromiseState(ctx, argv[0])) {
    case JS_PROMISE_PENDING:
        name = "pending";
        break;
    case JS_PROMISE_FULFILLED:
        name = "fulfilled";
        break;
    case JS_PROMISE_REJECTED:
        name = "rejected";
        break;
    default:
        return JS_UNDEFINED;
    }
    JSValue parts[2] = { JS_NewString(ctx, name), JS_PromiseResult(ctx, argv[0]) };
    JSValue pair = js_create_array(ctx, 2, vc(parts));
    JS_FreeValue(ctx, parts[0]);
    JS_FreeValue(ctx, parts[1]);
    return pair;
}

/* [target, handler], nulls once revoked, or undefined for anything but a proxy. */
static JSValue hc_native_proxy_target(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    if (argc < 1 || !JS_IsObject(argv[0]) || JS_VALUE_GET_OBJ(argv[0])->class_id != JS_CLASS_PROXY)
        return JS_UNDEFINED;
    JSProxyData *proxy = JS_VALUE_GET_OBJ(argv[0])->u.opaque;
    JSValue parts[2] = { JS_NULL, JS_NULL };
    if (!proxy->is_revoked) {
        parts[0] = proxy->target;
        parts[1] = proxy->handler;
    }
    return js_create_array(ctx, 2, vc(parts));
}

/* {entries, isKeyValue} of what a Map or Set iterator has still to give, without moving it; undefined for others. */
static JSValue hc_native_preview_entries(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    if (argc < 1 || !JS_IsObject(argv[0]))
        return JS_UNDEFINED;
    JSObject *p = JS_VALUE_GET_OBJ(argv[0]);
    if (p->class_id != JS_CLASS_MAP_ITERATOR && p->class_id != JS_CLASS_SET_ITERATOR)
        return JS_UNDEFINED;
    JSMapIteratorData *iterator = p->u.map_iterator_data;
    JSValue entries = JS_NewArray(ctx);
    JSValue result = JS_NewObject(ctx);
    bool pairs = iterator && iterator->kind == JS_ITERATOR_KIND_KEY_AND_VALUE;
    uint32_t count = 0;
    if (iterator && JS_IsObject(iterator->obj)) {
        JSMapState *state = JS_VALUE_GET_OBJ(iterator->obj)->u.map_state;
        struct list_head *el = iterator->cur_record ? iterator->cur_record->link.next : state->records.next;
        for (; el != &state->records; el = el->next) {
            JSMapRecord *record = list_entry(el, JSMapRecord, link);
            if (record->empty)
                continue;
            if (iterator->kind != JS_ITERATOR_KIND_VALUE || p->class_id == JS_CLASS_SET_ITERATOR)
                JS_DefinePropertyValueUint32(ctx, entries, count++, JS_DupValue(ctx, record->key), JS_PROP_C_W_E);
            if (iterator->kind == JS_ITERATOR_KIND_VALUE && p->class_id == JS_CLASS_MAP_ITERATOR)
                JS_DefinePropertyValueUint32(ctx, entries, count++, JS_DupValue(ctx, record->value), JS_PROP_C_W_E);
            if (pairs)
                JS_DefinePropertyValueUint32(ctx, entries, count++,
                                             JS_DupValue(ctx, p->class_id == JS_CLASS_MAP_ITERATOR ? record->value : record->key),
                                             JS_PROP_C_W_E);
        }
    }
    JS_DefinePropertyValueStr(ctx, result, "entries", entries, JS_PROP_C_W_E);
    JS_DefinePropertyValueStr(ctx, result, "isKeyValue", JS_NewBool(ctx, pairs), JS_PROP_C_W_E);
    return result;
}

/* The internal class of an object, which no property can spoof. */
static JSValue hc_native_class_of(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    if (argc < 1 || !JS_IsObject(argv[0]))
        return JS_UNDEFINED;
    JSObject *p = JS_VALUE_GET_OBJ(argv[0]);
    switch (p->class_id) {
    case JS_CLASS_BYTECODE_FUNCTION:
    case JS_CLASS_C_FUNCTION:
    case JS_CLASS_BOUND_FUNCTION:
    case JS_CLASS_C_FUNCTION_DATA:
    case JS_CLASS_C_CLOSURE:
    case JS_CLASS_PROMISE_RESOLVE_FUNCTION:
    case JS_CLASS_PROMISE_REJECT_FUNCTION:
    case JS_CLASS_ASYNC_FUNCTION_RESOLVE:
    case JS_CLASS_ASYNC_FUNCTION_REJECT:
        return JS_NewString(ctx, "Function");
    case JS_CLASS_MAPPED_ARGUMENTS:
        return JS_NewString(ctx, "Arguments");
    case JS_CLASS_MODULE_NS:
        return JS_NewString(ctx, "Module");
    default:
        return JS_AtomToString(ctx, ctx->rt->class_array[p->class_id].class_name);
    }
}

static JSValue hc_native_utf8_encode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val; (void)argc;
    /* The engine writes a lone surrogate as three bytes, which is not UTF-8. */
    JSValue whole = js_string_toWellFormed(ctx, argv[0], 0, NULL);
    if (JS_IsException(whole))
        return whole;
    size_t length;
    const char *bytes = JS_ToCStringLen(ctx, &length, whole);
    JS_FreeValue(ctx, whole);
    if (!bytes)
        return JS_EXCEPTION;
    JSValue buffer = JS_NewArrayBufferCopy(ctx, (const uint8_t *)bytes, length);
    JS_FreeCString(ctx, bytes);
    if (JS_IsException(buffer))
        return buffer;
    JSValue array = JS_NewTypedArray(ctx, 1, vc(&buffer), JS_TYPED_ARRAY_UINT8);
    JS_FreeValue(ctx, buffer);
    return array;
}

/* How many bytes of `bytes` form the sequence at the start, or minus the length of the maximal ill-formed part. */
static int hc_utf8_step(const uint8_t *bytes, size_t left)
{
    uint8_t first = bytes[0];
    uint8_t low = 0x80, high = 0xbf;
    int more;
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf) {
        more = 1;
    } else if (first >= 0xe0 && first <= 0xef) {
        more = 2;
        low = first == 0xe0 ? 0xa0 : 0x80;
        high = first == 0xed ? 0x9f : 0xbf;
    } else if (first >= 0xf0 && first <= 0xf4) {
        more = 3;
        low = first == 0xf0 ? 0x90 : 0x80;
        high = first == 0xf4 ? 0x8f : 0xbf;
    } else {
        return -1;
    }
    for (int i = 1; i <= more; i++) {
        if ((size_t)i >= left || bytes[i] < low || bytes[i] > high)
            return -i;
        low = 0x80;
        high = 0xbf;
    }
    return more + 1;
}

/* A string, with U+FFFD for each maximal ill-formed part; undefined when `fatal` and anything is ill-formed. */
static JSValue hc_native_utf8_decode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val; (void)argc;
    JSObject *p = JS_IsObject(argv[0]) ? JS_VALUE_GET_OBJ(argv[0]) : NULL;
    if (!p || p->class_id != JS_CLASS_UINT8_ARRAY || typed_array_is_oob(p))
        return JS_ThrowTypeError(ctx, "a Uint8Array is needed");
    bool fatal = JS_ToBool(ctx, argv[1]);
    const uint8_t *bytes = p->u.array.u.uint8_ptr;
    size_t length = p->u.array.count, at = 0;
    while (at < length) {
        int step = hc_utf8_step(bytes + at, length - at);
        if (step < 0)
            break;
        at += step;
    }
    if (at == length)
        return JS_NewStringLen(ctx, (const char *)bytes, length);
    if (fatal)
        return JS_UNDEFINED;
    DynBuf buf;
    js_dbuf_init(ctx, &buf);
    dbuf_put(&buf, bytes, at);
    while (at < length) {
        int step = hc_utf8_step(bytes + at, length - at);
        if (step > 0)
            dbuf_put(&buf, bytes + at, step);
        else
            dbuf_put(&buf, (const uint8_t *)"\xef\xbf\xbd", 3);
        at += step > 0 ? step : -step;
    }
    JSValue text = dbuf_error(&buf) ? JS_ThrowOutOfMemory(ctx) : JS_NewStringLen(ctx, (const char *)buf.buf, buf.size);
    dbuf_free(&buf);
    return text;
}

/* A service of the host's library (URL parsing, time zones): arguments out, an answer in. Its error is not a tool's. */
static JSValue hc_native_library(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    size_t start = hc_out.length;
    if (!hc_encode_arguments(ctx, argc, argv))
        return JS_EXCEPTION;
    int32_t length = host_library(hc_out.data + start, hc_out.length - start);
    hc_out.length = start;
    HcReply reply;
    uint8_t kind = HC_ANSWER_VALUE;
    if (!hc_receive(ctx, length, &reply))
        return JS_EXCEPTION;
    JSValue value = hc_get_byte(&reply.in, &kind) ? hc_decode_value(ctx, &reply.in, false) : JS_UNDEFINED;
    hc_release(&reply);
    return kind == HC_ANSWER_ERROR && !JS_IsException(value) ? JS_Throw(ctx, value) : value;
}

/* What the glue calls back: (inspect, awaitResult, makePages, makeJson). */
static JSValue hc_native_register(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    JSValue *all[] = { &hc.inspect, &hc.await_result, &hc.make_pages, &hc.make_json };
    for (int i = 0; i < (int)countof(all); i++) {
        if (i >= argc || !JS_IsFunction(ctx, argv[i]))
            return JS_ThrowTypeError(ctx, "register needs four functions");
        *all[i] = JS_DupValue(ctx, argv[i]);
    }
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry hc_natives[] = {
    JS_CFUNC_DEF("log", 2, hc_native_log),
    JS_CFUNC_DEF("now", 0, hc_native_now),
    JS_CFUNC_DEF("promiseState", 1, hc_native_promise_state),
    JS_CFUNC_DEF("proxyTarget", 1, hc_native_proxy_target),
    JS_CFUNC_DEF("previewEntries", 1, hc_native_preview_entries),
    JS_CFUNC_DEF("classOf", 1, hc_native_class_of),
    JS_CFUNC_DEF("utf8Encode", 1, hc_native_utf8_encode),
    JS_CFUNC_DEF("utf8Decode", 2, hc_native_utf8_decode),
    JS_CFUNC_DEF("library", 1, hc_native_library),
    JS_CFUNC_DEF("structuredClone", 1, hc_structured_clone),
    JS_CFUNC_DEF("register", 4, hc_native_register),
};
