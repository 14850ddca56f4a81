/* Timers: `setTimeout`, `setInterval`, `setImmediate` and their clears, where the host grants them.
 *
 * What is pending is here, in the cell's memory, so that snapshots carry it; the host only wakes the cell in time. When a timer
 * is due is told in milliseconds of a time of its own, `timer_time`. The host keeps it, and it stands still where nobody holds
 * the cell: what remains of a wait is what remained when the snapshot was made. With a fixed clock the time is virtual: it is
 * moved on to the next timer as soon as nothing else is to be waited for, and the clock with it. */

enum {
    HC_TIMERS_OFF = 0,
    HC_TIMERS_ON = 1,
    HC_TIMERS_PERSIST = 2, /* what is pending when a run ends stays for the next */
};

enum {
    HC_TIMEOUT,
    HC_INTERVAL,
    HC_IMMEDIATE,
};

/* So many may be pending: looking for one that is cleared takes a step for each. */
#define HC_MAX_TIMERS 10000
/* As everywhere else: nothing is shorter than a millisecond, and what is longer than this takes one. */
#define HC_LONGEST_DELAY 2147483647.0
/* What setImmediate takes of virtual time, so that code that waits with it for a timer gets there. */
#define HC_VIRTUAL_IMMEDIATE 0.001

static const char *const hc_timer_names[] = { "setTimeout", "setInterval", "setImmediate" };
static const char *const hc_clear_names[] = { "clearTimeout", "clearInterval", "clearImmediate" };

static bool hc_time_is_virtual(void)
{
    return hc_policy.clock == HC_CLOCK_FIXED;
}

static double hc_timer_now(void)
{
    return hc_time_is_virtual() ? hc_policy.timer_time : host_timer_time();
}

static bool hc_has_timers(void)
{
    return hc_policy.timers != HC_TIMERS_OFF && hc.timer_count > 0;
}

/* The timers are a heap: the first is the next. Equal times are in the order in which the timers were set. */

static bool hc_is_before(const HcTimer *a, const HcTimer *b)
{
    return a->due < b->due || (a->due == b->due && a->order < b->order);
}

static void hc_swap_timers(uint32_t a, uint32_t b)
{
    HcTimer timer = hc.timers[a];
    hc.timers[a] = hc.timers[b];
    hc.timers[b] = timer;
}

static void hc_sift_up(uint32_t at)
{
    while (at > 0 && hc_is_before(&hc.timers[at], &hc.timers[(at - 1) / 2])) {
        hc_swap_timers(at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static void hc_sift_down(uint32_t at)
{
    for (;;) {
        uint32_t first = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < hc.timer_count; child++) {
            if (hc_is_before(&hc.timers[child], &hc.timers[first]))
                first = child;
        }
        if (first == at)
            return;
        hc_swap_timers(at, first);
        at = first;
    }
}

/* Takes the timer and its values. False if there is no memory for it. */
static bool hc_put_timer(JSContext *ctx, HcTimer timer)
{
    if (hc.timer_count == hc.timer_capacity) {
        uint32_t capacity = hc.timer_capacity ? hc.timer_capacity * 2 : 8;
        HcTimer *timers = realloc(hc.timers, capacity * sizeof *timers);
        if (!timers) {
            JS_ThrowOutOfMemory(ctx);
            return false;
        }
        hc.timers = timers;
        hc.timer_capacity = capacity;
    }
    timer.order = ++hc.timer_order;
    hc.timers[hc.timer_count] = timer;
    hc_sift_up(hc.timer_count++);
    return true;
}

/* The timer at this place, which is no longer pending. */
static HcTimer hc_take_timer(uint32_t at)
{
    HcTimer timer = hc.timers[at];
    hc.timers[at] = hc.timers[--hc.timer_count];
    if (at < hc.timer_count) {
        hc_sift_down(at);
        hc_sift_up(at);
    }
    return timer;
}

static void hc_free_timer(JSContext *ctx, HcTimer *timer)
{
    JS_FreeValue(ctx, timer->callback);
    for (int i = 0; i < timer->count; i++)
        JS_FreeValue(ctx, timer->arguments[i]);
    js_free(ctx, timer->arguments);
}

/* setTimeout(callback, delay, …arguments), and likewise the others; setImmediate takes no delay. */
static JSValue hc_set_timer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int kind)
{
    (void)this_val;
    const char *name = hc_timer_names[kind];
    if (hc_policy.timers == HC_TIMERS_OFF)
        return JS_ThrowTypeError(ctx, "%s is off in this cell: there are no timers unless the host allows them (timers: true). "
                                 "`await` the tools, or a tool that waits.", name);
    if (argc < 1 || !JS_IsFunction(ctx, argv[0]))
        return JS_ThrowTypeError(ctx, "%s needs a function, as in %s(() => { … }%s)", name, name,
                                 kind == HC_IMMEDIATE ? "" : ", milliseconds");
    double delay = hc_time_is_virtual() ? HC_VIRTUAL_IMMEDIATE : 0;
    int given = 1;
    if (kind != HC_IMMEDIATE) {
        given = argc < 2 ? 1 : 2;
        delay = 1;
        if (argc > 1 && JS_ToFloat64(ctx, &delay, argv[1]))
            return JS_EXCEPTION;
        delay = delay >= 1 && delay <= HC_LONGEST_DELAY ? trunc(delay) : 1;
    }
    if (hc.timer_count >= HC_MAX_TIMERS)
        return JS_ThrowRangeError(ctx, "too many timers: %u are pending, await or clear some first", (unsigned)hc.timer_count);
    HcTimer timer = { .interval = kind == HC_INTERVAL ? delay : -1, .count = argc - given };
    if (timer.count > 0 && !(timer.arguments = js_malloc(ctx, timer.count * sizeof *timer.arguments)))
        return JS_EXCEPTION;
    for (int i = 0; i < timer.count; i++)
        timer.arguments[i] = JS_DupValue(ctx, argv[given + i]);
    timer.callback = JS_DupValue(ctx, argv[0]);
    timer.due = hc_timer_now() + delay;
    timer.id = hc.last_timer + 1;
    if (!hc_put_timer(ctx, timer)) {
        hc_free_timer(ctx, &timer);
        return JS_EXCEPTION;
    }
    hc.last_timer = timer.id;
    return JS_NewInt64(ctx, (int64_t)timer.id);
}

/* clearTimeout(id), and the others, which do the same. What is no timer's number is ignored. */
static JSValue hc_clear_timer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int kind)
{
    (void)this_val; (void)kind;
    double id;
    if (argc < 1 || !(JS_IsNumber(argv[0]) || JS_IsString(argv[0])))
        return JS_UNDEFINED;
    if (JS_ToFloat64(ctx, &id, argv[0]))
        return JS_EXCEPTION;
    if (id == (double)hc.firing_timer)
        hc.firing_timer = 0;
    for (uint32_t i = 0; i < hc.timer_count; i++) {
        if ((double)hc.timers[i].id == id) {
            HcTimer timer = hc_take_timer(i);
            hc_free_timer(ctx, &timer);
            break;
        }
    }
    return JS_UNDEFINED;
}

/* Runs the callback of the next timer, if it is due. 1 if so, 0 if not, -1 with the exception that it threw. */
static int hc_fire_timer(JSContext *ctx)
{
    if (!hc_has_timers())
        return 0;
    if (hc.timers[0].due > hc_timer_now()) {
        /* What the host is asked takes no virtual time, so none goes by before it has answered. */
        if (!hc_time_is_virtual() || hc.calls_outstanding)
            return 0;
        hc_policy.timer_time = hc.timers[0].due;
    }
    HcTimer timer = hc_take_timer(0);
    hc.firing_timer = timer.id;
    JSValue done = JS_Call(ctx, timer.callback, JS_UNDEFINED, timer.count, vc(timer.arguments));
    bool ok = !JS_IsException(done);
    bool again = ok && timer.interval >= 0 && hc.firing_timer == timer.id;
    hc.firing_timer = 0;
    JS_FreeValue(ctx, done);
    if (again) {
        /* From now on, and not from when it was due: what takes long does not pile up. */
        timer.due = hc_timer_now() + timer.interval;
        if (hc_put_timer(ctx, timer))
            return 1;
        ok = false;
    }
    hc_free_timer(ctx, &timer);
    return ok ? 1 : -1;
}

/* Those that were set since the run began that is ending, or all, fire no more. */
static void hc_drop_timers(JSContext *ctx, bool all)
{
    for (uint32_t i = hc.timer_count; i-- > 0;) {
        if (all || hc.timers[i].id > hc.timers_before) {
            hc_free_timer(ctx, &hc.timers[i]);
            hc.timers[i] = hc.timers[--hc.timer_count];
        }
    }
    for (uint32_t i = hc.timer_count; i-- > 0;)
        hc_sift_down(i);
}

/* Tells the host when to come back, in timer time: at a timer, or not before there is an answer. */
static void hc_note_next_timer(void)
{
    hc_policy.timer_due = hc_has_timers() && !hc_time_is_virtual() ? hc.timers[0].due : INFINITY;
}

static bool hc_is_timer_function(JSValueConst value)
{
    if (!JS_IsObject(value) || JS_VALUE_GET_OBJ(value)->class_id != JS_CLASS_C_FUNCTION)
        return false;
    JSObject *p = JS_VALUE_GET_OBJ(value);
    return p->u.cfunc.c_function.generic_magic == hc_set_timer || p->u.cfunc.c_function.generic_magic == hc_clear_timer;
}

/* Makes one of the functions global, unless a program has taken its name; or takes it away. */
static bool hc_grant_timer(JSContext *ctx, const char *text, JSCFunctionMagic *function, int kind)
{
    JSAtom name = JS_NewAtom(ctx, text);
    if (name == JS_ATOM_NULL)
        return false;
    JSProperty *property;
    JSShapeProperty *existing = find_own_property(&property, JS_VALUE_GET_OBJ(ctx->global_obj), name);
    bool ok = true;
    if (hc_policy.timers == HC_TIMERS_OFF) {
        if (existing && !(existing->flags & JS_PROP_TMASK) && hc_is_timer_function(property->u.value))
            ok = hc_remove_property(ctx, ctx->global_obj, name);
    } else if (!existing) {
        JSCFunctionType type = { .generic_magic = function };
        JSValue made = JS_NewCFunction2(ctx, type.generic, text, 1, JS_CFUNC_generic_magic, kind);
        ok = !JS_IsException(made) && JS_FreezeObject(ctx, made) >= 0;
        if (ok)
            ok = JS_DefinePropertyValue(ctx, ctx->global_obj, name, made, JS_PROP_C_W_E) >= 0;
        else
            JS_FreeValue(ctx, made);
    }
    JS_FreeAtom(ctx, name);
    return ok;
}

/* The global names are there if the host grants timers, and not if not: it may be another than at the last run. */
static bool hc_grant_timers(JSContext *ctx)
{
    bool granted = hc_policy.timers != HC_TIMERS_OFF;
    if (granted == hc.timers_granted)
        return true;
    for (int kind = HC_TIMEOUT; kind <= HC_IMMEDIATE; kind++) {
        if (!hc_grant_timer(ctx, hc_timer_names[kind], hc_set_timer, kind)
            || !hc_grant_timer(ctx, hc_clear_names[kind], hc_clear_timer, kind))
            return false;
    }
    hc.timers_granted = granted;
    return true;
}
