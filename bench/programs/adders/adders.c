/* An array of functions, and an array of compositions of them, called in an order that depends on the values. */

#include "bench.h"

struct function {
    int32_t (*call)(const struct function *self, int32_t x);
};

static int32_t apply(const struct function *f, int32_t x) { return f->call(f, x); }

struct adder {
    struct function function;
    int32_t n;
};

static int32_t add(const struct function *self, int32_t x) {
    int32_t n = ((const struct adder *)self)->n;
    return ((x + n) ^ (x >> 3)) & 0xFFFFF;
}

struct composition {
    struct function function;
    const struct function *first, *second;
};

static int32_t compose(const struct function *self, int32_t x) {
    const struct composition *both = (const struct composition *)self;
    return apply(both->second, apply(both->first, x));
}

static int32_t run(int32_t size) {
    struct adder adders[16];
    struct adder five = {{add}, 5};
    struct composition inner[16], outer[16];
    for (int i = 0; i < 16; i++) {
        adders[i] = (struct adder){{add}, i * 77 + 1};
        inner[i] = (struct composition){{compose}, &adders[i].function, &five.function};
        outer[i] = (struct composition){{compose}, &inner[i].function, &adders[i].function};
    }
    int32_t value = 1;
    for (int32_t i = 0; i < size; i++) {
        value = apply(&adders[value & 15].function, value);
        value = apply(&outer[value & 15].function, value);
    }
    return value;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
