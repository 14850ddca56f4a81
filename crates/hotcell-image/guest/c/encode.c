/* Values on their way out of the cell: structured clone, written down.
 *
 * Getters run, as structured clone demands, so every value is held by a reference while it is written and nothing is
 * read through a pointer that user code could have freed. Proxies are refused: their traps would let a value differ
 * from one look to the next. */

typedef struct HcPath {
    const struct HcPath *parent;
    const char *root; /* for the first one, else NULL */
    JSAtom key;       /* a property, if not JS_ATOM_NULL */
    uint32_t index;   /* else an element */
    char kind;        /* '.', '[', 'm' map entry, 's' set entry, 'c' cause */
} HcPath;

typedef struct {
    JSContext *ctx;
    /* Objects met so far, by address: open addressing, power of two, allocated with the first object. */
    JSObject **seen;
    uint32_t *seen_index;
    uint32_t seen_capacity;
    uint32_t seen_count;
    uint32_t depth;
    /* Objects are kept alive until the message is whole: a getter might free one and another be put in its place. */
    JSValue *held;
    uint32_t held_capacity;
    /* Why a value cannot cross: a string, or undefined if an exception is pending instead. */
    JSValue refusal;
} HcEncoder;

static bool hc_encode(HcEncoder *e, JSValueConst value, const HcPath *path);

static void hc_encoder_free(HcEncoder *e)
{
    for (uint32_t i = 0; i < e->seen_count; i++)
        JS_FreeValue(e->ctx, e->held[i]);
    free(e->held);
    free(e->seen);
    free(e->seen_index);
    JS_FreeValue(e->ctx, e->refusal);
}

static void hc_print_path(JSContext *ctx, DynBuf *buf, const HcPath *path)
{
    if (path->parent)
        hc_print_path(ctx, buf, path->parent);
    if (path->root) {
        dbuf_putstr(buf, path->root);
        return;
    }
    if (path->kind == 'm') {
        dbuf_printf(buf, ".<map entry %u>", path->index);
    } else if (path->kind == 's') {
        dbuf_printf(buf, ".<set entry %u>", path->index);
    } else if (path->kind == 'c') {
        dbuf_putstr(buf, ".cause");
    } else if (path->kind == '[') {
        dbuf_printf(buf, "[%u]", path->index);
    } else {
        const char *name = JS_AtomToCString(ctx, path->key);
        if (!name) {
            hc_drop_exception(ctx);
            dbuf_putstr(buf, ".?");
            return;
        }
        bool plain = name[0] && !(name[0] >= '0' && name[0] <= '9');
        for (const char *c = name; *c && plain; c++)
            plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' || *c == '$';
        dbuf_printf(buf, plain ? ".%.80s" : "[\"%.80s\"]", name);
        JS_FreeCString(ctx, name);
    }
}

/* Past this many steps a path says "…" in the middle: nobody reads a thousand levels. */
#define HC_PATH_SHOWN 12

static bool hc_refuse(HcEncoder *e, const HcPath *path, const char *what)
{
    DynBuf buf;
    js_dbuf_init(e->ctx, &buf);
    const HcPath *steps[HC_PATH_SHOWN];
    uint32_t length = 0;
    const HcPath *root = path;
    for (const HcPath *p = path; p; p = p->parent) {
        if (length < HC_PATH_SHOWN)
            steps[length] = p;
        length++;
        root = p;
    }
    if (length <= HC_PATH_SHOWN) {
        hc_print_path(e->ctx, &buf, path);
    } else {
        dbuf_putstr(&buf, root->root ? root->root : "value");
        dbuf_putstr(&buf, "…");
        HcPath last = *steps[0];
        last.parent = NULL;
        hc_print_path(e->ctx, &buf, &last);
    }
    dbuf_printf(&buf, " %s", what);
    JS_FreeValue(e->ctx, e->refusal);
    e->refusal = dbuf_error(&buf) ? JS_UNDEFINED : JS_NewStringLen(e->ctx, (const char *)buf.buf, buf.size);
    if (dbuf_error(&buf))
        JS_ThrowOutOfMemory(e->ctx);
    dbuf_free(&buf);
    return false;
}

static bool hc_no_memory(HcEncoder *e)
{
    JS_ThrowOutOfMemory(e->ctx);
    return false;
}

static uint32_t hc_pointer_hash(const void *p)
{
    return (uint32_t)((uintptr_t)p >> 3) * 2654435761u;
}

static bool hc_seen_grow(HcEncoder *e)
{
    uint32_t capacity = e->seen_capacity ? e->seen_capacity * 2 : 16;
    JSObject **seen = calloc(capacity, sizeof *seen);
    uint32_t *index = malloc(capacity * sizeof *index);
    JSValue *held = realloc(e->held, capacity / 2 * sizeof *held);
    if (held)
        e->held = held;
    if (!seen || !index || !held) {
        free(seen);
        free(index);
        return hc_no_memory(e);
    }
    for (uint32_t i = 0; i < e->seen_capacity; i++) {
        if (!e->seen[i])
            continue;
        uint32_t slot = hc_pointer_hash(e->seen[i]) & (capacity - 1);
        while (seen[slot])
            slot = (slot + 1) & (capacity - 1);
        seen[slot] = e->seen[i];
        index[slot] = e->seen_index[i];
    }
    free(e->seen);
    free(e->seen_index);
    e->seen = seen;
    e->seen_index = index;
    e->seen_capacity = capacity;
    return true;
}

/* 1: met before and a reference was written; 0: new, and now remembered; -1: failed. */
static int hc_encode_reference(HcEncoder *e, JSObject *p)
{
    if (e->seen_count * 2 >= e->seen_capacity && !hc_seen_grow(e))
        return -1;
    uint32_t slot = hc_pointer_hash(p) & (e->seen_capacity - 1);
    while (e->seen[slot]) {
        if (e->seen[slot] == p) {
            if (!hc_put_byte(HC_REFERENCE) || !hc_put_number(e->seen_index[slot]))
                return hc_no_memory(e), -1;
            return 1;
        }
        slot = (slot + 1) & (e->seen_capacity - 1);
    }
    e->seen[slot] = p;
    e->seen_index[slot] = e->seen_count;
    e->held[e->seen_count++] = JS_DupValue(e->ctx, JS_MKPTR(JS_TAG_OBJECT, p));
    return 0;
}

static bool hc_encode_string(HcEncoder *e, JSValueConst value)
{
    JSValue flat = JS_UNDEFINED;
    if (JS_VALUE_GET_TAG(value) == JS_TAG_STRING_ROPE) {
        flat = js_linearize_string_rope(e->ctx, value);
        if (JS_IsException(flat))
            return false;
        value = flat;
    }
    JSString *s = JS_VALUE_GET_STRING(value);
    bool ok;
    if (s->is_wide_char)
        ok = hc_put_byte(HC_UTF16) && hc_put_number(s->len) && hc_put_bytes(str16(s), (size_t)s->len * 2);
    else
        ok = hc_put_byte(HC_LATIN1) && hc_put_number(s->len) && hc_put_bytes(str8(s), s->len);
    JS_FreeValue(e->ctx, flat);
    return ok || hc_no_memory(e);
}

static bool hc_encode_atom(HcEncoder *e, JSAtom atom)
{
    JSValue name = JS_AtomToString(e->ctx, atom);
    if (JS_IsException(name))
        return false;
    bool ok = hc_encode_string(e, name);
    JS_FreeValue(e->ctx, name);
    return ok;
}

static bool hc_encode_bigint(HcEncoder *e, JSValueConst value)
{
    bool ok;
    if (JS_VALUE_GET_TAG(value) == JS_TAG_SHORT_BIG_INT) {
        int64_t n = JS_VALUE_GET_SHORT_BIG_INT(value);
        ok = hc_put_byte(HC_BIGINT) && hc_put_number(sizeof n) && hc_put_bytes(&n, sizeof n);
    } else {
        JSBigInt *n = JS_VALUE_GET_PTR(value);
        size_t length = (size_t)n->len * sizeof(js_limb_t);
        ok = hc_put_byte(HC_BIGINT) && hc_put_number(length) && hc_put_bytes(n->tab, length);
    }
    return ok || hc_no_memory(e);
}

static bool hc_encode_property(HcEncoder *e, JSValueConst object, JSAtom key, const HcPath *path)
{
    HcPath here = { path, NULL, key, 0, '.' };
    JSValue value = JS_GetProperty(e->ctx, object, key);
    if (JS_IsException(value))
        return false;
    bool ok = hc_encode_atom(e, key) && hc_encode(e, value, &here);
    JS_FreeValue(e->ctx, value);
    return ok;
}

/* The own enumerable properties with string keys, then HC_END. `skip` names those already written. */
static bool hc_encode_properties(HcEncoder *e, JSValueConst object, const HcPath *path, const JSAtom *skip, int skip_count)
{
    JSPropertyEnum *names;
    uint32_t count;
    if (JS_GetOwnPropertyNames(e->ctx, &names, &count, object, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY))
        return false;
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i++) {
        bool skipped = false;
        for (int k = 0; k < skip_count; k++)
            skipped |= names[i].atom == skip[k];
        if (!skipped)
            ok = hc_encode_property(e, object, names[i].atom, path);
    }
    JS_FreePropertyEnum(e->ctx, names, count);
    return ok && (hc_put_byte(HC_END) || hc_no_memory(e));
}

static bool hc_encode_holes(HcEncoder *e, uint32_t count)
{
    return count == 0 || (hc_put_byte(HC_HOLES) && hc_put_number(count)) || hc_no_memory(e);
}

/* Elements by what is there, not by length: an array of length 4e9 may hold two. */
static bool hc_encode_sparse_array(HcEncoder *e, JSValueConst array, uint32_t length, const HcPath *path)
{
    JSPropertyEnum *names;
    uint32_t count, covered = 0;
    if (JS_GetOwnPropertyNames(e->ctx, &names, &count, array, JS_GPN_STRING_MASK))
        return false;
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i++) {
        uint32_t index;
        if (!JS_AtomIsArrayIndex(e->ctx, &index, names[i].atom) || index < covered || index >= length)
            continue;
        HcPath here = { path, NULL, JS_ATOM_NULL, index, '[' };
        JSValue value = JS_GetProperty(e->ctx, array, names[i].atom);
        ok = !JS_IsException(value) && hc_encode_holes(e, index - covered) && hc_encode(e, value, &here);
        JS_FreeValue(e->ctx, value);
        covered = index + 1;
    }
    JS_FreePropertyEnum(e->ctx, names, count);
    return ok && hc_encode_holes(e, length - covered);
}

static bool hc_encode_array(HcEncoder *e, JSValueConst array, const HcPath *path)
{
    JSObject *p = JS_VALUE_GET_OBJ(array);
    uint32_t length;
    if (JS_VALUE_GET_TAG(p->prop[0].u.value) == JS_TAG_INT)
        length = JS_VALUE_GET_INT(p->prop[0].u.value);
    else
        length = (uint32_t)JS_VALUE_GET_FLOAT64(p->prop[0].u.value);
    if (!hc_put_byte(HC_ARRAY) || !hc_put_number(length))
        return hc_no_memory(e);
    /* A getter deeper down may turn the fast array into another kind or change its length: look anew each time. */
    uint32_t index = 0;
    while (index < length && p->fast_array && index < p->u.array.count) {
        HcPath here = { path, NULL, JS_ATOM_NULL, index, '[' };
        JSValue value = JS_DupValue(e->ctx, p->u.array.u.values[index]);
        bool ok = hc_encode(e, value, &here);
        JS_FreeValue(e->ctx, value);
        if (!ok)
            return false;
        index++;
    }
    if (index == 0 && !p->fast_array)
        return hc_encode_sparse_array(e, array, length, path);
    return hc_encode_holes(e, length - index);
}

/* The entries of a Map or Set are copied first: encoding a key may run code that changes the collection. */
static bool hc_encode_collection(HcEncoder *e, JSObject *p, const HcPath *path)
{
    JSMapState *state = p->u.map_state;
    bool is_map = p->class_id == JS_CLASS_MAP;
    uint32_t width = is_map ? 2 : 1, count = 0;
    JSValue *entries = malloc((size_t)state->record_count * width * sizeof *entries + 1);
    if (!entries)
        return hc_no_memory(e);
    struct list_head *el;
    list_for_each(el, &state->records) {
        JSMapRecord *record = list_entry(el, JSMapRecord, link);
        if (record->empty)
            continue;
        entries[count * width] = JS_DupValue(e->ctx, record->key);
        if (is_map)
            entries[count * width + 1] = JS_DupValue(e->ctx, record->value);
        count++;
    }
    bool ok = (hc_put_byte(is_map ? HC_MAP : HC_SET) && hc_put_number(count)) || hc_no_memory(e);
    for (uint32_t i = 0; i < count * width && ok; i++) {
        HcPath here = { path, NULL, JS_ATOM_NULL, i / width, is_map ? 'm' : 's' };
        ok = hc_encode(e, entries[i], &here);
    }
    for (uint32_t i = 0; i < count * width; i++)
        JS_FreeValue(e->ctx, entries[i]);
    free(entries);
    return ok;
}

static bool hc_encode_buffer(HcEncoder *e, JSObject *p, const HcPath *path)
{
    JSArrayBuffer *buffer = p->u.array_buffer;
    if (buffer->detached)
        return hc_refuse(e, path, "is a detached ArrayBuffer");
    if (!hc_put_byte(HC_BUFFER) || !hc_put_number(buffer->byte_length) || !hc_put_bytes(buffer->data, buffer->byte_length))
        return hc_no_memory(e);
    return true;
}

#define HC_DATAVIEW_KIND 255

static bool hc_encode_view(HcEncoder *e, JSObject *p, const HcPath *path)
{
    bool is_view = p->class_id == JS_CLASS_DATAVIEW;
    if (is_view ? p->u.typed_array->buffer->u.array_buffer->detached : typed_array_is_oob(p))
        return hc_refuse(e, path, "views a buffer that is detached or too short");
    JSTypedArray *view = p->u.typed_array;
    uint32_t length;
    if (!is_view)
        length = p->u.array.count;
    else if (view->track_rab)
        length = (uint32_t)view->buffer->u.array_buffer->byte_length - view->offset;
    else
        length = view->length;
    uint8_t kind = is_view ? HC_DATAVIEW_KIND : (uint8_t)(p->class_id - JS_CLASS_UINT8C_ARRAY);
    if (!hc_put_byte(HC_VIEW) || !hc_put_byte(kind) || !hc_put_number(view->offset) || !hc_put_number(length))
        return hc_no_memory(e);
    return hc_encode(e, JS_MKPTR(JS_TAG_OBJECT, view->buffer), path);
}

/* The property as a string; `otherwise` when reading it throws or it is something else. */
static bool hc_encode_text_property(HcEncoder *e, JSValueConst object, JSAtom key, const char *otherwise)
{
    JSValue value = JS_GetProperty(e->ctx, object, key);
    if (JS_IsException(value)) {
        if (JS_IsUncatchableError(e->ctx->rt->current_exception))
            return false;
        hc_drop_exception(e->ctx);
        value = JS_UNDEFINED;
    }
    bool ok;
    if (JS_IsString(value)) {
        ok = hc_encode_string(e, value);
    } else {
        size_t length = strlen(otherwise);
        ok = (hc_put_byte(HC_LATIN1) && hc_put_number(length) && hc_put_bytes(otherwise, length)) || hc_no_memory(e);
    }
    JS_FreeValue(e->ctx, value);
    return ok;
}

/* Of the engine's own stack only the frames: programs read it behind the message (error-stack.js), which the host has. */
static bool hc_encode_stack(HcEncoder *e, JSValueConst error)
{
    JSObject *p = JS_VALUE_GET_OBJ(error);
    JSProperty *property;
    if (p->class_id == JS_CLASS_ERROR && JS_IsString(p->u.object_data) && !find_own_property(&property, p, JS_ATOM_stack))
        return hc_encode_string(e, p->u.object_data);
    return hc_encode_text_property(e, error, JS_ATOM_stack, "");
}

static bool hc_encode_error(HcEncoder *e, JSValueConst error, const HcPath *path)
{
    JSContext *ctx = e->ctx;
    if (!hc_put_byte(HC_ERROR))
        return hc_no_memory(e);
    if (!hc_encode_text_property(e, error, JS_ATOM_name, "Error") || !hc_encode_text_property(e, error, JS_ATOM_message, "")
        || !hc_encode_stack(e, error))
        return false;
    JSValue cause = JS_UNDEFINED;
    int has_cause = JS_GetOwnProperty(ctx, NULL, error, JS_ATOM_cause);
    if (has_cause < 0)
        return false;
    if (has_cause) {
        HcPath here = { path, NULL, JS_ATOM_NULL, 0, 'c' };
        cause = JS_GetProperty(ctx, error, JS_ATOM_cause);
        bool ok = !JS_IsException(cause) && hc_encode(e, cause, &here);
        JS_FreeValue(ctx, cause);
        if (!ok)
            return false;
    } else if (!hc_put_byte(HC_END)) {
        return hc_no_memory(e);
    }
    /* `errors` of an AggregateError is not enumerable, but it is the point of one. */
    int has_errors = JS_GetOwnProperty(ctx, NULL, error, JS_ATOM_errors);
    if (has_errors < 0 || (has_errors && !hc_encode_property(e, error, JS_ATOM_errors, path)))
        return false;
    const JSAtom written[] = { JS_ATOM_name, JS_ATOM_message, JS_ATOM_stack, JS_ATOM_cause, JS_ATOM_errors };
    return hc_encode_properties(e, error, path, written, countof(written));
}

static bool hc_encode_regexp(HcEncoder *e, JSObject *p)
{
    /* From the internal slots: `source` and `flags` could be overridden on the instance. */
    JSValue pattern = JS_MKPTR(JS_TAG_STRING, p->u.regexp.pattern);
    int flags = lre_get_flags((const uint8_t *)str8(p->u.regexp.bytecode));
    char text[16];
    size_t length = 0;
    static const struct { char name; int flag; } names[] = {
        { 'd', LRE_FLAG_INDICES }, { 'g', LRE_FLAG_GLOBAL }, { 'i', LRE_FLAG_IGNORECASE }, { 'm', LRE_FLAG_MULTILINE },
        { 's', LRE_FLAG_DOTALL }, { 'u', LRE_FLAG_UNICODE }, { 'v', LRE_FLAG_UNICODE_SETS }, { 'y', LRE_FLAG_STICKY },
    };
    for (size_t i = 0; i < countof(names); i++) {
        if (flags & names[i].flag)
            text[length++] = names[i].name;
    }
    return (hc_put_byte(HC_REGEXP) || hc_no_memory(e)) && hc_encode_string(e, pattern)
        && ((hc_put_byte(HC_LATIN1) && hc_put_number(length) && hc_put_bytes(text, length)) || hc_no_memory(e));
}

static bool hc_encode_object(HcEncoder *e, JSValueConst value, const HcPath *path)
{
    JSObject *p = JS_VALUE_GET_OBJ(value);
    if (JS_IsFunction(e->ctx, value))
        return hc_refuse(e, path, "is a function");
    if (p->class_id == JS_CLASS_PROXY)
        return hc_refuse(e, path, "is a Proxy");
    if (p->class_id == JS_CLASS_PROMISE)
        return hc_refuse(e, path, "is a promise");
    if (e->depth >= HC_MAX_DEPTH)
        return hc_refuse(e, path, "is nested more than 1000 levels deep");
    if (!hc_may_nest(e->ctx, e->depth))
        return false;
    int met = hc_encode_reference(e, p);
    if (met)
        return met > 0;

    bool ok;
    e->depth++;
    switch (p->class_id) {
    case JS_CLASS_OBJECT:
    case JS_CLASS_ARGUMENTS:
    case JS_CLASS_MAPPED_ARGUMENTS:
    case JS_CLASS_MODULE_NS:
        ok = (hc_put_byte(HC_OBJECT) || hc_no_memory(e)) && hc_encode_properties(e, value, path, NULL, 0);
        break;
    case JS_CLASS_ARRAY:
        ok = hc_encode_array(e, value, path);
        break;
    case JS_CLASS_ERROR:
    case JS_CLASS_DOM_EXCEPTION:
        ok = hc_encode_error(e, value, path);
        break;
    case JS_CLASS_DATE: {
        double time = NAN;
        JS_ToFloat64(e->ctx, &time, p->u.object_data);
        ok = (hc_put_byte(HC_DATE) && hc_put_double(time)) || hc_no_memory(e);
        break;
    }
    case JS_CLASS_NUMBER:
    case JS_CLASS_STRING:
    case JS_CLASS_BOOLEAN:
    case JS_CLASS_BIG_INT:
        ok = (hc_put_byte(HC_BOXED) || hc_no_memory(e)) && hc_encode(e, p->u.object_data, path);
        break;
    case JS_CLASS_REGEXP:
        ok = hc_encode_regexp(e, p);
        break;
    case JS_CLASS_MAP:
    case JS_CLASS_SET:
        ok = hc_encode_collection(e, p, path);
        break;
    case JS_CLASS_ARRAY_BUFFER:
        ok = hc_encode_buffer(e, p, path);
        break;
    default:
        if (p->class_id >= JS_CLASS_UINT8C_ARRAY && p->class_id <= JS_CLASS_DATAVIEW) {
            ok = hc_encode_view(e, p, path);
        } else {
            char what[96];
            const char *name = JS_AtomToCString(e->ctx, e->ctx->rt->class_array[p->class_id].class_name);
            snprintf(what, sizeof what, "is a %.60s", name ? name : "special object");
            JS_FreeCString(e->ctx, name);
            ok = hc_refuse(e, path, what);
        }
    }
    e->depth--;
    return ok;
}

static bool hc_encode(HcEncoder *e, JSValueConst value, const HcPath *path)
{
    bool ok;
    switch (JS_VALUE_GET_NORM_TAG(value)) {
    case JS_TAG_UNDEFINED:
        ok = hc_put_byte(HC_UNDEFINED);
        break;
    case JS_TAG_NULL:
        ok = hc_put_byte(HC_NULL);
        break;
    case JS_TAG_BOOL:
        ok = hc_put_byte(JS_VALUE_GET_BOOL(value) ? HC_TRUE : HC_FALSE);
        break;
    case JS_TAG_INT: {
        int32_t n = JS_VALUE_GET_INT(value);
        ok = hc_put_byte(HC_INTEGER) && hc_put_number(((uint32_t)n << 1) ^ (uint32_t)(n >> 31));
        break;
    }
    case JS_TAG_FLOAT64:
        ok = hc_put_byte(HC_DOUBLE) && hc_put_double(JS_VALUE_GET_FLOAT64(value));
        break;
    case JS_TAG_SHORT_BIG_INT:
    case JS_TAG_BIG_INT:
        return hc_encode_bigint(e, value);
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE:
        return hc_encode_string(e, value);
    case JS_TAG_SYMBOL:
        return hc_refuse(e, path, "is a symbol");
    case JS_TAG_OBJECT:
        return hc_encode_object(e, value, path);
    default:
        return hc_refuse(e, path, "is not a JavaScript value");
    }
    return ok || hc_no_memory(e);
}

/* Appends `value` to the out buffer. On failure the buffer is as before, and either *refusal is a string that says why
   (to be freed) or an exception is pending. */
static bool hc_encode_value(JSContext *ctx, JSValueConst value, const char *root, JSValue *refusal)
{
    HcEncoder e = { .ctx = ctx, .refusal = JS_UNDEFINED };
    HcPath path = { NULL, root, JS_ATOM_NULL, 0, 0 };
    size_t start = hc_out.length;
    bool ok = hc_encode(&e, value, &path);
    *refusal = JS_UNDEFINED;
    if (!ok) {
        hc_out.length = start;
        *refusal = e.refusal;
        e.refusal = JS_UNDEFINED;
    }
    hc_encoder_free(&e);
    return ok;
}
