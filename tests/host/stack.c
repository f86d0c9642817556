#include "host.h"
#include "libstack.h"

#ifdef tree_STACK
#error "a recursive function has no bound"
#endif

/* More than any function here needs. */
#define DEPTH 2048

/* Fills the stack below the caller's frame, or returns how much of it has been used since. Both have the same frame; what is used of its
   upper end, beside the bytes, is not seen. */
static __attribute__((noinline)) int32_t below(bool fill) {
    volatile uint8_t bytes[DEPTH];
    const uint8_t *top = (const uint8_t *)__builtin_frame_address(0) + 2 * sizeof(void *);
    for (int32_t i = 0; i < DEPTH; i++)
        if (fill)
            bytes[i] = 0xa5;
        else if (bytes[i] != 0xa5)
            return top - (const uint8_t *)&bytes[i];
    return 0;
}

static void measure(const char *name, int32_t (*call)(int32_t), int32_t bound) {
    below(true);
    int32_t result = call(21);
    int32_t used = below(false);
    number(name, result);
    if (used > bound)
        number("more stack than the bound", used - bound);
    if (bound > 8 * used + 512)
        number("a bound that is too high", bound);
}

void run(void) {
    stack_init();
    measure("plain", plain, plain_STACK);
    measure("chain", chain, chain_STACK);
    measure("routines", routines, routines_STACK);
    measure("closures", closures, closures_STACK);
    measure("table", table, table_STACK);
    number("tree", tree(9));
}
