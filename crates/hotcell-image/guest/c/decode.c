/* Values on their way into the cell.
 *
 * What comes from the host (variables, tool results) arrives frozen, so that code cannot tell two looks at it apart by
 * having changed it; what `structuredClone` makes is left mutable. The host is trusted to mean well, not to be free of
 * mistakes: a malformed message is an exception, never a stray read. */

typedef struct {
    JSContext *ctx;
    HcIn *in;
    bool freeze;
    JSValue *objects;
    uint32_t object_count;
    uint32_t object_capacity;
    uint32_t depth;
} HcDecoder;

static JSValue hc_decode(HcDecoder *d);

static JSValue hc_malformed(HcDecoder *d)
{
    return JS_ThrowInternalError(d->ctx, "malformed value from the host");
}

/* Gives `object` the next index. Its values are borrowed: the value being built owns them. */
static bool hc_remember(HcDecoder *d, JSValueConst object)
{
    if (d->object_count == d->object_capacity) {
        uint32_t capacity = d->object_capacity ? d->object_capacity * 2 : 16;
        JSValue *objects = realloc(d->objects, capacity * sizeof *objects);
        if (!objects) {
            JS_ThrowOutOfMemory(d->ctx);
            return false;
        }
        d->objects = objects;
        d->object_capacity = capacity;
    }
    d->objects[d->object_count++] = JS_DupValue(d->ctx, object);
    return true;
}

static int hc_value_flags(HcDecoder *d)
{
    return d->freeze ? JS_PROP_ENUMERABLE : JS_PROP_C_W_E;
}

static JSValue hc_decode_text(HcDecoder *d, uint8_t tag)
{
    const uint8_t *bytes;
    uint64_t length;
    if (!hc_get_number(d->in, &length) || length > INT32_MAX)
        return hc_malformed(d);
    if (tag == HC_UTF16) {
        if (!hc_get_bytes(d->in, &bytes, (size_t)length * 2))
            return hc_malformed(d);
        /* The message has no alignment. */
        uint16_t *units = malloc((size_t)length * 2 + 1);
        if (!units)
            return JS_ThrowOutOfMemory(d->ctx);
        memcpy(units, bytes, (size_t)length * 2);
        JSValue text = JS_NewStringUTF16(d->ctx, units, length);
        free(units);
        return text;
    }
    if (!hc_get_bytes(d->in, &bytes, (size_t)length))
        return hc_malformed(d);
    if (tag == HC_LATIN1)
        return js_new_string8_len(d->ctx, (const char *)bytes, (int)length);
    return JS_NewStringLen(d->ctx, (const char *)bytes, (size_t)length);
}

static JSValue hc_decode_bigint(HcDecoder *d)
{
    const uint8_t *bytes;
    uint64_t length;
    if (!hc_get_number(d->in, &length) || length == 0 || length > (1u << 24) || !hc_get_bytes(d->in, &bytes, (size_t)length))
        return hc_malformed(d);
    if (length <= 8) {
        uint64_t n = bytes[length - 1] & 0x80 ? UINT64_MAX : 0;
        memcpy(&n, bytes, (size_t)length);
        return JS_NewBigInt64(d->ctx, (int64_t)n);
    }
    uint32_t limbs = (uint32_t)((length + sizeof(js_limb_t) - 1) / sizeof(js_limb_t));
    JSBigInt *big = js_bigint_new(d->ctx, limbs);
    if (!big)
        return JS_EXCEPTION;
    memset(big->tab, bytes[length - 1] & 0x80 ? 0xff : 0, limbs * sizeof(js_limb_t));
    memcpy(big->tab, bytes, (size_t)length);
    return JS_CompactBigInt(d->ctx, js_bigint_normalize(d->ctx, big));
}

/* Reads (key, value)… up to HC_END into `object`. */
static bool hc_decode_properties(HcDecoder *d, JSValueConst object)
{
    for (;;) {
        uint8_t tag;
        if (!hc_get_byte(d->in, &tag)) {
            hc_malformed(d);
            return false;
        }
        if (tag == HC_END)
            return true;
        if (tag < HC_LATIN1 || tag > HC_UTF8) {
            hc_malformed(d);
            return false;
        }
        JSValue key = hc_decode_text(d, tag);
        if (JS_IsException(key))
            return false;
        JSAtom atom = JS_ValueToAtom(d->ctx, key);
        JS_FreeValue(d->ctx, key);
        if (atom == JS_ATOM_NULL)
            return false;
        JSValue value = hc_decode(d);
        int done = JS_IsException(value) ? -1 : JS_DefinePropertyValue(d->ctx, object, atom, value, hc_value_flags(d));
        JS_FreeAtom(d->ctx, atom);
        if (done < 0)
            return false;
    }
}

static bool hc_decode_elements(HcDecoder *d, JSValueConst array, uint32_t length)
{
    uint32_t index = 0;
    while (index < length) {
        if (d->in->at < d->in->end && *d->in->at == HC_HOLES) {
            uint64_t holes;
            d->in->at++;
            if (!hc_get_number(d->in, &holes) || holes == 0 || holes > length - index) {
                hc_malformed(d);
                return false;
            }
            index += (uint32_t)holes;
            continue;
        }
        JSValue value = hc_decode(d);
        if (JS_IsException(value) || JS_DefinePropertyValueUint32(d->ctx, array, index, value, JS_PROP_C_W_E) < 0)
            return false;
        index++;
    }
    return JS_SetProperty(d->ctx, array, JS_ATOM_length, JS_NewUint32(d->ctx, length)) >= 0;
}

static JSValue hc_decode_array(HcDecoder *d)
{
    uint64_t length;
    if (!hc_get_number(d->in, &length) || length > UINT32_MAX)
        return hc_malformed(d);
    JSValue array = JS_NewArray(d->ctx);
    if (JS_IsException(array))
        return array;
    if (!hc_remember(d, array) || !hc_decode_elements(d, array, (uint32_t)length)) {
        JS_FreeValue(d->ctx, array);
        return JS_EXCEPTION;
    }
    return array;
}

static JSValue hc_decode_object(HcDecoder *d)
{
    JSValue object = JS_NewObject(d->ctx);
    if (JS_IsException(object))
        return object;
    if (!hc_remember(d, object) || !hc_decode_properties(d, object)) {
        JS_FreeValue(d->ctx, object);
        return JS_EXCEPTION;
    }
    return object;
}

static JSValue hc_decode_collection(HcDecoder *d, uint8_t tag)
{
    uint32_t count;
    if (!hc_get_count(d->in, &count))
        return hc_malformed(d);
    int magic = tag == HC_SET ? MAGIC_SET : 0;
    JSValue collection = JS_CallConstructor(d->ctx, tag == HC_SET ? hc_intrinsics.Set : hc_intrinsics.Map, 0, NULL);
    if (JS_IsException(collection))
        return collection;
    bool ok = hc_remember(d, collection);
    for (uint32_t i = 0; i < count && ok; i++) {
        JSValue pair[2] = { hc_decode(d), JS_UNDEFINED };
        ok = !JS_IsException(pair[0]);
        if (ok && tag == HC_MAP) {
            pair[1] = hc_decode(d);
            ok = !JS_IsException(pair[1]);
        }
        if (ok) {
            JSValue done = js_map_set(d->ctx, collection, tag == HC_MAP ? 2 : 1, vc(pair), magic);
            ok = !JS_IsException(done);
            JS_FreeValue(d->ctx, done);
        }
        JS_FreeValue(d->ctx, pair[0]);
        JS_FreeValue(d->ctx, pair[1]);
    }
    if (!ok) {
        JS_FreeValue(d->ctx, collection);
        return JS_EXCEPTION;
    }
    return collection;
}

static JSValue hc_decode_view(HcDecoder *d)
{
    uint8_t kind;
    uint64_t offset, length;
    if (!hc_get_byte(d->in, &kind) || !hc_get_number(d->in, &offset) || !hc_get_number(d->in, &length)
        || offset > UINT32_MAX || length > UINT32_MAX)
        return hc_malformed(d);
    if (kind != HC_DATAVIEW_KIND && kind >= JS_TYPED_ARRAY_COUNT)
        return hc_malformed(d);
    /* The index is the view's, although its buffer must exist first. */
    uint32_t index = d->object_count;
    if (!hc_remember(d, JS_UNDEFINED))
        return JS_EXCEPTION;
    JSValue arguments[3] = { hc_decode(d), JS_NewUint32(d->ctx, (uint32_t)offset), JS_NewUint32(d->ctx, (uint32_t)length) };
    if (JS_IsException(arguments[0]))
        return JS_EXCEPTION;
    JSValue view;
    if (!JS_IsObject(arguments[0]) || JS_VALUE_GET_OBJ(arguments[0])->class_id != JS_CLASS_ARRAY_BUFFER)
        view = hc_malformed(d);
    else if (kind == HC_DATAVIEW_KIND)
        view = JS_CallConstructor(d->ctx, hc_intrinsics.DataView, 3, vc(arguments));
    else
        view = JS_NewTypedArray(d->ctx, 3, vc(arguments), (JSTypedArrayEnum)kind);
    JS_FreeValue(d->ctx, arguments[0]);
    if (!JS_IsException(view))
        d->objects[index] = JS_DupValue(d->ctx, view);
    return view;
}

static JSValue hc_decode_regexp(HcDecoder *d)
{
    JSValue parts[2] = { hc_decode(d), JS_UNDEFINED };
    if (JS_IsException(parts[0]))
        return JS_EXCEPTION;
    parts[1] = hc_decode(d);
    JSValue regexp = JS_EXCEPTION;
    if (!JS_IsException(parts[1])) {
        regexp = JS_CallConstructor(d->ctx, hc_intrinsics.RegExp, 2, vc(parts));
        if (!JS_IsException(regexp) && !hc_remember(d, regexp)) {
            JS_FreeValue(d->ctx, regexp);
            regexp = JS_EXCEPTION;
        }
    }
    JS_FreeValue(d->ctx, parts[0]);
    JS_FreeValue(d->ctx, parts[1]);
    return regexp;
}

/* The prototype of the native error called `name`, so that `instanceof` holds across the wall. */
static JSValueConst hc_error_prototype(JSContext *ctx, JSValueConst name)
{
    const char *text = JS_ToCString(ctx, name);
    JSValueConst proto = ctx->class_proto[JS_CLASS_ERROR];
    if (!text) {
        hc_drop_exception(ctx);
        return proto;
    }
    for (int i = 0; i < JS_NATIVE_ERROR_COUNT; i++) {
        if (!strcmp(text, native_error_name[i]))
            proto = ctx->native_error_proto[i];
    }
    JS_FreeCString(ctx, text);
    return proto;
}

static JSValue hc_decode_error(HcDecoder *d)
{
    JSContext *ctx = d->ctx;
    uint32_t index = d->object_count;
    JSValue error = JS_EXCEPTION, name = JS_UNDEFINED, message = JS_UNDEFINED, stack = JS_UNDEFINED;
    if (!hc_remember(d, JS_UNDEFINED))
        return JS_EXCEPTION;
    name = hc_decode(d);
    message = JS_IsException(name) ? JS_EXCEPTION : hc_decode(d);
    stack = JS_IsException(message) ? JS_EXCEPTION : hc_decode(d);
    if (JS_IsException(stack))
        goto done;
    if (!JS_IsString(name) || !JS_IsString(message) || !JS_IsString(stack)) {
        hc_malformed(d);
        goto done;
    }
    JSValueConst proto = hc_error_prototype(ctx, name);
    error = JS_NewObjectProtoClass(ctx, proto, JS_CLASS_ERROR);
    if (JS_IsException(error))
        goto done;
    d->objects[index] = JS_DupValue(ctx, error);
    const int hidden = d->freeze ? 0 : JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE;
    JSValue usual = JS_GetProperty(ctx, error, JS_ATOM_name);
    bool named = JS_IsString(usual) && js_string_eq(JS_VALUE_GET_STRING(usual), JS_VALUE_GET_STRING(name));
    JS_FreeValue(ctx, usual);
    bool ok = named || JS_DefinePropertyValue(ctx, error, JS_ATOM_name, JS_DupValue(ctx, name), hidden) >= 0;
    ok = ok && JS_DefinePropertyValue(ctx, error, JS_ATOM_message, JS_DupValue(ctx, message), hidden) >= 0;
    if (ok) {
        bool given = JS_VALUE_GET_STRING(stack)->len != 0;
        if (given)
            ok = JS_DefinePropertyValue(ctx, error, JS_ATOM_stack, JS_DupValue(ctx, stack), hidden) >= 0;
        else
            build_backtrace(ctx, error, JS_UNDEFINED, NULL, 0, 0, 0);
    }
    if (ok) {
        if (d->in->at < d->in->end && *d->in->at == HC_END) {
            d->in->at++;
        } else {
            JSValue cause = hc_decode(d);
            ok = !JS_IsException(cause) && JS_DefinePropertyValue(ctx, error, JS_ATOM_cause, cause, hidden) >= 0;
        }
    }
    ok = ok && hc_decode_properties(d, error);
    if (!ok) {
        JS_FreeValue(ctx, error);
        error = JS_EXCEPTION;
    }
done:
    JS_FreeValue(ctx, name);
    JS_FreeValue(ctx, message);
    JS_FreeValue(ctx, stack);
    return error;
}

static JSValue hc_decode_boxed(HcDecoder *d)
{
    uint32_t index = d->object_count;
    if (!hc_remember(d, JS_UNDEFINED))
        return JS_EXCEPTION;
    JSValue primitive = hc_decode(d);
    if (JS_IsException(primitive))
        return primitive;
    if (JS_IsObject(primitive) || JS_IsNull(primitive) || JS_IsUndefined(primitive)) {
        JS_FreeValue(d->ctx, primitive);
        return hc_malformed(d);
    }
    JSValue boxed = JS_ToObject(d->ctx, primitive);
    JS_FreeValue(d->ctx, primitive);
    if (!JS_IsException(boxed))
        d->objects[index] = JS_DupValue(d->ctx, boxed);
    return boxed;
}

static JSValue hc_decode_buffer(HcDecoder *d)
{
    uint64_t length;
    const uint8_t *bytes;
    if (!hc_get_number(d->in, &length) || length > INT32_MAX || !hc_get_bytes(d->in, &bytes, (size_t)length))
        return hc_malformed(d);
    JSValue buffer = JS_NewArrayBufferCopy(d->ctx, bytes, (size_t)length);
    if (!JS_IsException(buffer) && !hc_remember(d, buffer)) {
        JS_FreeValue(d->ctx, buffer);
        return JS_EXCEPTION;
    }
    return buffer;
}

static JSValue hc_decode_date(HcDecoder *d)
{
    double time;
    if (!hc_get_double(d->in, &time))
        return hc_malformed(d);
    JSValue date = JS_NewDate(d->ctx, time);
    if (!JS_IsException(date) && !hc_remember(d, date)) {
        JS_FreeValue(d->ctx, date);
        return JS_EXCEPTION;
    }
    return date;
}

static JSValue hc_decode_tagged(HcDecoder *d, uint8_t tag)
{
    uint64_t n;
    double number;
    switch (tag) {
    case HC_UNDEFINED:
        return JS_UNDEFINED;
    case HC_NULL:
        return JS_NULL;
    case HC_FALSE:
        return JS_FALSE;
    case HC_TRUE:
        return JS_TRUE;
    case HC_INTEGER:
        if (!hc_get_number(d->in, &n) || n > UINT32_MAX)
            return hc_malformed(d);
        return JS_NewInt32(d->ctx, (int32_t)((uint32_t)n >> 1) ^ -(int32_t)(n & 1));
    case HC_DOUBLE:
        return hc_get_double(d->in, &number) ? JS_NewFloat64(d->ctx, number) : hc_malformed(d);
    case HC_BIGINT:
        return hc_decode_bigint(d);
    case HC_LATIN1:
    case HC_UTF16:
    case HC_UTF8:
        return hc_decode_text(d, tag);
    case HC_OBJECT:
        return hc_decode_object(d);
    case HC_ARRAY:
        return hc_decode_array(d);
    case HC_DATE:
        return hc_decode_date(d);
    case HC_REGEXP:
        return hc_decode_regexp(d);
    case HC_MAP:
    case HC_SET:
        return hc_decode_collection(d, tag);
    case HC_BUFFER:
        return hc_decode_buffer(d);
    case HC_VIEW:
        return hc_decode_view(d);
    case HC_ERROR:
        return hc_decode_error(d);
    case HC_BOXED:
        return hc_decode_boxed(d);
    case HC_REFERENCE:
        if (!hc_get_number(d->in, &n) || n >= d->object_count)
            return hc_malformed(d);
        return JS_DupValue(d->ctx, d->objects[n]);
    default:
        return hc_malformed(d);
    }
}

static JSValue hc_decode(HcDecoder *d)
{
    uint8_t tag;
    if (!hc_get_byte(d->in, &tag) || d->depth > HC_MAX_DEPTH + 1)
        return hc_malformed(d);
    if (!hc_may_nest(d->ctx, d->depth))
        return JS_EXCEPTION;
    d->depth++;
    JSValue value = hc_decode_tagged(d, tag);
    d->depth--;
    return value;
}

/* Views and buffers cannot be frozen in JavaScript; they only lose their extensibility. */
static bool hc_freeze(JSContext *ctx, JSValueConst object)
{
    JSObject *p = JS_VALUE_GET_OBJ(object);
    if (p->class_id == JS_CLASS_OBJECT || p->class_id == JS_CLASS_ERROR) {
        /* Their properties were defined read-only already. */
        p->extensible = false;
        return true;
    }
    if (p->class_id >= JS_CLASS_UINT8C_ARRAY && p->class_id <= JS_CLASS_DATAVIEW)
        return JS_PreventExtensions(ctx, object) >= 0;
    return JS_FreezeObject(ctx, object) >= 0;
}

/* Decodes the value at `in`. An exception is pending if the result is one. */
static JSValue hc_decode_value(JSContext *ctx, HcIn *in, bool freeze)
{
    HcDecoder d = { .ctx = ctx, .in = in, .freeze = freeze };
    JSValue value = hc_decode(&d);
    bool ok = !JS_IsException(value);
    for (uint32_t i = 0; i < d.object_count; i++) {
        if (ok && freeze && JS_IsObject(d.objects[i]))
            ok = hc_freeze(ctx, d.objects[i]);
        JS_FreeValue(ctx, d.objects[i]);
    }
    free(d.objects);
    if (!ok && !JS_IsException(value)) {
        JS_FreeValue(ctx, value);
        return JS_EXCEPTION;
    }
    return value;
}
