/* Church numerals are added, multiplied and applied. */

#include "bench.h"

struct function {
    int32_t (*call)(const struct function *self, int32_t x);
};

struct numeral {
    int32_t (*call)(const struct numeral *self, const struct function *f, int32_t x);
    const struct numeral *m, *n;
};

static int32_t apply(const struct numeral *n, const struct function *f, int32_t x) { return n->call(n, f, x); }

static int32_t zero(const struct numeral *self, const struct function *f, int32_t x) {
    (void)self;
    (void)f;
    return x;
}

static int32_t next(const struct numeral *self, const struct function *f, int32_t x) {
    return f->call(f, apply(self->n, f, x));
}

static int32_t plus(const struct numeral *self, const struct function *f, int32_t x) {
    return apply(self->m, f, apply(self->n, f, x));
}

struct applied {
    struct function function;
    const struct numeral *n;
    const struct function *f;
};

static int32_t call_applied(const struct function *self, int32_t x) {
    const struct applied *applied = (const struct applied *)self;
    return apply(applied->n, applied->f, x);
}

static int32_t times(const struct numeral *self, const struct function *f, int32_t x) {
    struct applied applied = {{call_applied}, self->n, f};
    return apply(self->m, &applied.function, x);
}

/* Makes a numeral of `count` + 1 links, and returns the last. */
static const struct numeral *church(struct numeral *links, int32_t count) {
    links[0] = (struct numeral){.call = zero};
    for (int32_t i = 1; i <= count; i++)
        links[i] = (struct numeral){.call = next, .n = &links[i - 1]};
    return &links[count];
}

struct step {
    struct function function;
    int32_t round;
};

static int32_t step(const struct function *self, int32_t x) {
    return (x * 5 + ((const struct step *)self)->round) & 0xFFFF;
}

static int32_t run(int32_t size) {
    int32_t sum = 0;
    for (int32_t round = 1; round <= size; round++) {
        struct numeral first[8], second[8];
        const struct numeral *m = church(first, round % 5 + 2), *n = church(second, round % 7 + 1);
        struct numeral both = {plus, m, n}, product = {times, &both, n};
        struct step f = {{step}, round};
        sum ^= apply(&product, &f.function, sum);
    }
    return sum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
