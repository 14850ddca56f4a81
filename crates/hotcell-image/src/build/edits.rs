//! The edits made to the engine's sources before they are compiled.
//!
//! Few and small, each with its reason. An edit names the exact text it replaces; if that text does not occur exactly as
//! often as expected the build stops, so a new engine version cannot silently lose one. What the replacements call is in
//! `guest/c/hooks.h`.

use anyhow::{Result, ensure};

mod messages;
mod places;
mod repairs;

pub(super) struct Edit {
    /// What the edit is for.
    pub(super) why: &'static str,
    /// In how many places.
    pub(super) times: usize,
    pub(super) find: &'static str,
    pub(super) replace: &'static str,
}

/// Applies every edit to the text of `quickjs.c`.
pub(super) fn apply(source: &str) -> Result<String> {
    let mut text = source.to_owned();
    for edit in all() {
        let found = text.matches(edit.find).count();
        ensure!(
            found == edit.times,
            "the engine edit \"{}\" fits {found} places in quickjs.c instead of {}: \
             was the rquickjs-sys version changed?",
            edit.why,
            edit.times
        );
        text = text.replace(edit.find, edit.replace);
    }
    Ok(text)
}

/// Every edit, in the order in which they are made.
pub(super) fn all() -> impl Iterator<Item = &'static Edit> {
    EDITS
        .iter()
        .chain(repairs::REPAIRS)
        .chain(messages::MESSAGES)
        .chain(places::PLACES)
}

const EDITS: &[Edit] = &[
    Edit {
        why: "count an iteration of `while`",
        times: 1,
        find: "            emit_goto(s, OP_if_false, label_break);

            if (js_parse_statement(s))
                goto fail;
            emit_goto(s, OP_goto, label_cont);
",
        replace: "            emit_goto(s, OP_if_false, label_break);

            HC_EMIT_TICK(s);
            if (js_parse_statement(s))
                goto fail;
            emit_goto(s, OP_goto, label_cont);
",
    },
    Edit {
        why: "count an iteration of `do … while`",
        times: 1,
        find: "            set_eval_ret_undefined(s);

            if (js_parse_statement(s))
                goto fail;

            emit_label(s, label_cont);
            if (js_parse_expect(s, TOK_WHILE))
",
        replace: "            set_eval_ret_undefined(s);

            HC_EMIT_TICK(s);
            if (js_parse_statement(s))
                goto fail;

            emit_label(s, label_cont);
            if (js_parse_expect(s, TOK_WHILE))
",
    },
    Edit {
        why: "count an iteration of `for (;;)`",
        times: 1,
        find: "            emit_label(s, label_body);
            if (js_parse_statement(s))
                goto fail;
",
        replace: "            emit_label(s, label_body);
            HC_EMIT_TICK(s);
            if (js_parse_statement(s))
                goto fail;
",
    },
    Edit {
        why: "count an iteration of `for … in`, `for … of` and `for await`",
        times: 1,
        find: "            had_using_be = 1;
        }

        if (js_parse_statement(s))
            return -1;
",
        replace: "            had_using_be = 1;
        }

        HC_EMIT_TICK(s);
        if (js_parse_statement(s))
            return -1;
",
    },
    Edit {
        why: "make the tick count",
        times: 1,
        find: "        CASE(OP_close_loc):
            {
                int idx;
                idx = get_u16(pc);
                pc += 2;
",
        replace: "        CASE(OP_close_loc):
            {
                int idx;
                idx = get_u16(pc);
                pc += 2;
                if (idx == HC_TICK) {
                    if (unlikely(--hc_operations_left < 0)) {
                        hc_stop_for_operations(ctx);
                        goto exception;
                    }
                    BREAK;
                }
",
    },
    Edit {
        why: "allow `return` in a program",
        times: 1,
        find: "        if (s->cur_func->is_eval) {
            js_parse_error(s, \"return not in a function\");
",
        replace: "        if (s->cur_func->is_eval && !HC_IS_PROGRAM(s->cur_func)) {
            js_parse_error(s, \"return not in a function\");
",
    },
    Edit {
        why: "return from a program what its completion value would be",
        times: 1,
        find: "        if (s->token.val != ';' && s->token.val != '}' && !s->got_lf) {
            if (js_parse_expr(s))
                goto fail;
            emit_return(s, true);
        } else {
            emit_return(s, false);
        }
        if (js_parse_expect_semi(s))
",
        replace: "        if (s->token.val != ';' && s->token.val != '}' && s->token.val != TOK_EOF && !s->got_lf) {
            if (js_parse_expr(s))
                goto fail;
            if (s->cur_func->is_eval)
                HC_EMIT_WRAP_RESULT(s);
            emit_return(s, true);
        } else if (s->cur_func->is_eval) {
            emit_op(s, OP_undefined);
            HC_EMIT_WRAP_RESULT(s);
            emit_return(s, true);
        } else {
            emit_return(s, false);
        }
        if (js_parse_expect_semi(s))
",
    },
    Edit {
        why: "know how deep calls nest",
        times: 1,
        find: "    struct JSGCObjectHeader *cur_gc_obj;
} JSStackFrame;
",
        replace: "    struct JSGCObjectHeader *cur_gc_obj;
    int hc_depth; /* calls below this one, itself included */
} JSStackFrame;
",
    },
    Edit {
        why: "carry the depth through native calls",
        times: 3,
        find: "    sf->prev_frame = prev_sf;
",
        replace: "    sf->prev_frame = prev_sf;
    sf->hc_depth = prev_sf ? prev_sf->hc_depth : 0;
",
    },
    Edit {
        why: "carry the depth into a generator",
        times: 1,
        find: "            sf->prev_frame = rt->current_stack_frame;
            rt->current_stack_frame = sf;
            if (s->throw_flag)
",
        replace: "            sf->prev_frame = rt->current_stack_frame;
            sf->hc_depth = sf->prev_frame ? sf->prev_frame->hc_depth + 1 : 1;
            rt->current_stack_frame = sf;
            if (s->throw_flag)
",
    },
    Edit {
        why: "limit the depth of calls",
        times: 1,
        find: "    if (js_check_stack_overflow(rt, alloca_size))
        return JS_ThrowStackOverflow(caller_ctx);

    sf->is_strict_mode = b->is_strict_mode;
",
        replace: "    sf->hc_depth = rt->current_stack_frame ? rt->current_stack_frame->hc_depth + 1 : 1;
    if (hc_check_c_stack(rt, alloca_size) || HC_TOO_DEEP(sf->hc_depth))
        return JS_ThrowStackOverflow(caller_ctx);

    sf->is_strict_mode = b->is_strict_mode;
",
    },
    Edit {
        why: "check the machine's stack too, which the engine cannot see",
        times: 1,
        find: "static inline bool js_check_stack_overflow(JSRuntime *rt, size_t alloca_size)
{
    uintptr_t sp;
    sp = js_get_stack_pointer() - alloca_size;
    return unlikely(sp < rt->stack_limit);
}
",
        replace: "static inline bool hc_check_c_stack(JSRuntime *rt, size_t alloca_size)
{
    uintptr_t sp;
    sp = js_get_stack_pointer() - alloca_size;
    return unlikely(sp < rt->stack_limit);
}

static bool js_check_stack_overflow(JSRuntime *rt, size_t alloca_size)
{
    return hc_check_c_stack(rt, alloca_size) || unlikely(hc_machine_stack_is_low());
}
",
    },
    Edit {
        why: "spare calls of native functions the slow check",
        times: 1,
        find: "    if (js_check_stack_overflow(rt, sizeof(arg_buf[0]) * arg_count))
        return JS_ThrowStackOverflow(ctx);

    prev_sf = rt->current_stack_frame;
    sf->prev_frame = prev_sf;
    sf->hc_depth = prev_sf ? prev_sf->hc_depth : 0;
    rt->current_stack_frame = sf;
    ctx = p->u.cfunc.realm; /* change the current realm */
",
        replace: "    if (hc_check_c_stack(rt, sizeof(arg_buf[0]) * arg_count))
        return JS_ThrowStackOverflow(ctx);

    prev_sf = rt->current_stack_frame;
    sf->prev_frame = prev_sf;
    sf->hc_depth = prev_sf ? prev_sf->hc_depth : 0;
    rt->current_stack_frame = sf;
    ctx = p->u.cfunc.realm; /* change the current realm */
",
    },
    Edit {
        why: "have room to say that memory ran out",
        times: 1,
        find: "    if (!rt->in_out_of_memory) {
        rt->in_out_of_memory = true;
",
        replace: "    if (!rt->in_out_of_memory) {
        rt->in_out_of_memory = true;
        hc_release_reserve();
",
    },
    Edit {
        why: "notice an interrupt soon even where each step is slow",
        times: 1,
        find: "#define JS_INTERRUPT_COUNTER_INIT 10000",
        replace: "#define JS_INTERRUPT_COUNTER_INIT 1000",
    },
    Edit {
        why: "columns of the first line begin at 1, as those of the others do",
        times: 1,
        find: "    s->eol = s->buf_ptr;
    s->token.val = ' ';
",
        replace: "    s->eol = s->buf_ptr - 1;
    s->token.val = ' ';
",
    },
];
