//! Edits that make a stack name the place that its reader looks for, and only code that its reader wrote.

use super::Edit;

pub(super) const PLACES: &[Edit] = &[
    Edit {
        why: "tell functions of the image from those of programs",
        times: 1,
        find: "    uint8_t backtrace_barrier : 1; /* stop backtrace on this function */
",
        replace: "    uint8_t backtrace_barrier : 1; /* stop backtrace on this function */
    uint8_t hc_internal : 1; /* compiled when the image was made, or by its scripts */
",
    },
    Edit {
        why: "mark the functions of the image",
        times: 1,
        find: "    b->backtrace_barrier = fd->backtrace_barrier;
",
        replace: "    b->backtrace_barrier = fd->backtrace_barrier;
    b->hc_internal = hc_booting || hc_makes_internal;
",
    },
    Edit {
        why: "leave the frames of the image out of stacks",
        times: 1,
        find: "        p = JS_VALUE_GET_OBJ(sf->cur_func);
        b = NULL;
        backtrace_barrier = false;
",
        replace: "        if (hc_is_hidden_frame(sf))
            continue;
        p = JS_VALUE_GET_OBJ(sf->cur_func);
        b = NULL;
        backtrace_barrier = false;
",
    },
    Edit {
        why: "remember where a run was stopped",
        times: 1,
        find: "    if (!JS_IsUncatchableError(rt->current_exception)) {
        while (sp > stack_buf) {
",
        replace: "    if (unlikely(JS_IsUncatchableError(rt->current_exception))) {
        hc_note_stop(ctx, b, pc);
    } else {
        while (sp > stack_buf) {
",
    },
    Edit {
        // `class MyError extends Error`: what is of interest is where `new MyError` stands, not the `super()` behind it.
        why: "begin the stack of an error of a derived class where it is made",
        times: 1,
        find: "    /* skip the Error() function in the backtrace */
    build_backtrace(ctx, obj, JS_UNDEFINED, NULL, 0, 0, JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL);
    return obj;
",
        replace: "    /* skip the Error() function in the backtrace */
    JSStackFrame *hc_frame = ctx->rt->current_stack_frame, *hc_maker = hc_maker_of(hc_frame, new_target);
    ctx->rt->current_stack_frame = hc_maker;
    build_backtrace(ctx, obj, JS_UNDEFINED, NULL, 0, 0, JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL);
    ctx->rt->current_stack_frame = hc_frame;
    return obj;
",
    },
    Edit {
        // The instruction that calls comes after those for the arguments, whose places would count for it.
        why: "remember where the function of a call stands",
        times: 1,
        find: "    bool accept_lparen = (parse_flags & PF_POSTFIX_CALL) != 0;

    call_type = FUNC_CALL_NORMAL;
",
        replace: "    bool accept_lparen = (parse_flags & PF_POSTFIX_CALL) != 0;
    int hc_line = s->token.line_num, hc_col = s->token.col_num;

    call_type = FUNC_CALL_NORMAL;
",
    },
    Edit {
        why: "what `new` makes stands behind it",
        times: 1,
        find: "        } else {
            emit_source_loc(s);
            if (js_parse_postfix_expr(s, 0))
",
        replace: "        } else {
            hc_line = s->token.line_num;
            hc_col = s->token.col_num;
            emit_source_loc(s);
            if (js_parse_postfix_expr(s, 0))
",
    },
    Edit {
        why: "a class that is called without `new` is wrong where it is called",
        times: 1,
        find: "                JS_ThrowTypeError(ctx, \"class constructors must be invoked with 'new'\");
",
        replace: "                JS_ThrowTypeError(ctx, \"class constructors must be invoked with 'new'\");
                rt->current_stack_frame = sf->prev_frame;
                build_backtrace(ctx, rt->current_exception, JS_UNDEFINED, NULL, 0, 0, 0);
                rt->current_stack_frame = sf;
",
    },
    Edit {
        why: "what is read from `this` is read where that stands",
        times: 1,
        find: "    case TOK_THIS:
        if (next_token(s))
            return -1;
        emit_op(s, OP_scope_get_var);
",
        replace: "    case TOK_THIS:
        emit_source_loc(s);
        if (next_token(s))
            return -1;
        emit_op(s, OP_scope_get_var);
",
    },
    Edit {
        why: "a method is called where its name stands",
        times: 1,
        find: "        parse_property:
            if (s->token.val == TOK_PRIVATE_NAME) {
                /* private class field */
                if (get_prev_opcode(fd) == OP_get_super) {
",
        replace: "        parse_property:
            if (call_type == FUNC_CALL_NORMAL) {
                hc_line = s->token.line_num;
                hc_col = s->token.col_num;
            }
            if (s->token.val == TOK_PRIVATE_NAME) {
                /* private class field */
                if (get_prev_opcode(fd) == OP_get_super) {
",
    },
    Edit {
        why: "a call begins where its function stands",
        times: 1,
        find: "            parse_func_call2:
                emit_source_loc(s);
",
        replace: "            parse_func_call2:
                emit_source_loc_at(s, hc_line, hc_col);
",
    },
    Edit {
        why: "a call with spread arguments is where its function stands",
        times: 1,
        find: "                /* drop the index */
                emit_op(s, OP_drop);

                /* apply function call */
                switch(opcode) {
",
        replace: "                /* drop the index */
                emit_op(s, OP_drop);

                /* apply function call */
                emit_source_loc_at(s, hc_line, hc_col);
                switch(opcode) {
",
    },
    Edit {
        why: "a call is where its function stands",
        times: 1,
        find: "            emit_func_call:
                switch(opcode) {
",
        replace: "            emit_func_call:
                emit_source_loc_at(s, hc_line, hc_col);
                switch(opcode) {
",
    },
];
