/* Toggles a light every half second, by the system timer. */

#include "bench.h"

enum { CYCLES = 25000000 / 2 };

static volatile uint32_t *const leds = (uint32_t *)0x40028000;
static volatile uint32_t *const timer = (uint32_t *)0xE000E010;

/* Half a second. */
static void pause(void) {
    while (!(timer[0] & 1 << 16)) {
    }
}

int main(void) {
    timer[1] = CYCLES - 1;
    timer[2] = 0;
    timer[0] = 5;
    for (int32_t count = bench_size(); count > 0; count--) {
        *leds ^= 1;
        pause();
    }
    bench_result(0);
    return 0;
}
