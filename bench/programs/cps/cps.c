/* The Fibonacci function and Takeuchi's function in continuation-passing style. Every call is a tail call, which compilers
 * make a jump, and the continuations are on a stack of their own. */

#include "bench.h"

struct continuation;
typedef int32_t (*code)(struct continuation *self, int32_t value);

struct continuation {
    code call;
    struct continuation *next;
    int32_t x, y, z, a;
};

/* A continuation is freed when it is called: the last one first. */
static struct continuation continuations[64];
static struct continuation *top = continuations;

static struct continuation *push(struct continuation continuation) {
    *top = continuation;
    return top++;
}

static struct continuation pop(struct continuation *continuation) {
    top = continuation;
    return *continuation;
}

static int32_t fib(int32_t n, struct continuation *k);
static int32_t tak(int32_t x, int32_t y, int32_t z, struct continuation *k);

static int32_t fib_after_second(struct continuation *self, int32_t b) {
    struct continuation k = pop(self);
    return k.next->call(k.next, k.a + b);
}

static int32_t fib_after_first(struct continuation *self, int32_t a) {
    struct continuation k = pop(self);
    return fib(k.x - 2, push((struct continuation){.call = fib_after_second, .next = k.next, .a = a}));
}

static int32_t fib(int32_t n, struct continuation *k) {
    if (n < 2)
        return k->call(k, n);
    return fib(n - 1, push((struct continuation){.call = fib_after_first, .next = k, .x = n}));
}

static int32_t tak_after_third(struct continuation *self, int32_t c) {
    struct continuation k = pop(self);
    return tak(k.a, k.x, c, k.next);
}

static int32_t tak_after_second(struct continuation *self, int32_t b) {
    struct continuation k = pop(self);
    struct continuation then = {.call = tak_after_third, .next = k.next, .a = k.a, .x = b};
    return tak(k.z - 1, k.x, k.y, push(then));
}

static int32_t tak_after_first(struct continuation *self, int32_t a) {
    struct continuation k = pop(self);
    struct continuation then = {.call = tak_after_second, .next = k.next, .a = a, .x = k.x, .y = k.y, .z = k.z};
    return tak(k.y - 1, k.z, k.x, push(then));
}

static int32_t tak(int32_t x, int32_t y, int32_t z, struct continuation *k) {
    if (y >= x)
        return k->call(k, z);
    return tak(x - 1, y, z, push((struct continuation){.call = tak_after_first, .next = k, .x = x, .y = y, .z = z}));
}

static int32_t add_round(struct continuation *self, int32_t a) { return a + self->x; }

static int32_t triple(struct continuation *self, int32_t b) {
    (void)self;
    return b * 3;
}

static int32_t run(int32_t size) {
    int32_t sum = 0;
    for (int32_t round = 1; round <= size; round++) {
        int32_t n = round & 3;
        struct continuation first = {.call = add_round, .x = round}, second = {.call = triple};
        sum ^= fib(n + 7, &first) + tak(n + 5, 3, n, &second);
    }
    return sum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
