//! Edits that make errors say what they are about: whoever wrote the code reads them, and mostly it is a model.

use super::Edit;

pub(super) const MESSAGES: &[Edit] = &[
    Edit {
        why: "say what is not a function",
        times: 1,
        find: "            return JS_ThrowTypeErrorNotAFunction(caller_ctx);
",
        replace: "            return hc_throw_not_a_function(caller_ctx, func_obj);
",
    },
    Edit {
        why: "say what is not a constructor",
        times: 1,
        find: "        if (!call_func) {
        not_a_function:
            return JS_ThrowTypeErrorNotAFunction(ctx);
",
        replace: "        if (!call_func) {
        not_a_function:
            return hc_throw_not_a_function(ctx, func_obj);
",
    },
    Edit {
        why: "say what a built-in function got in place of a function",
        times: 1,
        find: "    if (likely(JS_IsFunction(ctx, obj)))
        return 0;
    JS_ThrowTypeErrorNotAFunction(ctx);
",
        replace: "    if (likely(JS_IsFunction(ctx, obj)))
        return 0;
    hc_throw_not_a_function(ctx, obj);
",
    },
    Edit {
        why: "say what is not iterable",
        times: 1,
        find: "    } else {
        method = JS_GetProperty(ctx, obj, JS_ATOM_Symbol_iterator);
        if (JS_IsException(method))
            return method;
    }
    if (!JS_IsFunction(ctx, method)) {
        JS_FreeValue(ctx, method);
        return JS_ThrowTypeError(ctx, \"value is not iterable\");
    }
",
        replace: "    } else {
        if (JS_IsUndefined(obj) || JS_IsNull(obj))
            return hc_throw_not_iterable(ctx, obj);
        method = JS_GetProperty(ctx, obj, JS_ATOM_Symbol_iterator);
        if (JS_IsException(method))
            return method;
    }
    if (!JS_IsFunction(ctx, method)) {
        JS_FreeValue(ctx, method);
        return hc_throw_not_iterable(ctx, obj);
    }
",
    },
    Edit {
        why: "say what is not iterable where it is spread",
        times: 1,
        find: "    pos = JS_VALUE_GET_INT(sp[-2]);

    /* XXX: further optimisations:
",
        replace: "    pos = JS_VALUE_GET_INT(sp[-2]);

    if (JS_IsUndefined(sp[-1]) || JS_IsNull(sp[-1])) {
        hc_throw_not_iterable(ctx, sp[-1]);
        return -1;
    }
    /* XXX: further optimisations:
",
    },
    Edit {
        why: "say what cannot be destructured",
        times: 1,
        find: "                sf->cur_pc = pc;
                ret_val = JS_ToObject(ctx, sp[-1]);
                if (JS_IsException(ret_val))
                    goto exception;
                JS_FreeValue(ctx, sp[-1]);
                sp[-1] = ret_val;
            }
            BREAK;

        CASE(OP_to_propkey):
",
        replace: "                sf->cur_pc = pc;
                if (JS_IsUndefined(sp[-1]) || JS_IsNull(sp[-1])) {
                    hc_throw_not_destructurable(ctx, sp[-1]);
                    goto exception;
                }
                ret_val = JS_ToObject(ctx, sp[-1]);
                if (JS_IsException(ret_val))
                    goto exception;
                JS_FreeValue(ctx, sp[-1]);
                sp[-1] = ret_val;
            }
            BREAK;

        CASE(OP_to_propkey):
",
    },
    Edit {
        why: "have a place for what operand-name.c reads",
        times: 1,
        find: "    BlockEnv *top_break; /* break/continue label stack */
",
        replace: "    BlockEnv *top_break; /* break/continue label stack */
    uint16_t **hc_levels; /* where compute_stack_size leaves its table, if anywhere */
",
    },
    Edit {
        why: "leave the stack's heights to operand-name.c",
        times: 1,
        find: "    js_free(ctx, s->stack_level_tab);
    *pstack_size = s->stack_len_max;
",
        replace: "    if (fd->hc_levels)
        *fd->hc_levels = s->stack_level_tab;
    else
        js_free(ctx, s->stack_level_tab);
    *pstack_size = s->stack_len_max;
",
    },
    Edit {
        why: "say what an array is too empty for",
        times: 1,
        find: "                JS_ThrowTypeError(ctx, \"empty array\");
",
        replace: "                JS_ThrowTypeError(ctx, \"reduce of empty array with no initial value\");
",
    },
    Edit {
        why: "say why Promise.any failed",
        times: 1,
        find: "    JS_DefinePropertyValueConst(ctx, obj, JS_ATOM_errors, errors,
                               JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    return obj;
",
        replace: "    JS_DefinePropertyValueConst(ctx, obj, JS_ATOM_errors, errors,
                               JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    JS_DefinePropertyValue(ctx, obj, JS_ATOM_message, js_new_string8(ctx, \"All promises were rejected\"),
                           JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    return obj;
",
    },
];
