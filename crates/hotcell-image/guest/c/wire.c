/* The form in which values cross the wall. The Rust side has the same table in `wire.rs`.
 *
 * A value is a tag and what the tag says. Numbers are LEB128 unless they are doubles (8 bytes, little endian). Every
 * object gets the next index when its tag is met; HC_REFERENCE names an earlier one, so sharing and cycles survive. */

enum {
    HC_UNDEFINED = 0,
    HC_NULL = 1,
    HC_FALSE = 2,
    HC_TRUE = 3,
    HC_INTEGER = 4,     /* zigzag */
    HC_DOUBLE = 5,
    HC_BIGINT = 6,      /* length, two's complement bytes, little endian */
    HC_LATIN1 = 7,      /* length, bytes */
    HC_UTF16 = 8,       /* length in units, units */
    HC_UTF8 = 9,        /* length, bytes; only towards the cell */
    HC_OBJECT = 10,     /* (key, value)…, HC_END */
    HC_ARRAY = 11,      /* length, then values or HC_HOLES until all are covered */
    HC_HOLES = 12,      /* how many */
    HC_DATE = 13,
    HC_REGEXP = 14,     /* source, flags */
    HC_MAP = 15,        /* count, (key, value)… */
    HC_SET = 16,        /* count, values */
    HC_BUFFER = 17,     /* length, bytes */
    HC_VIEW = 18,       /* element kind, byte offset, length in elements, buffer */
    HC_ERROR = 19,      /* name, message, stack, cause or HC_END, then (key, value)…, HC_END */
    HC_BOXED = 20,      /* a primitive */
    HC_REFERENCE = 21,  /* index */
    HC_END = 22,
};

/* Nesting beyond this is an error on both sides: the host's own code walks values recursively. */
#define HC_MAX_DEPTH 1000

/* Whether the codec, which recurses with the value, may go one level deeper. It checks the stacks as the engine does: its
   own at every level, the machine's, which the host has to be asked about, at every sixteenth. Throws a RangeError. */
static bool hc_may_nest(JSContext *ctx, uint32_t depth)
{
    if (likely(!hc_check_c_stack(ctx->rt, 0) && ((depth & 15) != 15 || !hc_machine_stack_is_low())))
        return true;
    JS_ThrowStackOverflow(ctx);
    return false;
}

/* Messages on their way out. One buffer for all of them, used like a stack: a getter that runs while a value is being
   encoded may call a tool, whose arguments are encoded above what is there. Hence offsets, never pointers. */
static struct {
    uint8_t *data;
    size_t length;
    size_t capacity;
} hc_out;

static bool hc_reserve(size_t extra)
{
    if (likely(hc_out.capacity - hc_out.length >= extra))
        return true;
    size_t wanted = hc_out.capacity ? hc_out.capacity : 1024;
    while (wanted - hc_out.length < extra) {
        if (wanted > SIZE_MAX / 2)
            return false;
        wanted *= 2;
    }
    uint8_t *data = realloc(hc_out.data, wanted);
    if (!data)
        return false;
    hc_out.data = data;
    hc_out.capacity = wanted;
    return true;
}

static bool hc_put_byte(uint8_t byte)
{
    if (!hc_reserve(1))
        return false;
    hc_out.data[hc_out.length++] = byte;
    return true;
}

static bool hc_put_bytes(const void *bytes, size_t length)
{
    if (!hc_reserve(length))
        return false;
    if (length)
        memcpy(hc_out.data + hc_out.length, bytes, length);
    hc_out.length += length;
    return true;
}

static bool hc_put_number(uint64_t n)
{
    if (!hc_reserve(10))
        return false;
    uint8_t *p = hc_out.data + hc_out.length;
    while (n >= 0x80) {
        *p++ = (uint8_t)n | 0x80;
        n >>= 7;
    }
    *p++ = (uint8_t)n;
    hc_out.length = p - hc_out.data;
    return true;
}

static bool hc_put_double(double d)
{
    return hc_put_bytes(&d, sizeof d);
}

/* A message coming in. */
typedef struct {
    const uint8_t *at;
    const uint8_t *end;
} HcIn;

static bool hc_get_byte(HcIn *in, uint8_t *byte)
{
    if (in->at >= in->end)
        return false;
    *byte = *in->at++;
    return true;
}

static bool hc_get_number(HcIn *in, uint64_t *n)
{
    uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint8_t byte;
        if (!hc_get_byte(in, &byte))
            return false;
        result |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *n = result;
            return true;
        }
    }
    return false;
}

/* A count of things of which each takes at least one byte of the message. */
static bool hc_get_count(HcIn *in, uint32_t *count)
{
    uint64_t n;
    if (!hc_get_number(in, &n) || n > (uint64_t)(in->end - in->at))
        return false;
    *count = (uint32_t)n;
    return true;
}

static bool hc_get_bytes(HcIn *in, const uint8_t **bytes, size_t length)
{
    if ((size_t)(in->end - in->at) < length)
        return false;
    *bytes = in->at;
    in->at += length;
    return true;
}

static bool hc_get_double(HcIn *in, double *d)
{
    const uint8_t *bytes;
    if (!hc_get_bytes(in, &bytes, sizeof *d))
        return false;
    memcpy(d, bytes, sizeof *d);
    return true;
}

/* A reply of the host. `owned` is to be freed unless it is NULL. */
typedef struct {
    HcIn in;
    uint8_t *owned;
} HcReply;

/* A reply in the inbox is good until the next call to the host. */
static bool hc_receive(JSContext *ctx, int32_t length, HcReply *reply)
{
    reply->owned = NULL;
    if (length < 0) {
        JS_ThrowInternalError(ctx, "the host gave no answer");
        return false;
    }
    const uint8_t *data = hc_inbox;
    if (length > HC_INBOX_SIZE) {
        uint8_t *copy = malloc(length);
        if (!copy) {
            JS_ThrowOutOfMemory(ctx);
            return false;
        }
        host_take(copy, length);
        reply->owned = copy;
        data = copy;
    }
    reply->in.at = data;
    reply->in.end = data + length;
    return true;
}

static void hc_release(HcReply *reply)
{
    free(reply->owned);
    reply->owned = NULL;
}
