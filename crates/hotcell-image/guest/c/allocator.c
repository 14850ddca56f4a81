/* The allocator under everything: malloc and its family, in place of the C library's.
 *
 * The library's rounds sizes up to powers of two, so that a cell could use half of the memory it was given. This one is
 * made for what a cell does: the engine asks for arenas of 4 KiB, where it keeps small objects, and for large blocks.
 * And it is made for where a cell lives: pages of the image are shared by all cells until one writes to them, so it
 * writes to as few as it can.
 *
 * The heap is a row of blocks, from the end of the static data up to `top`. A block is a word that holds its size, then
 * the caller's bytes. While a block is free, its first bytes link it to others of about its size, and its last word
 * repeats the size, so that the block after it can find its start (two-level segregated fit with boundary tags).
 *
 *     | size, flags | caller's bytes …          |    in use
 *     | size, flags | next | previous | … | size |   free
 *
 * Two free blocks are never neighbours, and the last block is never free: freeing it lowers `top` instead. What is
 * above `top` has no structure, so growing the heap writes nothing. Every operation takes constant time, except for
 * copying and zeroing. */

/* Not ours, and the library's would not fit: what they return could not be freed here. */
#pragma GCC poison aligned_alloc posix_memalign memalign valloc

typedef struct HcBlock {
    /* Of the whole block, this word included: a multiple of 8, hence the low bits are free for flags. */
    uint32_t size;
    /* In a free block only. */
    struct HcBlock *next;
    struct HcBlock *previous;
} HcBlock;

enum {
    HC_BLOCK_FREE = 1,
    HC_BLOCK_AFTER_FREE = 2,
    HC_BLOCK_FLAGS = 7,

    HC_BLOCK_HEADER = sizeof(uint32_t),
    /* Header, two links, size again. */
    HC_BLOCK_MIN = 16,
    /* Far below what would overflow, far above what a cell can have. */
    HC_BLOCK_MAX = 0x7fff0000,

    HC_PAGE_SIZE = 65536,

    /* Sizes below 128 have a bin each; above, every power of two is cut into 16. */
    HC_BIN_BITS = 4,
    HC_BINS = 1 << HC_BIN_BITS,
    HC_BIN_ROWS = 26,
    /* How many blocks of the wanted size's own bin are looked at: some may be a little too small. */
    HC_BIN_LOOKS = 8,
};

extern unsigned char __heap_base;

static struct {
    /* Where the next block would begin; NULL before the first call. */
    unsigned char *top;
    /* The highest that `top` has been. From here on memory is as the host gave it: zero. */
    unsigned char *touched;
    /* Which rows have a block, and which bins of each row. */
    uint32_t rows;
    uint32_t bins[HC_BIN_ROWS];
    HcBlock *first[HC_BIN_ROWS][HC_BINS];
} hc_heap;

static inline uint32_t hc_block_size(const HcBlock *block)
{
    return block->size & ~HC_BLOCK_FLAGS;
}

static inline HcBlock *hc_block_at(void *start, size_t offset)
{
    return (HcBlock *)((unsigned char *)start + offset);
}

static inline HcBlock *hc_block_of(void *memory)
{
    return (HcBlock *)((unsigned char *)memory - HC_BLOCK_HEADER);
}

static inline void *hc_block_memory(HcBlock *block)
{
    return (unsigned char *)block + HC_BLOCK_HEADER;
}

/* The size as the word before the next block. */
static inline uint32_t *hc_block_footer(HcBlock *block, uint32_t size)
{
    return (uint32_t *)((unsigned char *)block + size) - 1;
}

/* The size of the block that holds so many bytes, or 0 if there cannot be one. */
static inline uint32_t hc_block_size_for(size_t bytes)
{
    if (bytes > HC_BLOCK_MAX)
        return 0;
    uint32_t size = (bytes + HC_BLOCK_HEADER + 7) & ~7u;
    return size < HC_BLOCK_MIN ? HC_BLOCK_MIN : size;
}

/* The bin where a free block of this size is kept. */
static inline void hc_bin_of(uint32_t size, uint32_t *row, uint32_t *bin)
{
    if (size < HC_BINS * 8) {
        *row = 0;
        *bin = size / 8;
    } else {
        uint32_t log = 31 - __builtin_clz(size);
        *row = log - HC_BIN_BITS - 2;
        *bin = size >> (log - HC_BIN_BITS) & (HC_BINS - 1);
    }
}

/* Makes a free block of memory whose neighbours are in use. The newest comes first: its pages are the cell's own. */
static void hc_block_link(HcBlock *block, uint32_t size)
{
    uint32_t row, bin;
    hc_bin_of(size, &row, &bin);
    HcBlock **first = &hc_heap.first[row][bin];
    block->size = size | HC_BLOCK_FREE;
    *hc_block_footer(block, size) = size;
    block->previous = NULL;
    block->next = *first;
    if (*first)
        (*first)->previous = block;
    *first = block;
    hc_heap.bins[row] |= 1u << bin;
    hc_heap.rows |= 1u << row;
}

static void hc_block_unlink(HcBlock *block)
{
    if (block->next)
        block->next->previous = block->previous;
    if (block->previous) {
        block->previous->next = block->next;
        return;
    }
    uint32_t row, bin;
    hc_bin_of(hc_block_size(block), &row, &bin);
    hc_heap.first[row][bin] = block->next;
    if (!block->next) {
        hc_heap.bins[row] &= ~(1u << bin);
        if (!hc_heap.bins[row])
            hc_heap.rows &= ~(1u << row);
    }
}

/* A free block of at least this size, or NULL. */
static HcBlock *hc_heap_find(uint32_t size)
{
    uint32_t row, bin;
    hc_bin_of(size, &row, &bin);
    HcBlock *block = hc_heap.first[row][bin];
    for (int looks = 0; block && looks < HC_BIN_LOOKS; looks++, block = block->next) {
        if (hc_block_size(block) >= size)
            return block;
    }
    /* Everything in a higher bin is large enough. Shifting twice, because 32 at once would be undefined. */
    uint32_t bins = hc_heap.bins[row] & ~0u << bin << 1;
    if (!bins) {
        uint32_t rows = hc_heap.rows & ~0u << row << 1;
        if (!rows)
            return NULL;
        row = __builtin_ctz(rows);
        bins = hc_heap.bins[row];
    }
    return hc_heap.first[row][__builtin_ctz(bins)];
}

/* Raises `top`. The host is asked for no more than is missing, so that it refuses only what does not fit the limit. */
static bool hc_heap_raise(uint32_t by)
{
    uint64_t end = (uint64_t)(uintptr_t)hc_heap.top + by;
    uint64_t pages = __builtin_wasm_memory_size(0);
    uint64_t needed = (end + HC_PAGE_SIZE - 1) / HC_PAGE_SIZE;
    if (needed > pages && __builtin_wasm_memory_grow(0, needed - pages) == SIZE_MAX)
        return false;
    hc_heap.top += by;
    if (hc_heap.touched < hc_heap.top)
        hc_heap.touched = hc_heap.top;
    return true;
}

/* Takes back memory that follows a block in use: the boundary tags before it need no change. */
static void hc_heap_give(HcBlock *block, uint32_t size)
{
    HcBlock *next = hc_block_at(block, size);
    if ((unsigned char *)next == hc_heap.top) {
        hc_heap.top = (unsigned char *)block;
        return;
    }
    if (next->size & HC_BLOCK_FREE) {
        hc_block_unlink(next);
        size += hc_block_size(next);
    } else {
        next->size |= HC_BLOCK_AFTER_FREE;
    }
    hc_block_link(block, size);
}

/* Takes back what a block in use has beyond `size`, if that makes a block. */
static void hc_block_trim(HcBlock *block, uint32_t size)
{
    uint32_t rest = hc_block_size(block) - size;
    if (rest < HC_BLOCK_MIN)
        return;
    block->size -= rest;
    hc_heap_give(hc_block_at(block, size), rest);
}

/* Where the first block begins. Headers lie four bytes below a multiple of 8, so that what callers get is one. */
static unsigned char *hc_heap_start(void)
{
    return (unsigned char *)(((uintptr_t)&__heap_base + HC_BLOCK_HEADER + 7) / 8 * 8 - HC_BLOCK_HEADER);
}

static HcBlock *hc_heap_take(uint32_t size)
{
    HcBlock *block = hc_heap_find(size);
    if (block) {
        hc_block_unlink(block);
        block->size &= ~HC_BLOCK_FREE;
        hc_block_at(block, block->size)->size &= ~HC_BLOCK_AFTER_FREE;
        hc_block_trim(block, size);
        return block;
    }
    if (!hc_heap.top)
        hc_heap.top = hc_heap.touched = hc_heap_start();
    block = (HcBlock *)hc_heap.top;
    if (!hc_heap_raise(size))
        return NULL;
    block->size = size;
    return block;
}

/* Makes a block in use larger where it is. */
static bool hc_block_extend(HcBlock *block, uint32_t size)
{
    uint32_t before = hc_block_size(block);
    HcBlock *next = hc_block_at(block, before);
    if ((unsigned char *)next == hc_heap.top) {
        if (!hc_heap_raise(size - before))
            return false;
        block->size += size - before;
        return true;
    }
    uint32_t gain = hc_block_size(next);
    if (!(next->size & HC_BLOCK_FREE) || before + gain < size)
        return false;
    hc_block_unlink(next);
    hc_block_at(next, gain)->size &= ~HC_BLOCK_AFTER_FREE;
    block->size += gain;
    hc_block_trim(block, size);
    return true;
}

/* The functions of the C standard are not inlined: compilers know them by name and take for granted that a caller
   cannot see the words around its memory. */
#define HC_STANDARD __attribute__((noinline, visibility("hidden")))

HC_STANDARD void *malloc(size_t bytes)
{
    uint32_t size = hc_block_size_for(bytes);
    HcBlock *block = size ? hc_heap_take(size) : NULL;
    return block ? hc_block_memory(block) : NULL;
}

HC_STANDARD void free(void *memory)
{
    if (!memory)
        return;
    HcBlock *block = hc_block_of(memory);
    uint32_t size = hc_block_size(block);
    if (block->size & HC_BLOCK_AFTER_FREE) {
        uint32_t gain = ((uint32_t *)block)[-1];
        block = (HcBlock *)((unsigned char *)block - gain);
        hc_block_unlink(block);
        size += gain;
    }
    hc_heap_give(block, size);
}

HC_STANDARD void *calloc(size_t count, size_t each)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, each, &bytes))
        return NULL;
    unsigned char *clean = hc_heap.touched;
    uint32_t size = hc_block_size_for(bytes);
    HcBlock *block = size ? hc_heap_take(size) : NULL;
    if (!block)
        return NULL;
    /* Writing zeros over the host's would only cost pages. */
    unsigned char *memory = hc_block_memory(block);
    size_t used = memory < clean ? clean - memory : 0;
    memset(memory, 0, used < bytes ? used : bytes);
    return memory;
}

HC_STANDARD void *realloc(void *memory, size_t bytes)
{
    if (!memory)
        return malloc(bytes);
    uint32_t size = hc_block_size_for(bytes);
    if (!size)
        return NULL;
    HcBlock *block = hc_block_of(memory);
    if (size <= hc_block_size(block)) {
        hc_block_trim(block, size);
        return memory;
    }
    if (hc_block_extend(block, size))
        return memory;
    HcBlock *moved = hc_heap_take(size);
    if (!moved)
        return NULL;
    memcpy(hc_block_memory(moved), memory, hc_block_size(block) - HC_BLOCK_HEADER);
    free(memory);
    return hc_block_memory(moved);
}

HC_STANDARD size_t malloc_usable_size(void *memory)
{
    return memory ? hc_block_size(hc_block_of(memory)) - HC_BLOCK_HEADER : 0;
}

/* Ends the making of the image. What is free is wiped, since it would be garbage in every cell, and given up for good:
   blocks put into the holes between the image's own would dirty two of its pages each. What a cell allocates begins on a
   page of its own instead. */
__attribute__((noinline)) static void hc_heap_seal(void)
{
    enum { SHARED_PAGE = 4096 };
    HcBlock *block = (HcBlock *)hc_heap_start();
    while (hc_heap.top && (unsigned char *)block < hc_heap.top) {
        uint32_t size = hc_block_size(block);
        if (block->size & HC_BLOCK_FREE) {
            memset(hc_block_memory(block), 0, size - HC_BLOCK_HEADER);
            block->size = size;
        } else {
            block->size &= ~HC_BLOCK_AFTER_FREE;
        }
        block = hc_block_at(block, size);
    }
    memset(hc_heap.top, 0, hc_heap.touched - hc_heap.top);
    memset(hc_heap.bins, 0, sizeof hc_heap.bins);
    memset(hc_heap.first, 0, sizeof hc_heap.first);
    hc_heap.rows = 0;
    /* Memory comes in larger pages, so there is some up to the next one of these. */
    uint32_t filler = -(uintptr_t)hc_heap.top & (SHARED_PAGE - 1);
    if (filler >= HC_BLOCK_MIN) {
        hc_block_at(hc_heap.top, 0)->size = filler;
        hc_heap.top += filler;
    }
    hc_heap.touched = hc_heap.top;
}
