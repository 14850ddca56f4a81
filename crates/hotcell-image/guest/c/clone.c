/* structuredClone: out and in again without leaving the cell. */

static JSValue hc_throw_data_clone_error(JSContext *ctx, const char *message)
{
    JSValue arguments[2] = { JS_NewString(ctx, message), JS_NewString(ctx, "DataCloneError") };
    JSValue error = JS_CallConstructor(ctx, hc_intrinsics.DOMException, 2, vc(arguments));
    JS_FreeValue(ctx, arguments[0]);
    JS_FreeValue(ctx, arguments[1]);
    return JS_IsException(error) ? error : JS_Throw(ctx, error);
}

static JSValue hc_throw_refusal(JSContext *ctx, JSValue refusal)
{
    char message[512];
    const char *why = JS_ToCString(ctx, refusal);
    JS_FreeValue(ctx, refusal);
    if (!why)
        return JS_EXCEPTION;
    snprintf(message, sizeof message, "%s and cannot be cloned", why);
    JS_FreeCString(ctx, why);
    return hc_throw_data_clone_error(ctx, message);
}

/* Detaches the buffers listed in options.transfer, after the clone has taken their bytes. */
static bool hc_transfer(JSContext *ctx, JSValueConst options)
{
    JSValue list = JS_GetPropertyStr(ctx, options, "transfer");
    if (JS_IsException(list))
        return false;
    bool ok = true;
    if (!JS_IsUndefined(list)) {
        int64_t length = 0;
        ok = js_get_length64(ctx, &length, list) == 0;
        for (int64_t i = 0; ok && i < length; i++) {
            JSValue item = JS_GetPropertyInt64(ctx, list, i);
            if (JS_IsException(item)) {
                ok = false;
            } else if (!JS_IsObject(item) || JS_VALUE_GET_OBJ(item)->class_id != JS_CLASS_ARRAY_BUFFER) {
                hc_throw_data_clone_error(ctx, "only an ArrayBuffer can be transferred");
                ok = false;
            } else {
                JS_DetachArrayBuffer(ctx, item);
            }
            JS_FreeValue(ctx, item);
        }
    }
    JS_FreeValue(ctx, list);
    return ok;
}

static JSValue hc_structured_clone(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    if (argc == 0)
        return JS_ThrowTypeError(ctx, "structuredClone needs a value");
    JSValue refusal;
    size_t start = hc_out.length;
    if (!hc_encode_value(ctx, argv[0], "value", &refusal))
        return JS_IsUndefined(refusal) ? JS_EXCEPTION : hc_throw_refusal(ctx, refusal);
    /* Decoding runs no user code, so the message stays where it is. */
    HcIn in = { hc_out.data + start, hc_out.data + hc_out.length };
    JSValue copy = hc_decode_value(ctx, &in, false);
    hc_out.length = start;
    if (!JS_IsException(copy) && argc > 1 && JS_IsObject(argv[1]) && !hc_transfer(ctx, argv[1])) {
        JS_FreeValue(ctx, copy);
        return JS_EXCEPTION;
    }
    return copy;
}
