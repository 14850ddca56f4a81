//! Edits that make the engine do what ECMAScript says, and one that makes lockdown bearable.

use super::Edit;

pub(super) const REPAIRS: &[Edit] = &[
    Edit {
        why: "tell the objects that lockdown froze from those that a program froze",
        times: 1,
        find: "    uint8_t is_HTMLDDA : 1; /* specific annex B IsHtmlDDA behavior */
",
        replace: "    uint8_t is_HTMLDDA : 1; /* specific annex B IsHtmlDDA behavior */
    uint8_t hc_locked : 1; /* frozen when the image was made, see hc_make_image_permanent */
",
    },
    Edit {
        why: "no object of a program is one that lockdown froze",
        times: 1,
        find: "    p->is_HTMLDDA = 0;
    p->is_prototype = 0;
",
        replace: "    p->is_HTMLDDA = 0;
    p->hc_locked = 0;
    p->is_prototype = 0;
",
    },
    Edit {
        // `counts["constructor"] = 1` fails where lockdown has frozen `Object.prototype`: what is inherited and cannot be
        // written cannot be shadowed by assignment. From here on the search goes on as if the property could be written:
        // what the receiver itself says (its own property, not extensible, a primitive, a proxy) is asked below.
        why: "let an assignment shadow what lockdown froze further up",
        times: 1,
        find: "            } else if (!(prs->flags & JS_PROP_WRITABLE)) {
                goto read_only_prop;
            } else {
                break;
            }
        }
    }

    if (unlikely(flags & JS_PROP_NO_ADD)) {
",
        replace: "            } else if (!(prs->flags & JS_PROP_WRITABLE) && !p1->hc_locked) {
                goto read_only_prop;
            } else {
                break;
            }
        }
    }

    if (unlikely(flags & JS_PROP_NO_ADD)) {
",
    },
    Edit {
        why: "spread the characters of a string into an object",
        times: 1,
        find: "    bool is_enumerable;

    if (JS_VALUE_GET_TAG(source) != JS_TAG_OBJECT)
        return 0;

    if (JS_VALUE_GET_TAG(excluded) == JS_TAG_OBJECT)
",
        replace: "    bool is_enumerable;

    if (JS_IsString(source)) {
        JSValue characters = JS_ToObject(ctx, source);
        if (JS_IsException(characters))
            return -1;
        ret = JS_CopyDataProperties(ctx, target, characters, excluded, setprop);
        JS_FreeValue(ctx, characters);
        return ret;
    }
    if (JS_VALUE_GET_TAG(source) != JS_TAG_OBJECT)
        return 0;

    if (JS_VALUE_GET_TAG(excluded) == JS_TAG_OBJECT)
",
    },
    Edit {
        why: "take `async => …` for an arrow with a parameter of that name",
        times: 1,
        find: "        tok = peek_token(s, true);
        if (tok == TOK_FUNCTION || tok == '\\n')
            goto next;

        source_ptr = s->token.ptr;
",
        replace: "        tok = peek_token(s, true);
        if (tok == TOK_FUNCTION || tok == '\\n')
            goto next;
        if (tok == TOK_ARROW)
            return js_parse_function_decl(s, JS_PARSE_FUNC_ARROW,
                                          JS_FUNC_NORMAL, JS_ATOM_NULL,
                                          s->token.ptr, s->token.line_num,
                                          s->token.col_num);

        source_ptr = s->token.ptr;
",
    },
    Edit {
        why: "remember that a label stands before another",
        times: 1,
        find: "    uint8_t is_regular_stmt : 1; // i.e. not a loop statement
",
        replace: "    uint8_t is_regular_stmt : 1; // i.e. not a loop statement
    uint8_t hc_labels_label : 1; /* `a` in `a: b: …` */
",
    },
    Edit {
        why: "a label stands before no other unless said",
        times: 1,
        find: "    be->is_regular_stmt = false;
    be->has_using = false;
",
        replace: "    be->is_regular_stmt = false;
    be->hc_labels_label = false;
    be->has_using = false;
",
    },
    Edit {
        why: "notice that a label stands before another",
        times: 1,
        find: "            fd->top_break->is_regular_stmt = 1;
            if (!fd->is_strict_mode &&
",
        replace: "            fd->top_break->is_regular_stmt = 1;
            fd->top_break->hc_labels_label = is_label(s);
            if (!fd->is_strict_mode &&
",
    },
    Edit {
        why: "know all labels of a loop",
        times: 1,
        find: "static __exception int emit_break(JSParseState *s, JSAtom name, int is_cont)
{
",
        replace: "static bool hc_is_label_of(const BlockEnv *loop, JSAtom name)
{
    const BlockEnv *be = loop;
    while (be->label_name != name) {
        be = be->prev;
        if (!be || !be->hc_labels_label)
            return false;
    }
    return true;
}

static __exception int emit_break(JSParseState *s, JSAtom name, int is_cont)
{
",
    },
    Edit {
        why: "continue a loop by any of its labels",
        times: 1,
        find: "            (name == JS_ATOM_NULL || top->label_name == name)) {
",
        replace: "            (name == JS_ATOM_NULL || hc_is_label_of(top, name))) {
",
    },
    Edit {
        why: "have room for the name of the time zone",
        times: 1,
        find: "    // _string(obj, fmt, part)
    char buf[64];
",
        replace: "    // _string(obj, fmt, part)
    char buf[96];
",
    },
    Edit {
        why: "name the time zone, as others do: a cell is in UTC",
        times: 1,
        find: "            /* XXX: tack the time zone code? */
",
        replace: "            if (tz == 0)
                pos += snprintf(buf + pos, sizeof(buf) - pos, \" (Coordinated Universal Time)\");
",
    },
    // With expressions among its parameters a function has two scopes, and the engine gives the body copies of the
    // parameters. It shows when one of two is assigned: `(a, get = () => a) => { a = 2; return get() }`. So the body takes
    // the parameters themselves, unless it declares a variable of that name, which is then another. Functions with a
    // direct `eval` inside are left as they were: there names are found while they run.
    Edit {
        why: "remember that a body declares what is a parameter",
        times: 1,
        find: "    uint8_t var_kind : 4; /* see JSVarKindEnum */
    /* if is_captured = true, provides the index of the corresponding
       JSVarRef on stack */
",
        replace: "    uint8_t var_kind : 4; /* see JSVarKindEnum */
    uint8_t hc_redeclared : 1;
    /* if is_captured = true, provides the index of the corresponding
       JSVarRef on stack */
",
    },
    Edit {
        why: "remember that there is a direct `eval` inside",
        times: 1,
        find: "    bool has_eval_call : 1; /* true if the function contains a call to eval() */
",
        replace: "    bool has_eval_call : 1; /* true if the function contains a call to eval() */
    bool hc_eval_inside : 1; /* or a function inside it does */
",
    },
    Edit {
        why: "notice a direct `eval`",
        times: 2,
        find: "                    fd->has_eval_call = true;
",
        replace: "                    fd->has_eval_call = true;
                    for (JSFunctionDef *around = fd; around; around = around->parent)
                        around->hc_eval_inside = true;
",
    },
    Edit {
        why: "notice that a body declares what is a parameter",
        times: 1,
        find: "            idx = find_var(ctx, fd, name);
            if (idx >= 0)
                break;
            idx = add_var(ctx, fd, name);
            if (idx >= 0) {
                if (name == JS_ATOM_arguments && fd->has_arguments_binding)
",
        replace: "            idx = find_var(ctx, fd, name);
            if (idx >= 0) {
                int parameter = hc_find_parameter(ctx, fd, name);
                if (parameter >= 0)
                    fd->vars[parameter].hc_redeclared = true;
                break;
            }
            idx = add_var(ctx, fd, name);
            if (idx >= 0) {
                if (name == JS_ATOM_arguments && fd->has_arguments_binding)
",
    },
    Edit {
        why: "find a parameter that is not its copy",
        times: 1,
        find: "static int find_var_in_child_scope(JSContext *ctx, JSFunctionDef *fd,
",
        replace: "static int hc_find_parameter(JSContext *ctx, JSFunctionDef *fd, JSAtom name)
{
    return fd->has_parameter_expressions ? find_var_in_scope(ctx, fd, name, ARG_SCOPE_INDEX) : -1;
}

/* The parameter, if `var_idx` is a copy of it. */
static int hc_not_the_copy(JSContext *ctx, JSFunctionDef *fd, JSAtom name, int var_idx)
{
    if (fd->hc_eval_inside || (!(var_idx & ARGUMENT_VAR_OFFSET) && fd->vars[var_idx].scope_level != 0))
        return var_idx;
    int parameter = hc_find_parameter(ctx, fd, name);
    return parameter < 0 || fd->vars[parameter].hc_redeclared ? var_idx : parameter;
}

static int find_var_in_child_scope(JSContext *ctx, JSFunctionDef *fd,
",
    },
    Edit {
        why: "use parameters themselves in a body",
        times: 1,
        find: "    if (var_idx >= 0) {
        if ((op == OP_scope_put_var || op == OP_scope_make_ref) &&
            !(var_idx & ARGUMENT_VAR_OFFSET) &&
",
        replace: "    if (var_idx >= 0) {
        var_idx = hc_not_the_copy(ctx, s, var_name, var_idx);
        if ((op == OP_scope_put_var || op == OP_scope_make_ref) &&
            !(var_idx & ARGUMENT_VAR_OFFSET) &&
",
    },
    Edit {
        why: "use parameters themselves in a closure",
        times: 1,
        find: "        /* find the corresponding closure variable */
        if (var_idx & ARGUMENT_VAR_OFFSET) {
",
        replace: "        /* find the corresponding closure variable */
        var_idx = hc_not_the_copy(ctx, fd, var_name, var_idx);
        if (var_idx & ARGUMENT_VAR_OFFSET) {
",
    },
    Edit {
        // The body comes after: no parameter lacks its value there, so reading one needs no check. A variable of the same
        // name begins with the parameter's value, unless it is a function.
        why: "keep parameters when their scope ends",
        times: 1,
        find: "        case OP_leave_scope:
            {
                int scope_idx, scope = get_u16(bc_buf + pos + 1);

                for(scope_idx = s->scopes[scope].first; scope_idx >= 0;) {
                    JSVarDef *vd = &s->vars[scope_idx];
                    if (vd->scope_level == scope) {
                        if (vd->is_captured) {
",
        replace: "        case OP_leave_scope:
            {
                int scope_idx, scope = get_u16(bc_buf + pos + 1);
                bool is_kept = scope == ARG_SCOPE_INDEX && s->has_parameter_expressions && !s->hc_eval_inside;

                for(scope_idx = s->scopes[scope].first; scope_idx >= 0;) {
                    JSVarDef *vd = &s->vars[scope_idx];
                    if (vd->scope_level == scope) {
                        if (is_kept) {
                            int arg = vd->hc_redeclared ? find_arg(ctx, s, vd->var_name) : -1;
                            if (arg >= 0 && s->args[arg - ARGUMENT_VAR_OFFSET].func_pool_idx < 0) {
                                dbuf_putc(&bc_out, OP_get_loc);
                                dbuf_put_u16(&bc_out, scope_idx);
                                dbuf_putc(&bc_out, OP_put_arg);
                                dbuf_put_u16(&bc_out, arg - ARGUMENT_VAR_OFFSET);
                            }
                            vd->is_lexical = false;
                        } else if (vd->is_captured) {
",
    },
];
