#include <stdint.h>

/* Volatile, so that the compiler does not run the constructors itself. */
static volatile int32_t order[4], count;
volatile int32_t *made;

static void note(int32_t what) { order[count++] = what; }

__attribute__((constructor)) static void last(void) {
    volatile int32_t frame[64];
    frame[0] = 3;
    note(frame[0]);
    made = order;
}
__attribute__((constructor(102))) static void second(void) { note(2); }
__attribute__((constructor(101))) static void first(void) { note(1); }

int32_t constructed(void) { return made == order ? order[0] * 1000 + order[1] * 100 + order[2] * 10 + count : 0; }
