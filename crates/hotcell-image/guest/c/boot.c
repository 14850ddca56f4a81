/* Making the image: runs once, when the image is built, never in a cell. */

static void *hc_calloc(void *opaque, size_t count, size_t size)
{
    (void)opaque;
    return calloc(count, size);
}

static void *hc_malloc(void *opaque, size_t size)
{
    (void)opaque;
    return malloc(size);
}

static void hc_free(void *opaque, void *memory)
{
    (void)opaque;
    free(memory);
}

static void *hc_realloc(void *opaque, void *memory, size_t size)
{
    (void)opaque;
    return realloc(memory, size);
}

static size_t hc_usable_size(const void *memory)
{
    return malloc_usable_size((void *)memory);
}

/* The texts of SES and of our library are half of the image and of no use in a cell: their functions print as native. */
static void hc_drop_sources(JSRuntime *rt)
{
    struct list_head *el;
    list_for_each(el, &rt->gc_obj_list) {
        JSGCObjectHeader *header = list_entry(el, JSGCObjectHeader, link);
        if (JS_GC_TYPE(header) != JS_GC_OBJ_TYPE_FUNCTION_BYTECODE)
            continue;
        JSFunctionBytecode *code = (JSFunctionBytecode *)header;
        js_free_rt(rt, code->source);
        code->source = NULL;
        code->source_len = 0;
    }
}

/* SES lets programs shadow some of what it froze (overrideTaming) by making accessors of them: `push` of arrays, their
   iterator, names of errors… The engine lets them shadow everything (see "shadow" in repairs.rs), so these become again
   what they were, only frozen: no getter runs at every `push`. */
static void hc_undo_override_taming(JSContext *ctx)
{
    JSAtom mark = JS_NewAtom(ctx, "originalValue");
    struct list_head *el;
    list_for_each(el, &ctx->rt->gc_obj_list) {
        JSGCObjectHeader *header = list_entry(el, JSGCObjectHeader, link);
        JSObject *p = (JSObject *)header;
        if (JS_GC_TYPE(header) != JS_GC_OBJ_TYPE_JS_OBJECT || p->extensible)
            continue;
        for (int i = 0; i < p->shape->prop_count; i++) {
            JSShapeProperty *shape = get_shape_prop(p->shape) + i;
            JSObject *getter = (shape->flags & JS_PROP_TMASK) == JS_PROP_GETSET ? p->prop[i].u.getset.getter : NULL;
            JSProperty *original;
            if (!getter || !find_own_property(&original, getter, mark))
                continue;
            JSValue value = js_dup(original->u.value);
            if (js_update_property_flags(ctx, p, &shape, shape->flags & JS_PROP_ENUMERABLE))
                __builtin_trap();
            free_property(ctx->rt, &p->prop[i], JS_PROP_GETSET);
            p->prop[i].u.value = value;
        }
    }
    JS_FreeAtom(ctx, mark);
}

/* Objects of the image live as long as the cell, so the cycle collector need not look at them: taken off its list they
   count as roots. A collection then costs what the program made, not what SES is made of, and it does not write its
   marks into pages that the cell would otherwise share with every other. What is frozen among them is lockdown's doing:
   it can never be changed, but an assignment may shadow it. */
static void hc_make_image_permanent(JSRuntime *rt)
{
    JS_RunGC(rt);
    struct list_head *el;
    list_for_each(el, &rt->gc_obj_list) {
        JSGCObjectHeader *header = list_entry(el, JSGCObjectHeader, link);
        if (JS_GC_TYPE(header) == JS_GC_OBJ_TYPE_JS_OBJECT)
            ((JSObject *)header)->hc_locked = !((JSObject *)header)->extensible;
    }
    hc.permanent = rt->gc_obj_list;
    hc.permanent.next->prev = &hc.permanent;
    hc.permanent.prev->next = &hc.permanent;
    init_list_head(&rt->gc_obj_list);
    /* The first collection comes after this much allocation. */
    rt->malloc_gc_threshold = rt->malloc_state.malloc_size + (4 << 20);
}

static JSValue hc_global(JSContext *ctx, const char *name)
{
    JSValue value = JS_GetPropertyStr(ctx, ctx->global_obj, name);
    if (JS_IsException(value) || JS_IsUndefined(value))
        __builtin_trap();
    return value;
}

/* Says why the image cannot be built and gives up. */
static _Noreturn void hc_boot_failed(JSContext *ctx)
{
    JSValue error = JS_GetException(ctx);
    JSValue stack = JS_IsObject(error) ? JS_GetProperty(ctx, error, JS_ATOM_stack) : JS_UNDEFINED;
    const char *text = JS_ToCString(ctx, error);
    const char *where = JS_ToCString(ctx, stack);
    if (text)
        host_emit(HC_EMIT_EXCEPTION, text, strlen(text));
    if (where)
        host_emit(HC_EMIT_EXCEPTION, where, strlen(where));
    __builtin_trap();
}

/* Scripts number 0, 1, 2… from the builder, until there is none. */
static void hc_run_boot_scripts(JSContext *ctx)
{
    for (uint8_t number = 0;; number++) {
        HcReply reply;
        size_t name_length, length;
        int32_t size = host_module(&number, 1);
        if (size == 0)
            return;
        if (!hc_receive(ctx, size, &reply))
            hc_boot_failed(ctx);
        char *name = hc_get_text(&reply.in, &name_length);
        char *source = hc_get_text(&reply.in, &length);
        hc_release(&reply);
        if (!name || !source)
            __builtin_trap();
        JSValue value = JS_Eval(ctx, source, length, name, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_STRICT);
        free(source);
        free(name);
        if (JS_IsException(value))
            hc_boot_failed(ctx);
        JS_FreeValue(ctx, value);
        JSContext *job_context;
        while (JS_ExecutePendingJob(ctx->rt, &job_context) > 0) {
        }
    }
}

/* The stack that the linker gave us, less a reserve for the C code that runs between two checks. */
#define HC_STACK_RESERVE (64 * 1024)

HC_EXPORT("boot") void hc_boot(void)
{
    static const JSMallocFunctions memory = { hc_calloc, hc_malloc, hc_free, hc_realloc, hc_usable_size };
    JSRuntime *rt = JS_NewRuntime2(&memory, NULL);
    JSContext *ctx = rt ? JS_NewContext(rt) : NULL;
    if (!ctx)
        __builtin_trap();
    hc.rt = rt;
    hc.ctx = ctx;
    hc.run = JS_UNDEFINED;
    JS_SetMaxStackSize(rt, HC_STACK_SIZE - HC_STACK_RESERVE);
    JS_SetGCThreshold(rt, SIZE_MAX);

    if (JS_AddIntrinsicDOMException(ctx) || !hc_install_policy(ctx) || !hc_install_source_gates(ctx))
        __builtin_trap();
    hc.declared = JS_NewObjectProto(ctx, JS_NULL);
    hc.namespaces = JS_NewObjectProto(ctx, JS_NULL);
    hc.modules = JS_NewObjectProto(ctx, JS_NULL);
    hc_intrinsics.Map = hc_global(ctx, "Map");
    hc_intrinsics.Set = hc_global(ctx, "Set");
    hc_intrinsics.RegExp = hc_global(ctx, "RegExp");
    hc_intrinsics.DataView = hc_global(ctx, "DataView");
    hc_intrinsics.DOMException = hc_global(ctx, "DOMException");
    JSValue weak_map = hc_global(ctx, "WeakMap");
    hc.tool_errors = JS_CallConstructor(ctx, weak_map, 0, NULL);
    JS_FreeValue(ctx, weak_map);

    JSValue native = JS_NewObjectProto(ctx, JS_NULL);
    JS_SetPropertyFunctionList(ctx, native, hc_natives, countof(hc_natives));
    JS_SetPropertyStr(ctx, ctx->global_obj, "hotcellNative", native);
    hc_run_boot_scripts(ctx);
    if (!JS_IsFunction(ctx, hc.inspect) || !JS_IsFunction(ctx, hc.await_result) || !JS_IsFunction(ctx, hc.make_pages)
        || !JS_IsFunction(ctx, hc.make_json))
        __builtin_trap();

    ctx->eval_internal = hc_eval_internal;
    JS_SetInterruptHandler(rt, hc_on_interrupt_poll, NULL);
    hc_poll_countdown = &ctx->interrupt_counter;
    JS_SetHostPromiseRejectionTracker(rt, hc_on_rejection, NULL);
    JS_SetModuleLoaderFunc(rt, hc_normalize_module, hc_load_module, NULL);
    hc_policy.counts_loops = 1;
    hc_drop_sources(rt);
    hc_booting = false;
    hc_undo_override_taming(ctx);
    hc_make_image_permanent(rt);
    free(hc_out.data);
    memset(&hc_out, 0, sizeof hc_out);
    hc_heap_seal();
    /* Here, so that no cell has to grow its memory for it and write to a page of its own. */
    hc_renew_reserve();
}
