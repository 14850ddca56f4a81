/* Names in error messages: "data.rows is not iterable", "o.f is not a function". The engine says only what went wrong, and
 * code that catches an error and prints its message would tell nobody where.
 *
 * Values on the stack have no names, but the instructions that put them there do. So when an instruction fails for one
 * of its operands, the code of the function is read from its start up to there: the last instruction that wrote the
 * operand's place on the stack tells what it is. Costs nothing until something fails. */

enum {
    /* Longer functions are not read: failing in a loop must not cost much more than the loop. */
    HC_OPERAND_MAX_CODE = 32 * 1024,
    HC_OPERAND_MAX_TEXT = 96,
    HC_OPERAND_MAX_PARTS = 8,
};

typedef struct {
    JSContext *ctx;
    JSFunctionBytecode *code;
    /* How many values are on the stack before the instruction at each position; 0xffff where none is reached. */
    uint16_t *levels;
    /* The instruction that failed. */
    int at;
    int parts;
    char text[HC_OPERAND_MAX_TEXT];
    size_t length;
} HcOperand;

static const char hc_unnamed[] = "(intermediate value)";

static int hc_operand_pops(const uint8_t *at)
{
    const JSOpCode *info = &short_opcode_info(*at);
    if (info->fmt == OP_FMT_npop || info->fmt == OP_FMT_npop_u16)
        return info->n_pop + get_u16(at + 1);
    if (info->fmt == OP_FMT_npopx)
        return info->n_pop + (*at - OP_call0);
    return info->n_pop;
}

/* Where the instruction at `pos` may jump to, or -1. */
static int hc_operand_target(const uint8_t *code, int pos)
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
static int hc_operand_writer(const HcOperand *operand, int slot, int end)
{
    const uint8_t *code = operand->code->byte_code_buf;
    int writer = -1;
    for (int pos = 0; pos < end; pos += short_opcode_info(code[pos]).size) {
        if (operand->levels[pos] == 0xffff)
            continue;
        int low = operand->levels[pos] - hc_operand_pops(code + pos);
        int high = low + short_opcode_info(code[pos]).n_push;
        /* These leave their first operand where it was. */
        if (code[pos] == OP_dup || code[pos] == OP_get_field2 || code[pos] == OP_get_array_el2 || code[pos] == OP_to_object)
            low++;
        if (low <= slot && slot < high)
            writer = pos;
    }
    for (int pos = 0; pos < operand->code->byte_code_len; pos += short_opcode_info(code[pos]).size) {
        if (operand->levels[pos] == 0xffff || (writer <= pos && pos < end))
            continue;
        int target = hc_operand_target(code, pos);
        if (target > writer && target <= end && operand->levels[target] != 0xffff && operand->levels[target] > slot)
            return -1;
    }
    return writer;
}

static void hc_operand_put(HcOperand *operand, const char *text)
{
    size_t length = strlen(text);
    if (operand->length + length >= sizeof operand->text) {
        operand->parts = HC_OPERAND_MAX_PARTS + 1;
        return;
    }
    memcpy(operand->text + operand->length, text, length + 1);
    operand->length += length;
}

static void hc_operand_put_atom(HcOperand *operand, JSAtom atom)
{
    char buffer[ATOM_GET_STR_BUF_SIZE];
    const char *name = atom == JS_ATOM_NULL ? "<" : JS_AtomGetStr(operand->ctx, buffer, sizeof buffer, atom);
    hc_operand_put(operand, name[0] == '<' ? hc_unnamed : name);
}

/* The variable that an instruction reads, or JS_ATOM_NULL. */
static JSAtom hc_operand_variable(const JSFunctionBytecode *b, const uint8_t *at, int which)
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
static void hc_operand_put_key(HcOperand *operand, int pos)
{
    const uint8_t *at = operand->code->byte_code_buf + pos;
    JSAtom name = pos < 0 ? JS_ATOM_NULL : hc_operand_variable(operand->code, at, 0);
    if (name != JS_ATOM_NULL) {
        hc_operand_put_atom(operand, name);
    } else if (pos >= 0 && *at >= OP_push_0 && *at <= OP_push_7) {
        hc_operand_put(operand, (char[]){ '0' + (*at - OP_push_0), 0 });
    } else {
        hc_operand_put(operand, "...");
    }
}

/* Appends what was in place `slot` of the stack before the instruction at `end`. */
static void hc_operand_describe(HcOperand *operand, int slot, int end)
{
    if (++operand->parts > HC_OPERAND_MAX_PARTS)
        return;
    int pos = hc_operand_writer(operand, slot, end);
    if (pos < 0) {
        hc_operand_put(operand, hc_unnamed);
        return;
    }
    const uint8_t *at = operand->code->byte_code_buf + pos;
    int low = operand->levels[pos] - hc_operand_pops(at);
    switch (*at) {
    case OP_push_this:
        hc_operand_put(operand, "this");
        return;
    case OP_undefined:
        hc_operand_put(operand, "undefined");
        return;
    case OP_null:
        hc_operand_put(operand, "null");
        return;
    case OP_get_field:
    case OP_get_field2:
        hc_operand_describe(operand, low, pos);
        hc_operand_put(operand, ".");
        hc_operand_put_atom(operand, get_u32(at + 1));
        return;
    case OP_get_length:
        hc_operand_describe(operand, low, pos);
        hc_operand_put(operand, ".length");
        return;
    case OP_get_array_el:
    case OP_get_array_el2: {
        hc_operand_describe(operand, low, pos);
        hc_operand_put(operand, "[");
        hc_operand_put_key(operand, hc_operand_writer(operand, low + 1, pos));
        hc_operand_put(operand, "]");
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
        hc_operand_describe(operand, low, pos);
        hc_operand_put(operand, "(...)");
        return;
    case OP_perm3: /* obj func args -> func obj args, before a call that spreads */
        hc_operand_describe(operand, slot == low ? low + 1 : low, pos);
        return;
    default:
        hc_operand_put_atom(operand, hc_operand_variable(operand->code, at, slot - low));
    }
}

/* Finds the instruction that the running function is at, and its operand that is at fault. -1 if there is none. */
static int hc_operand_slot(HcOperand *operand, JSStackFrame *frame, bool of_call)
{
    const uint8_t *code = operand->code->byte_code_buf;
    int next = frame->cur_pc - code;
    int pos = 0;
    while (pos < next && pos + short_opcode_info(code[pos]).size < next)
        pos += short_opcode_info(code[pos]).size;
    operand->at = pos;
    if (pos + short_opcode_info(code[pos]).size != next || operand->levels[pos] == 0xffff)
        return -1;
    int low = operand->levels[pos] - hc_operand_pops(code + pos);
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
        return of_call ? -1 : operand->levels[pos] - 1;
    default:
        return -1;
    }
}

/* Names the operand of the running instruction that cannot be called (or, if not `of_call`, iterated or destructured).
   False if it has no name. Leaves no exception. */
static bool hc_name_operand(JSContext *ctx, HcOperand *operand, bool of_call)
{
    JSStackFrame *frame = ctx->rt->current_stack_frame;
    if (!frame || JS_VALUE_GET_TAG(frame->cur_func) != JS_TAG_OBJECT || !frame->cur_pc)
        return false;
    JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func);
    if (!js_class_has_bytecode(function->class_id))
        return false;
    memset(operand, 0, sizeof *operand);
    operand->ctx = ctx;
    operand->code = function->u.func.function_bytecode;
    if (operand->code->byte_code_len > HC_OPERAND_MAX_CODE)
        return false;
    JSFunctionDef definition = { .hc_levels = &operand->levels };
    definition.byte_code.buf = operand->code->byte_code_buf;
    definition.byte_code.size = operand->code->byte_code_len;
    int size;
    if (compute_stack_size(ctx, &definition, &size)) {
        hc_drop_exception(ctx);
        return false;
    }
    int slot = hc_operand_slot(operand, frame, of_call);
    if (slot >= 0)
        hc_operand_describe(operand, slot, operand->at);
    js_free(ctx, operand->levels);
    return slot >= 0 && operand->parts <= HC_OPERAND_MAX_PARTS && strcmp(operand->text, hc_unnamed) != 0;
}

/* Throws `format` about what the value is called in the code, or else about what it is. */
static JSValue hc_throw_named(JSContext *ctx, const HcOperand *operand, JSValueConst value, const char *format)
{
    if (operand)
        return JS_ThrowTypeError(ctx, format, operand->text);
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
    HcOperand operand;
    if (!hc_name_operand(ctx, &operand, true))
        return hc_throw_named(ctx, NULL, value, "%s is not a function");
    bool constructs = operand.code->byte_code_buf[operand.at] == OP_call_constructor;
    return hc_throw_named(ctx, &operand, value, constructs ? "%s is not a constructor" : "%s is not a function");
}

static JSValue hc_throw_not_iterable(JSContext *ctx, JSValueConst value)
{
    HcOperand operand;
    int class_id = JS_IsObject(value) ? JS_VALUE_GET_OBJ(value)->class_id : 0;
    const char *format = class_id == JS_CLASS_PROMISE ? "%s is not iterable: it is a promise, await it first"
        : class_id == JS_CLASS_ASYNC_GENERATOR ? "%s is not iterable: it is asynchronous, use `for await`"
        : "%s is not iterable";
    return hc_throw_named(ctx, hc_name_operand(ctx, &operand, false) ? &operand : NULL, value, format);
}

static JSValue hc_throw_not_destructurable(JSContext *ctx, JSValueConst value)
{
    HcOperand operand;
    return hc_throw_named(ctx, hc_name_operand(ctx, &operand, false) ? &operand : NULL, value,
                            JS_IsNull(value) ? "cannot destructure '%s' as it is null" : "cannot destructure '%s' as it is undefined");
}

static bool hc_is_internal(const JSStackFrame *frame)
{
    const JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func);
    return js_class_has_bytecode(function->class_id) && function->u.func.function_bytecode->hc_internal;
}

static bool hc_is_tool(const JSObject *function);

static bool hc_is_hidden_frame(JSStackFrame *frame)
{
    const JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func);
    if (hc_booting)
        return false;
    if (js_class_has_bytecode(function->class_id))
        return hc_is_internal(frame);
    /* Where a tool is called is a place in the code; that the call goes on behind it helps nobody. */
    if (hc_is_tool(function))
        return true;
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
