/* Counters in ref cells, and variables that a closure changes by reference. */

#include "bench.h"

struct counter {
    int32_t step, count;
};

static int32_t add(struct counter *counter, int32_t amount) {
    counter->count = (counter->count + counter->step * amount) & 0xFFFFF;
    return counter->count;
}

static void each(int32_t count, void (*action)(void *context, int32_t i), void *context) {
    for (int32_t i = 1; i <= count; i++)
        action(context, i);
}

struct state {
    struct counter one, other;
    int32_t state, even, odd;
};

static void advance(void *context, int32_t i) {
    struct state *all = context;
    all->state = (all->state * 25173 + 13849) & 0xFFFF;
    if ((all->state & 4) == 0)
        all->even ^= add(&all->one, all->state & 15);
    else
        all->odd ^= add(&all->other, 1) + i;
}

static int32_t run(int32_t size) {
    struct state all = {{3, 0}, {11, 0}, 1, 0, 0};
    each(size, advance, &all);
    return all.even + all.odd;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
