/* Names in error messages: "data.rows is not iterable", "o.f is not a function". The engine says only what went wrong, and
 * code that catches an error and prints its message would tell nobody where.
 *
 * Values on the stack have no names, but the instructions that put them there do. So when an instruction fails for one
 * of its operands, the code of the function is read from its start up to there: the last instruction that wrote the
 * operand's place on the stack tells what it is. Costs nothing until something fails. */

enum {
    /* Longer functions are not read: failing in a loop must not cost much more than the loop. */
    HC_BLAME_MAX_CODE = 32 * 1024,
    HC_BLAME_MAX_TEXT = 96,
    HC_BLAME_MAX_PARTS = 8,
};

typedef struct {
    JSContext *ctx;
    JSFunctionBytecode *code;
    /* How many values are on the stack before the instruction at each position; 0xffff where none is reached. */
    uint16_t *levels;
    /* The instruction that failed. */
    int at;
    int parts;
    char text[HC_BLAME_MAX_TEXT];
    size_t length;
} HcBlame;

static const char hc_unnamed[] = "(intermediate value)";

static int hc_blame_pops(const uint8_t *at)
{
    const JSOpCode *info = &short_opcode_info(*at);
    if (info->fmt == OP_FMT_npop || info->fmt == OP_FMT_npop_u16)
        return info->n_pop + get_u16(at + 1);
    if (info->fmt == OP_FMT_npopx)
        return info->n_pop + (*at - OP_call0);
    return info->n_pop;
}

/* Where the instruction at `pos` may jump to, or -1. */
static int hc_blame_target(const uint8_t *code, int pos)
{
    switch (short_opcode_info(code[pos]).fmt) {
    case OP_FMT_label:
        return pos + 1 + (int)get_u32(code + pos + 1);
    case OP_FMT_label16:
        return pos + 1 + (int16_t)get_u16(code + pos + 1);
    case OP_FMT_label8:
        return pos + 1 + (int8_t)code[pos + 1];
    default:
        return -1;
    }
}

/* The instruction that wrote place `slot` of the stack, last before `end`; or -1, also if another may have, because a jump
   leads past it: as in (a || b)(), and in patterns, whose code comes before that of what they take apart. */
static int hc_blame_writer(const HcBlame *blame, int slot, int end)
{
    const uint8_t *code = blame->code->byte_code_buf;
    int writer = -1;
    for (int pos = 0; pos < end; pos += short_opcode_info(code[pos]).size) {
        if (blame->levels[pos] == 0xffff)
            continue;
        int low = blame->levels[pos] - hc_blame_pops(code + pos);
        int high = low + short_opcode_info(code[pos]).n_push;
        /* These leave their first operand where it was. */
        if (code[pos] == OP_dup || code[pos] == OP_get_field2 || code[pos] == OP_get_array_el2 || code[pos] == OP_to_object)
            low++;
        if (low <= slot && slot < high)
            writer = pos;
    }
    for (int pos = 0; pos < blame->code->byte_code_len; pos += short_opcode_info(code[pos]).size) {
        if (blame->levels[pos] == 0xffff || (writer <= pos && pos < end))
            continue;
        int target = hc_blame_target(code, pos);
        if (target > writer && target <= end && blame->levels[target] != 0xffff && blame->levels[target] > slot)
            return -1;
    }
    return writer;
}

static void hc_blame_put(HcBlame *blame, const char *text)
{
    size_t length = strlen(text);
    if (blame->length + length >= sizeof blame->text) {
        blame->parts = HC_BLAME_MAX_PARTS + 1;
        return;
    }
    memcpy(blame->text + blame->length, text, length + 1);
    blame->length += length;
}

static void hc_blame_put_atom(HcBlame *blame, JSAtom atom)
{
    char buffer[ATOM_GET_STR_BUF_SIZE];
    const char *name = atom == JS_ATOM_NULL ? "<" : JS_AtomGetStr(blame->ctx, buffer, sizeof buffer, atom);
    hc_blame_put(blame, name[0] == '<' ? hc_unnamed : name);
}

/* The variable that an instruction reads, or JS_ATOM_NULL. */
static JSAtom hc_blame_variable(const JSFunctionBytecode *b, const uint8_t *at, int which)
{
    const JSOpCode *info = &short_opcode_info(*at);
    if (*at == OP_get_var || *at == OP_get_var_undef)
        return get_u32(at + 1);
    if (info->n_pop != 0)
        return JS_ATOM_NULL;
    int index;
    switch (info->fmt) {
    case OP_FMT_none_loc:
        index = *at == OP_get_loc0_loc1 ? which : (*at - OP_get_loc0) % 4;
        break;
    case OP_FMT_loc8:
        index = at[1];
        break;
    case OP_FMT_loc:
        index = get_u16(at + 1);
        break;
    case OP_FMT_none_arg:
        index = (*at - OP_get_arg0) % 4;
        return index < b->arg_count ? b->vardefs[index].var_name : JS_ATOM_NULL;
    case OP_FMT_arg:
        index = get_u16(at + 1);
        return index < b->arg_count ? b->vardefs[index].var_name : JS_ATOM_NULL;
    case OP_FMT_none_var_ref:
        index = (*at - OP_get_var_ref0) % 4;
        return index < b->closure_var_count ? b->closure_var[index].var_name : JS_ATOM_NULL;
    case OP_FMT_var_ref:
        index = get_u16(at + 1);
        return index < b->closure_var_count ? b->closure_var[index].var_name : JS_ATOM_NULL;
    default:
        return JS_ATOM_NULL;
    }
    return index < b->var_count ? b->vardefs[b->arg_count + index].var_name : JS_ATOM_NULL;
}

/* Appends what the instruction at `pos` pushes, if that is short to say. */
static void hc_blame_put_key(HcBlame *blame, int pos)
{
    const uint8_t *at = blame->code->byte_code_buf + pos;
    JSAtom name = pos < 0 ? JS_ATOM_NULL : hc_blame_variable(blame->code, at, 0);
    if (name != JS_ATOM_NULL) {
        hc_blame_put_atom(blame, name);
    } else if (pos >= 0 && *at >= OP_push_0 && *at <= OP_push_7) {
        hc_blame_put(blame, (char[]){ '0' + (*at - OP_push_0), 0 });
    } else {
        hc_blame_put(blame, "...");
    }
}

/* Appends what was in place `slot` of the stack before the instruction at `end`. */
static void hc_blame_describe(HcBlame *blame, int slot, int end)
{
    if (++blame->parts > HC_BLAME_MAX_PARTS)
        return;
    int pos = hc_blame_writer(blame, slot, end);
    if (pos < 0) {
        hc_blame_put(blame, hc_unnamed);
        return;
    }
    const uint8_t *at = blame->code->byte_code_buf + pos;
    int low = blame->levels[pos] - hc_blame_pops(at);
    switch (*at) {
    case OP_push_this:
        hc_blame_put(blame, "this");
        return;
    case OP_undefined:
        hc_blame_put(blame, "undefined");
        return;
    case OP_null:
        hc_blame_put(blame, "null");
        return;
    case OP_get_field:
    case OP_get_field2:
        hc_blame_describe(blame, low, pos);
        hc_blame_put(blame, ".");
        hc_blame_put_atom(blame, get_u32(at + 1));
        return;
    case OP_get_length:
        hc_blame_describe(blame, low, pos);
        hc_blame_put(blame, ".length");
        return;
    case OP_get_array_el:
    case OP_get_array_el2: {
        hc_blame_describe(blame, low, pos);
        hc_blame_put(blame, "[");
        hc_blame_put_key(blame, hc_blame_writer(blame, low + 1, pos));
        hc_blame_put(blame, "]");
        return;
    }
    case OP_call_method:
        low++;
        /* fall through */
    case OP_call:
    case OP_call0:
    case OP_call1:
    case OP_call2:
    case OP_call3:
        hc_blame_describe(blame, low, pos);
        hc_blame_put(blame, "(...)");
        return;
    case OP_perm3: /* obj func args -> func obj args, before a call that spreads */
        hc_blame_describe(blame, slot == low ? low + 1 : low, pos);
        return;
    default:
        hc_blame_put_atom(blame, hc_blame_variable(blame->code, at, slot - low));
    }
}

/* Finds the instruction that the running function is at, and its operand that is at fault. -1 if there is none. */
static int hc_blame_slot(HcBlame *blame, JSStackFrame *frame, bool of_call)
{
    const uint8_t *code = blame->code->byte_code_buf;
    int next = frame->cur_pc - code;
    int pos = 0;
    while (pos < next && pos + short_opcode_info(code[pos]).size < next)
        pos += short_opcode_info(code[pos]).size;
    blame->at = pos;
    if (pos + short_opcode_info(code[pos]).size != next || blame->levels[pos] == 0xffff)
        return -1;
    int low = blame->levels[pos] - hc_blame_pops(code + pos);
    switch (code[pos]) {
    case OP_call:
    case OP_tail_call:
    case OP_call0:
    case OP_call1:
    case OP_call2:
    case OP_call3:
    case OP_call_constructor:
    case OP_apply:
        return of_call ? low : -1;
    case OP_call_method:
    case OP_tail_call_method:
        return of_call ? low + 1 : -1;
    case OP_for_of_start:
    case OP_for_await_of_start:
    case OP_append:
    case OP_to_object:
        return of_call ? -1 : blame->levels[pos] - 1;
    default:
        return -1;
    }
}

/* Names the operand of the running instruction that cannot be called (or, if not `of_call`, iterated or destructured).
   False if it has no name. Leaves no exception. */
static bool hc_blame(JSContext *ctx, HcBlame *blame, bool of_call)
{
    JSStackFrame *frame = ctx->rt->current_stack_frame;
    if (!frame || JS_VALUE_GET_TAG(frame->cur_func) != JS_TAG_OBJECT || !frame->cur_pc)
        return false;
    JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func);
    if (!js_class_has_bytecode(function->class_id))
        return false;
    memset(blame, 0, sizeof *blame);
    blame->ctx = ctx;
    blame->code = function->u.func.function_bytecode;
    if (blame->code->byte_code_len > HC_BLAME_MAX_CODE)
        return false;
    JSFunctionDef definition = { .hc_levels = &blame->levels };
    definition.byte_code.buf = blame->code->byte_code_buf;
    definition.byte_code.size = blame->code->byte_code_len;
    int size;
    if (compute_stack_size(ctx, &definition, &size)) {
        hc_drop_exception(ctx);
        return false;
    }
    int slot = hc_blame_slot(blame, frame, of_call);
    if (slot >= 0)
        hc_blame_describe(blame, slot, blame->at);
    js_free(ctx, blame->levels);
    return slot >= 0 && blame->parts <= HC_BLAME_MAX_PARTS && strcmp(blame->text, hc_unnamed) != 0;
}

/* Throws `format` about what the value is called in the code, or else about what it is. */
static JSValue hc_throw_blaming(JSContext *ctx, const HcBlame *blame, JSValueConst value, const char *format)
{
    if (blame)
        return JS_ThrowTypeError(ctx, format, blame->text);
    /* What would take long to write is only named. */
    const char *kind = JS_IsObject(value) ? "an object"
        : JS_IsSymbol(value) ? "a symbol"
        : JS_IsBigInt(value) ? "a bigint"
        : JS_IsString(value) && (JS_VALUE_GET_TAG(value) != JS_TAG_STRING || JS_VALUE_GET_STRING(value)->len > 30) ? "a string"
        : NULL;
    if (kind)
        return JS_ThrowTypeError(ctx, format, kind);
    const char *text = JS_ToCString(ctx, value);
    if (!text)
        return JS_EXCEPTION;
    char shown[128];
    snprintf(shown, sizeof shown, JS_IsString(value) ? "\"%s\"" : "%s", text);
    JS_FreeCString(ctx, text);
    return JS_ThrowTypeError(ctx, format, shown);
}

static JSValue hc_throw_not_a_function(JSContext *ctx, JSValueConst value)
{
    HcBlame blame;
    if (!hc_blame(ctx, &blame, true))
        return hc_throw_blaming(ctx, NULL, value, "%s is not a function");
    bool constructs = blame.code->byte_code_buf[blame.at] == OP_call_constructor;
    return hc_throw_blaming(ctx, &blame, value, constructs ? "%s is not a constructor" : "%s is not a function");
}

static JSValue hc_throw_not_iterable(JSContext *ctx, JSValueConst value)
{
    HcBlame blame;
    int class_id = JS_IsObject(value) ? JS_VALUE_GET_OBJ(value)->class_id : 0;
    const char *format = class_id == JS_CLASS_PROMISE ? "%s is not iterable: it is a promise, await it first"
        : class_id == JS_CLASS_ASYNC_GENERATOR ? "%s is not iterable: it is asynchronous, use `for await`"
        : "%s is not iterable";
    return hc_throw_blaming(ctx, hc_blame(ctx, &blame, false) ? &blame : NULL, value, format);
}

static JSValue hc_throw_not_destructurable(JSContext *ctx, JSValueConst value)
{
    HcBlame blame;
    return hc_throw_blaming(ctx, hc_blame(ctx, &blame, false) ? &blame : NULL, value,
                            JS_IsNull(value) ? "cannot destructure '%s' as it is null" : "cannot destructure '%s' as it is undefined");
}

static bool hc_is_internal(const JSStackFrame *frame)
{
    const JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func);
    return js_class_has_bytecode(function->class_id) && function->u.func.function_bytecode->hc_internal;
}

static bool hc_is_hidden_frame(JSStackFrame *frame)
{
    if (hc_booting)
        return false;
    if (js_class_has_bytecode(JS_VALUE_GET_OBJ(frame->cur_func)->class_id))
        return hc_is_internal(frame);
    return frame->prev_frame && hc_is_internal(frame->prev_frame);
}

static JSStackFrame *hc_maker_of(JSStackFrame *frame, JSValueConst new_target)
{
    if (JS_VALUE_GET_TAG(new_target) != JS_TAG_OBJECT)
        return frame;
    /* Between an error and what makes it are the constructors of its base classes, and no more. */
    int left = 64;
    for (JSStackFrame *maker = frame; maker && left-- > 0; maker = maker->prev_frame) {
        if (JS_VALUE_GET_OBJ(maker->cur_func) == JS_VALUE_GET_OBJ(new_target))
            return maker;
    }
    return frame;
}
