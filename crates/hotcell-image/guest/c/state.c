/* The state of the one cell this memory holds. */

/* True while the image is made. */
static bool hc_booting = true;

typedef struct {
    bool in_use;
    uint32_t next_free;
    JSValue resolve;
    JSValue reject;
} HcCall;

static struct {
    JSRuntime *rt;
    JSContext *ctx;

    /* The promise of the run under way, or undefined. */
    JSValue run;
    /* async (program) => (await (await program).value): awaits what a program evaluated to. */
    JSValue await_result;
    /* (value) => string, never throws: how a value prints. */
    JSValue inspect;
    /* A WeakSet of the errors that tools answered with. */
    JSValue tool_errors;
    /* Names that earlier programs declared as `var` or `function`, so that a later program may declare them anew. */
    JSValue declared;
    /* Promises that were rejected while nobody listened, in order. */
    JSValue *rejections;
    uint32_t rejection_count;
    uint32_t rejection_capacity;

    HcCall *calls;
    uint32_t call_capacity;
    uint32_t free_call;
    uint32_t calls_outstanding;

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
