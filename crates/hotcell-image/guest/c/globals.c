/* The global names: variables and tools from the host, declarations from programs.
 *
 * Programs are global scripts, and a later one may declare a name again, as at a prompt. The engine forbids that
 * (redeclaration is an early error), so the old binding goes before the new program starts. What the host put there as
 * a tool stays: those properties are not configurable and no program declared them. */

static bool hc_is_declared(JSContext *ctx, JSAtom name)
{
    JSProperty *property;
    return find_own_property(&property, JS_VALUE_GET_OBJ(hc.declared), name) != NULL;
}

static bool hc_remove_property(JSContext *ctx, JSValueConst object, JSAtom name)
{
    JSObject *p = JS_VALUE_GET_OBJ(object);
    JSProperty *property;
    JSShapeProperty *shape = find_own_property(&property, p, name);
    if (!shape)
        return true;
    if (!(shape->flags & JS_PROP_CONFIGURABLE) && js_update_property_flags(ctx, p, &shape, shape->flags | JS_PROP_CONFIGURABLE))
        return false;
    return delete_property(ctx, p, name) >= 0;
}

/* Removes the global `name`, whatever made it. */
static bool hc_remove_global(JSContext *ctx, JSAtom name)
{
    return hc_remove_property(ctx, ctx->global_var_obj, name) && hc_remove_property(ctx, ctx->global_obj, name)
        && hc_remove_property(ctx, hc.declared, name) && hc_remove_property(ctx, hc.namespaces, name);
}

/* The names that `program` declares are the operands of the `check_define_var` instructions it starts with. */
static bool hc_make_way_for(JSContext *ctx, JSValueConst program)
{
    JSFunctionBytecode *code = JS_VALUE_GET_PTR(program);
    const uint8_t *at = code->byte_code_buf;
    const uint8_t *end = at + code->byte_code_len;
    for (; end - at >= 6 && *at == OP_check_define_var; at += 6) {
        JSAtom name = get_u32(at + 1);
        bool lexical = at[5] & DEFINE_GLOBAL_LEX_VAR;
        if (!hc_remove_property(ctx, ctx->global_var_obj, name))
            return false;
        if (lexical && hc_is_declared(ctx, name)
            && !(hc_remove_property(ctx, ctx->global_obj, name) && hc_remove_property(ctx, hc.declared, name)))
            return false;
        /* A name that is a tool's is left to the engine, which refuses it. */
        JSProperty *property;
        JSShapeProperty *existing = find_own_property(&property, JS_VALUE_GET_OBJ(ctx->global_obj), name);
        if (!lexical && (!existing || (existing->flags & JS_PROP_CONFIGURABLE))
            && JS_DefinePropertyValue(ctx, hc.declared, name, JS_TRUE, JS_PROP_C_W_E) < 0)
            return false;
    }
    return true;
}

/* A declaration whose initialiser never ran would be in its dead zone for ever. */
static void hc_sweep_uninitialized(JSContext *ctx)
{
    JSObject *p = JS_VALUE_GET_OBJ(ctx->global_var_obj);
    for (int i = 0; i < p->shape->prop_count; i++) {
        JSShapeProperty *shape = get_shape_prop(p->shape) + i;
        if (shape->atom != JS_ATOM_NULL && JS_IsUninitialized(p->prop[i].u.value)) {
            JSAtom name = JS_DupAtom(ctx, shape->atom);
            if (!hc_remove_property(ctx, ctx->global_var_obj, name))
                hc_drop_exception(ctx);
            JS_FreeAtom(ctx, name);
            i = -1; /* deleting moves properties */
        }
    }
}

static bool hc_malformed_definition(JSContext *ctx)
{
    JS_ThrowInternalError(ctx, "malformed definitions from the host");
    return false;
}

/* A text as an atom. */
static JSAtom hc_get_name(JSContext *ctx, HcIn *in)
{
    JSValue name = hc_decode_value(ctx, in, true);
    if (JS_IsException(name))
        return JS_ATOM_NULL;
    JSAtom atom = JS_ValueToAtom(ctx, name);
    JS_FreeValue(ctx, name);
    return atom;
}

/* count, then (name, value)… */
static bool hc_define_variables(JSContext *ctx, HcIn *in)
{
    uint32_t count;
    if (!hc_get_count(in, &count))
        return hc_malformed_definition(ctx);
    for (uint32_t i = 0; i < count; i++) {
        JSAtom name = hc_get_name(ctx, in);
        if (name == JS_ATOM_NULL)
            return false;
        JSValue value = hc_decode_value(ctx, in, true);
        bool ok = !JS_IsException(value) && hc_remove_global(ctx, name);
        if (ok)
            ok = JS_DefinePropertyValue(ctx, ctx->global_obj, name, value, JS_PROP_C_W_E) >= 0;
        else
            JS_FreeValue(ctx, value);
        JS_FreeAtom(ctx, name);
        if (!ok)
            return false;
    }
    return true;
}

/* Whether it is a namespace that was made for the definitions that are being read: no code has seen it yet. */
static bool hc_is_new_namespace(JSValueConst value)
{
    if (JS_VALUE_GET_TAG(value) != JS_TAG_OBJECT)
        return false;
    const JSObject *object = JS_VALUE_GET_OBJ(value);
    return object->class_id == JS_CLASS_OBJECT && object->extensible;
}

/* What is under `old`, a namespace or undefined, with `tool` at `path` below it. Namespaces that code has stored stay as they
   are: the result is a new object, or one that is new already, so that many tools cost no more than so many. Takes `tool`. */
static JSValue hc_extend_namespace(JSContext *ctx, JSValueConst old, const char *path, JSValue tool)
{
    bool is_new = hc_is_new_namespace(old);
    JSValue result = is_new ? JS_DupValue(ctx, old) : JS_NewObject(ctx);
    bool ok = !JS_IsException(result);
    if (ok && !is_new && JS_IsObject(old) && !JS_IsFunction(ctx, old))
        ok = JS_CopyDataProperties(ctx, result, old, JS_UNDEFINED, false) >= 0;
    const char *dot = strchr(path, '.');
    JSAtom name = ok ? JS_NewAtomLen(ctx, path, dot ? (size_t)(dot - path) : strlen(path)) : JS_ATOM_NULL;
    ok = ok && name != JS_ATOM_NULL;
    if (ok && dot) {
        JSValue inner = JS_GetProperty(ctx, result, name);
        tool = hc_extend_namespace(ctx, inner, dot + 1, tool);
        JS_FreeValue(ctx, inner);
        ok = !JS_IsException(tool);
    }
    if (ok)
        ok = JS_DefinePropertyValue(ctx, result, name, tool, JS_PROP_C_W_E) >= 0;
    else
        JS_FreeValue(ctx, tool);
    JS_FreeAtom(ctx, name);
    if (ok)
        return result;
    JS_FreeValue(ctx, result);
    return JS_EXCEPTION;
}

/* Freezes a namespace, and those in it, if it is new. */
static bool hc_freeze_namespace(JSContext *ctx, JSValueConst value)
{
    if (!hc_is_new_namespace(value))
        return true;
    const JSObject *object = JS_VALUE_GET_OBJ(value);
    for (int i = 0; i < object->shape->prop_count; i++) {
        if (get_shape_prop(object->shape)[i].atom != JS_ATOM_NULL && !hc_freeze_namespace(ctx, object->prop[i].u.value))
            return false;
    }
    return JS_FreezeObject(ctx, value) >= 0;
}

/* Before any code sees them. */
static bool hc_freeze_new_namespaces(JSContext *ctx)
{
    const JSObject *all = JS_VALUE_GET_OBJ(hc.namespaces);
    bool ok = true;
    for (int i = 0; i < all->shape->prop_count; i++) {
        if (get_shape_prop(all->shape)[i].atom != JS_ATOM_NULL)
            ok = hc_freeze_namespace(ctx, all->prop[i].u.value) && ok;
    }
    return ok;
}

/* Makes `value` the global `name`, which the program cannot change. Takes `value`. */
static bool hc_define_fixed(JSContext *ctx, JSAtom name, JSValue value)
{
    if (hc_remove_global(ctx, name))
        return JS_DefinePropertyValue(ctx, ctx->global_obj, name, value, JS_PROP_ENUMERABLE) >= 0;
    JS_FreeValue(ctx, value);
    return false;
}

/* `Host.readDoc`: a tool in a namespace, which is made if it is not there. Takes `tool`. */
static bool hc_define_in_namespace(JSContext *ctx, const char *path, JSValue tool)
{
    const char *dot = strchr(path, '.');
    JSAtom name = JS_NewAtomLen(ctx, path, (size_t)(dot - path));
    if (name == JS_ATOM_NULL) {
        JS_FreeValue(ctx, tool);
        return false;
    }
    JSValue old = JS_GetProperty(ctx, hc.namespaces, name);
    JSValue namespace = hc_extend_namespace(ctx, old, dot + 1, tool);
    bool is_there = JS_VALUE_GET_TAG(namespace) == JS_TAG_OBJECT && JS_VALUE_GET_TAG(old) == JS_TAG_OBJECT
        && JS_VALUE_GET_OBJ(namespace) == JS_VALUE_GET_OBJ(old);
    JS_FreeValue(ctx, old);
    if (is_there) {
        JS_FreeValue(ctx, namespace);
        JS_FreeAtom(ctx, name);
        return true;
    }
    bool ok = !JS_IsException(namespace) && hc_define_fixed(ctx, name, JS_DupValue(ctx, namespace));
    if (ok)
        ok = JS_DefinePropertyValue(ctx, hc.namespaces, name, namespace, JS_PROP_C_W_E) >= 0;
    else
        JS_FreeValue(ctx, namespace);
    JS_FreeAtom(ctx, name);
    return ok;
}

/* kind, number and name of a tool: the function, its name for the caller to free, and whether programs may shadow it. */
static JSValue hc_read_tool(JSContext *ctx, HcIn *in, JSAtom *name, bool *shadowable)
{
    uint8_t kind;
    uint64_t number;
    *name = JS_ATOM_NULL;
    if (!hc_get_byte(in, &kind) || !hc_get_number(in, &number) || number > INT16_MAX) {
        hc_malformed_definition(ctx);
        return JS_EXCEPTION;
    }
    *shadowable = kind & HC_TOOL_SHADOWABLE;
    *name = hc_get_name(ctx, in);
    const char *text = *name == JS_ATOM_NULL ? NULL : JS_AtomToCString(ctx, *name);
    if (!text)
        return JS_EXCEPTION;
    /* Within a namespace or a module it has a short name. */
    const char *hash = strrchr(text, '#');
    const char *dot = hash ? hash : strrchr(text, '.');
    JSValue tool = hc_new_tool(ctx, dot ? dot + 1 : text, kind & ~HC_TOOL_SHADOWABLE, (int)number);
    JS_FreeCString(ctx, text);
    return tool;
}

/* Whether a program has declared this name: a tool that it may shadow then leaves it alone. */
static bool hc_is_taken(JSContext *ctx, JSAtom name)
{
    JSProperty *property;
    return hc_is_declared(ctx, name) || find_own_property(&property, JS_VALUE_GET_OBJ(ctx->global_var_obj), name) != NULL;
}

static bool hc_define_each_tool(JSContext *ctx, HcIn *in)
{
    uint32_t count;
    if (!hc_get_count(in, &count))
        return hc_malformed_definition(ctx);
    for (uint32_t i = 0; i < count; i++) {
        JSAtom name;
        bool shadowable;
        JSValue tool = hc_read_tool(ctx, in, &name, &shadowable);
        const char *text = JS_IsException(tool) ? NULL : JS_AtomToCString(ctx, name);
        bool ok = text != NULL;
        if (!ok)
            JS_FreeValue(ctx, tool);
        else if (strchr(text, '.'))
            ok = hc_define_in_namespace(ctx, text, tool);
        else if (!shadowable)
            ok = hc_define_fixed(ctx, name, tool);
        else if (!hc_is_taken(ctx, name) && (ok = hc_remove_global(ctx, name)))
            ok = JS_DefinePropertyValue(ctx, ctx->global_obj, name, tool, JS_PROP_C_W_E) >= 0;
        else
            JS_FreeValue(ctx, tool);
        JS_FreeCString(ctx, text);
        JS_FreeAtom(ctx, name);
        if (!ok)
            return false;
    }
    return true;
}

/* count, then (kind, number, name)…; a dot in a name stands between a namespace and what is in it. */
static bool hc_define_tools(JSContext *ctx, HcIn *in)
{
    bool ok = hc_define_each_tool(ctx, in);
    /* Also what a definition that failed has left. */
    return hc_freeze_new_namespaces(ctx) && ok;
}

/* What a module of the host's exports: count, then (name, 0, value) or (name, 1, tool)… */
static bool hc_define_exports(JSContext *ctx, HcIn *in, JSValueConst exports)
{
    uint32_t count;
    if (!hc_get_count(in, &count))
        return hc_malformed_definition(ctx);
    for (uint32_t i = 0; i < count; i++) {
        JSAtom name = hc_get_name(ctx, in);
        if (name == JS_ATOM_NULL)
            return false;
        uint8_t is_tool;
        JSValue value = JS_EXCEPTION;
        if (!hc_get_byte(in, &is_tool)) {
            hc_malformed_definition(ctx);
        } else if (is_tool) {
            JSAtom path;
            bool shadowable;
            value = hc_read_tool(ctx, in, &path, &shadowable);
            JS_FreeAtom(ctx, path);
        } else {
            value = hc_decode_value(ctx, in, true);
        }
        bool ok = !JS_IsException(value) && JS_DefinePropertyValue(ctx, exports, name, value, JS_PROP_C_W_E) >= 0;
        JS_FreeAtom(ctx, name);
        if (!ok)
            return false;
    }
    return JS_FreezeObject(ctx, exports) >= 0;
}

/* count, then (name, exports)…: see hc_load_module. */
static bool hc_define_modules(JSContext *ctx, HcIn *in)
{
    uint32_t count;
    if (!hc_get_count(in, &count))
        return hc_malformed_definition(ctx);
    for (uint32_t i = 0; i < count; i++) {
        JSAtom name = hc_get_name(ctx, in);
        if (name == JS_ATOM_NULL)
            return false;
        JSValue exports = JS_NewObjectProto(ctx, JS_NULL);
        bool ok = !JS_IsException(exports) && hc_define_exports(ctx, in, exports);
        if (ok)
            ok = JS_DefinePropertyValue(ctx, hc.modules, name, exports, JS_PROP_C_W_E) >= 0;
        else
            JS_FreeValue(ctx, exports);
        JS_FreeAtom(ctx, name);
        if (!ok)
            return false;
    }
    return true;
}
