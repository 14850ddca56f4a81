/* Clock and chance, by the host's policy. */

enum {
    HC_CLOCK_OFF = 0,
    HC_CLOCK_REAL = 1,
    HC_CLOCK_FIXED = 2,
};
enum {
    HC_RANDOM_OFF = 0,
    HC_RANDOM_REAL = 1,
    HC_RANDOM_SEEDED = 2,
};

/* NaN when the clock is off. */
static double hc_clock(void)
{
    switch (hc_policy.clock) {
    case HC_CLOCK_REAL:
        return floor(host_now());
    case HC_CLOCK_FIXED:
        /* Virtual time is what timers have waited. */
        return hc_policy.fixed_time + (hc_policy.timers ? floor(hc_policy.timer_time) : 0);
    default:
        return NAN;
    }
}

static JSValue hc_throw_clock_off(JSContext *ctx, const char *what)
{
    return JS_ThrowTypeError(ctx, "%s is off in this cell: there is no clock unless the host allows one "
                             "(clock: \"real\" or {fixed: ms}). Ask for the time through a tool or a variable.", what);
}

static JSValue hc_date_now(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val; (void)argc; (void)argv;
    double now = hc_clock();
    return isnan(now) ? hc_throw_clock_off(ctx, "Date.now()") : JS_NewFloat64(ctx, now);
}

/* The engine's own constructor serves every call that does not read the clock. */
static JSValue hc_date(JSContext *ctx, JSValueConst new_target, int argc, JSValueConst *argv)
{
    bool as_function = JS_IsUndefined(new_target);
    if (argc > 0 && !as_function)
        return js_date_constructor(ctx, new_target, argc, argv);
    double now = hc_clock();
    if (isnan(now))
        return hc_throw_clock_off(ctx, as_function ? "Date()" : "new Date()");
    JSValue time = JS_NewFloat64(ctx, now);
    if (!as_function)
        return js_date_constructor(ctx, new_target, 1, vc(&time));
    JSValue date = JS_NewDate(ctx, now);
    JSValue text = JS_ToString(ctx, date);
    JS_FreeValue(ctx, date);
    return text;
}

static JSValue hc_math_random(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val; (void)argc; (void)argv;
    uint64_t bits;
    switch (hc_policy.random) {
    case HC_RANDOM_REAL:
        bits = host_random();
        break;
    case HC_RANDOM_SEEDED:
        /* splitmix64: any seed, zero included, gives a full sequence. */
        bits = hc_policy.seed += 0x9e3779b97f4a7c15u;
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
        bits ^= bits >> 31;
        break;
    default:
        return JS_ThrowTypeError(ctx, "Math.random() is off in this cell: there is no randomness unless the host allows it "
                                 "(random: \"real\" or {seed: n}). Ask for random data through a tool or a variable.");
    }
    return JS_NewFloat64(ctx, (double)(bits >> 11) * 0x1p-53);
}

/* Replaces what an existing native function runs. Its identity, name and properties stay, so lockdown() knows it. */
static bool hc_replace_native(JSContext *ctx, JSValueConst holder, const char *name, JSCFunction *function)
{
    JSValue value = JS_GetPropertyStr(ctx, holder, name);
    bool ok = JS_IsObject(value) && JS_VALUE_GET_OBJ(value)->class_id == JS_CLASS_C_FUNCTION;
    if (ok)
        JS_VALUE_GET_OBJ(value)->u.cfunc.c_function.generic = function;
    JS_FreeValue(ctx, value);
    return ok;
}

static bool hc_install_policy(JSContext *ctx)
{
    JSValue date = JS_GetPropertyStr(ctx, ctx->global_obj, "Date");
    JSValue math = JS_GetPropertyStr(ctx, ctx->global_obj, "Math");
    bool ok = hc_replace_native(ctx, ctx->global_obj, "Date", hc_date) && hc_replace_native(ctx, date, "now", hc_date_now)
        && hc_replace_native(ctx, math, "random", hc_math_random);
    JS_FreeValue(ctx, date);
    JS_FreeValue(ctx, math);
    return ok;
}
