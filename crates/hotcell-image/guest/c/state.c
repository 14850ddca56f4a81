/* The state of the one cell this memory holds. */

/* True while the image is made. */
static bool hc_booting = true;

typedef struct {
    bool in_use;
    uint32_t next_free;
    JSValue resolve;
    JSValue reject;
    JSValue tool;
    /* The function that made the call, and where in its code; undefined if no function of the program did. */
    JSValue function;
    uint32_t position;
} HcCall;

typedef struct {
    /* In `timer_time`. */
    double due;
    /* Of one that repeats, else negative. */
    double interval;
    uint64_t id;
    /* Which was set first of those that are due at once. */
    uint64_t order;
    JSValue callback;
    JSValue *arguments;
    int count;
} HcTimer;

static struct {
    JSRuntime *rt;
    JSContext *ctx;

    /* The promise of the run under way, or undefined. */
    JSValue run;
    /* async (program) => (await (await program).value): awaits what a program evaluated to. */
    JSValue await_result;
    /* (value) => string, never throws: how a value prints. */
    JSValue inspect;
    /* A WeakMap of the errors that tools answered with, to the tools. */
    JSValue tool_errors;
    /* Names that earlier programs declared as `var` or `function`, so that a later program may declare them anew. */
    JSValue declared;
    /* (tool, name) => function: its calls give an async iterator over the items of pages, which the tool answers. */
    JSValue make_pages;
    /* (tool, name) => function: its calls give what the JSON text means that the tool answers. */
    JSValue make_json;
    /* Namespaces of tools by their names; the same objects that the global names hold. */
    JSValue namespaces;
    /* Modules of the host's by their names: frozen objects of what they export. */
    JSValue modules;
    /* Promises that were rejected while nobody listened, in order. */
    JSValue *rejections;
    uint32_t rejection_count;
    uint32_t rejection_capacity;

    HcCall *calls;
    uint32_t call_capacity;
    uint32_t free_call;
    uint32_t calls_outstanding;

    /* A heap of what is pending: see timers.c. */
    HcTimer *timers;
    uint32_t timer_count;
    uint32_t timer_capacity;
    uint64_t timer_order;
    uint64_t last_timer;
    /* The last one that was set before the run under way. */
    uint64_t timers_before;
    /* The one whose callback runs; 0 if none does, or it was cleared meanwhile. */
    uint64_t firing_timer;
    /* Whether the global names are there. */
    bool timers_granted;

    /* What the image itself is made of. The cycle collector never visits it: see hc_make_image_permanent. */
    struct list_head permanent;
} hc;

/* Constructors that decoding needs, taken while the image is built: user code may replace the global names. */
static struct {
    JSValue Map;
    JSValue Set;
    JSValue RegExp;
    JSValue DataView;
    JSValue DOMException;
} hc_intrinsics;

/* Forgets the pending exception. For places where a failure has an answer of its own. */
static void hc_drop_exception(JSContext *ctx)
{
    JS_FreeValue(ctx, JS_GetException(ctx));
}
