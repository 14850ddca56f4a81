/* Every way for a text to become code inside the cell goes through here: eval, the function constructors, the
 * compartments of SES (which use both), and modules. */

/* Kinds of `host_admit`. */
enum {
    HC_SOURCE_DIRECT_EVAL = 0,
    HC_SOURCE_INDIRECT_EVAL = 1,
    HC_SOURCE_FUNCTION = 2, /* plus the engine's function kind: generator 1, async 2, both 3 */
};

/* Set while a function constructor compiles the text it has put together. */
static bool hc_in_function_constructor;

/* Set while it does so for a script of the image: a compartment of SES makes its evaluator in this way. What it makes is no
   code of the program's, and no frame of it belongs into a stack. */
static bool hc_makes_internal;

/* Asks the host whether the message at `start` of the out buffer may run; throws its SyntaxError if not. */
static bool hc_admit(JSContext *ctx, int32_t kind, size_t start)
{
    int32_t length = host_admit(kind, hc_out.data + start, hc_out.length - start);
    hc_out.length = start;
    if (length == 0)
        return true;
    HcReply reply;
    if (!hc_receive(ctx, length, &reply))
        return false;
    JSValue error = hc_decode_value(ctx, &reply.in, false);
    hc_release(&reply);
    if (!JS_IsException(error))
        JS_Throw(ctx, error);
    return false;
}

/* `text` is "(function anonymous(…\n) {\n…\n})" and must be one function from the first parenthesis to the last.
   A body such as "}, attack(), {" would make it something else that runs at once. */
static JSValue hc_evaluate_one_function(JSContext *ctx, JSValueConst this_obj, const char *text, size_t length,
                                        const char *filename, int line, int flags)
{
    JSValue script = __JS_EvalInternal(ctx, this_obj, text, length, filename, line, flags | JS_EVAL_FLAG_COMPILE_ONLY, -1);
    if (JS_IsException(script))
        return script;
    JSFunctionBytecode *outer = JS_VALUE_GET_PTR(script);
    bool one = JS_VALUE_GET_TAG(script) == JS_TAG_FUNCTION_BYTECODE && outer->cpool_count == 1
        && JS_VALUE_GET_TAG(outer->cpool[0]) == JS_TAG_FUNCTION_BYTECODE
        && ((JSFunctionBytecode *)JS_VALUE_GET_PTR(outer->cpool[0]))->source_len == (int)length - 2;
    if (!one) {
        JS_FreeValue(ctx, script);
        return JS_ThrowSyntaxError(ctx, "the parameters and the body of a function must each be complete");
    }
    return JS_EvalFunctionInternal(ctx, script, this_obj, NULL, NULL);
}

static JSValue hc_eval_internal(JSContext *ctx, JSValueConst this_obj, const char *text, size_t length, const char *filename,
                                int line, int flags, int scope)
{
    int type = flags & JS_EVAL_TYPE_MASK;
    if (hc_in_function_constructor) {
        hc_in_function_constructor = false;
        return hc_evaluate_one_function(ctx, this_obj, text, length, filename, line, flags);
    }
    if (type == JS_EVAL_TYPE_DIRECT || type == JS_EVAL_TYPE_INDIRECT) {
        size_t start = hc_out.length;
        if (!hc_put_byte(HC_UTF8) || !hc_put_number(length) || !hc_put_bytes(text, length))
            return JS_ThrowOutOfMemory(ctx);
        int32_t kind = type == JS_EVAL_TYPE_DIRECT ? HC_SOURCE_DIRECT_EVAL : HC_SOURCE_INDIRECT_EVAL;
        if (!hc_admit(ctx, kind, start))
            return JS_EXCEPTION;
    }
    return __JS_EvalInternal(ctx, this_obj, text, length, filename, line, flags, scope);
}

/* Function, GeneratorFunction, AsyncFunction, AsyncGeneratorFunction: parameters and body are shown to the host apart. */
static JSValue hc_function_constructor(JSContext *ctx, JSValueConst new_target, int argc, JSValueConst *argv, int kind)
{
    if (unlikely(hc_booting))
        return js_function_constructor(ctx, new_target, argc, argv, kind);
    JSValue *texts = malloc((argc + 1) * sizeof *texts);
    if (!texts)
        return JS_ThrowOutOfMemory(ctx);
    JSValue function = JS_EXCEPTION;
    int converted = 0;
    size_t start = hc_out.length;
    /* Converted once, so that the texts that are checked are the texts that are compiled. */
    for (; converted < argc; converted++) {
        texts[converted] = JS_ToString(ctx, argv[converted]);
        if (JS_IsException(texts[converted]))
            goto done;
    }
    if (!hc_encode_arguments(ctx, argc, vc(texts)) || !hc_admit(ctx, HC_SOURCE_FUNCTION + kind, start))
        goto done;
    /* The innermost frame is this constructor's own. */
    JSStackFrame *caller = ctx->rt->current_stack_frame->prev_frame;
    hc_in_function_constructor = true;
    hc_makes_internal = caller && hc_is_internal(caller);
    function = js_function_constructor(ctx, new_target, argc, vc(texts), kind);
    hc_makes_internal = false;
    hc_in_function_constructor = false;
done:
    for (int i = 0; i < converted; i++)
        JS_FreeValue(ctx, texts[i]);
    free(texts);
    return function;
}

/* Specifiers are names the host knows, not paths: `./x` inside a module means the name "./x". */
static char *hc_normalize_module(JSContext *ctx, const char *base, const char *name, void *opaque)
{
    (void)base; (void)opaque;
    return js_strdup(ctx, name);
}

/* What the host's module of this name exports: a frozen object. */
static JSValue hc_module_exports(JSContext *ctx, JSAtom name)
{
    JSValue exports = JS_GetProperty(ctx, hc.modules, name);
    if (JS_IsObject(exports))
        return exports;
    JS_FreeValue(ctx, exports);
    return JS_ThrowTypeError(ctx, "the host's module is not there: the cell was restored without it");
}

/* Calls `use` for each name that the module exports; `default` is the whole object unless it has one of that name. */
static int hc_for_exports(JSContext *ctx, JSModuleDef *module,
                          int (*use)(JSContext *ctx, JSModuleDef *module, const char *name, JSValue value))
{
    JSValue exports = hc_module_exports(ctx, module->module_name);
    if (JS_IsException(exports))
        return -1;
    JSPropertyEnum *names;
    uint32_t count;
    int done = JS_GetOwnPropertyNames(ctx, &names, &count, exports, JS_GPN_STRING_MASK);
    bool has_default = false;
    if (done >= 0) {
        for (uint32_t i = 0; i < count && done >= 0; i++) {
            has_default |= names[i].atom == JS_ATOM_default;
            const char *name = JS_AtomToCString(ctx, names[i].atom);
            JSValue value = name ? JS_GetProperty(ctx, exports, names[i].atom) : JS_EXCEPTION;
            done = JS_IsException(value) ? -1 : use(ctx, module, name, value);
            JS_FreeCString(ctx, name);
        }
        JS_FreePropertyEnum(ctx, names, count);
    }
    if (done >= 0 && !has_default)
        done = use(ctx, module, "default", JS_DupValue(ctx, exports));
    JS_FreeValue(ctx, exports);
    return done;
}

static int hc_add_export(JSContext *ctx, JSModuleDef *module, const char *name, JSValue value)
{
    JS_FreeValue(ctx, value);
    return JS_AddModuleExport(ctx, module, name);
}

static int hc_fill_module(JSContext *ctx, JSModuleDef *module)
{
    return hc_for_exports(ctx, module, JS_SetModuleExport);
}

static JSModuleDef *hc_host_module(JSContext *ctx, const char *name)
{
    JSModuleDef *module = JS_NewCModule(ctx, name, hc_fill_module);
    if (module && hc_for_exports(ctx, module, hc_add_export) < 0) {
        /* Or else the next import would find it. */
        js_free_module_def(ctx, module);
        return NULL;
    }
    return module;
}

/* The host answers with the source of the module, or with null if it is one of those that it defined. */
static JSModuleDef *hc_load_module(JSContext *ctx, const char *name, void *opaque)
{
    (void)opaque;
    HcReply reply;
    bool is_error;
    if (!hc_receive(ctx, host_module(name, strlen(name)), &reply))
        return NULL;
    JSValue source = hc_read_answer(ctx, &reply.in, &is_error);
    hc_release(&reply);
    if (is_error) {
        JS_Throw(ctx, source);
        return NULL;
    }
    if (JS_IsNull(source))
        return hc_host_module(ctx, name);
    size_t length;
    const char *text = JS_IsException(source) ? NULL : JS_ToCStringLen(ctx, &length, source);
    JS_FreeValue(ctx, source);
    if (!text)
        return NULL;
    JSValue module = JS_Eval(ctx, text, length, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    JS_FreeCString(ctx, text);
    if (JS_IsException(module))
        return NULL;
    JSModuleDef *definition = JS_VALUE_GET_PTR(module);
    /* The context holds the module; this was one more reference. */
    JS_FreeValue(ctx, module);
    return definition;
}

static bool hc_install_function_gate(JSContext *ctx, JSValueConst function_prototype)
{
    JSValue constructor = JS_GetProperty(ctx, function_prototype, JS_ATOM_constructor);
    bool ok = JS_IsObject(constructor) && JS_VALUE_GET_OBJ(constructor)->class_id == JS_CLASS_C_FUNCTION;
    if (ok)
        JS_VALUE_GET_OBJ(constructor)->u.cfunc.c_function.generic_magic = hc_function_constructor;
    JS_FreeValue(ctx, constructor);
    return ok;
}

/* Before lockdown(), which replaces the constructors on the prototypes by ones that throw but keeps these for itself. */
static bool hc_install_source_gates(JSContext *ctx)
{
    return hc_install_function_gate(ctx, ctx->function_proto)
        && hc_install_function_gate(ctx, ctx->class_proto[JS_CLASS_GENERATOR_FUNCTION])
        && hc_install_function_gate(ctx, ctx->class_proto[JS_CLASS_ASYNC_FUNCTION])
        && hc_install_function_gate(ctx, ctx->class_proto[JS_CLASS_ASYNC_GENERATOR_FUNCTION]);
}
