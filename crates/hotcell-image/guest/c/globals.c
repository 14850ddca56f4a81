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
        && hc_remove_property(ctx, hc.declared, name);
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

/* count, then (kind, number, name)… */
static bool hc_define_tools(JSContext *ctx, HcIn *in)
{
    uint32_t count;
    if (!hc_get_count(in, &count))
        return hc_malformed_definition(ctx);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t kind;
        uint64_t number;
        if (!hc_get_byte(in, &kind) || !hc_get_number(in, &number) || number > INT16_MAX)
            return hc_malformed_definition(ctx);
        JSAtom name = hc_get_name(ctx, in);
        const char *text = name == JS_ATOM_NULL ? NULL : JS_AtomToCString(ctx, name);
        JSValue tool = text ? hc_new_tool(ctx, text, kind, (int)number) : JS_EXCEPTION;
        JS_FreeCString(ctx, text);
        bool ok = !JS_IsException(tool) && JS_FreezeObject(ctx, tool) >= 0 && hc_remove_global(ctx, name);
        if (ok)
            ok = JS_DefinePropertyValue(ctx, ctx->global_obj, name, tool, JS_PROP_ENUMERABLE) >= 0;
        else
            JS_FreeValue(ctx, tool);
        JS_FreeAtom(ctx, name);
        if (!ok)
            return false;
    }
    return true;
}
