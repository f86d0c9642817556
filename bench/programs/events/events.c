/* A table of event handlers that share state; some events replace a handler. */

#include "bench.h"

struct state {
    int32_t level, alarms;
};

struct handler {
    void (*handle)(struct state *state, int32_t parameter, int32_t value);
    struct state *state;
    int32_t parameter;
};

static void rise(struct state *state, int32_t amount, int32_t value) {
    state->level = (state->level + value * amount) & 0xFFFF;
}

static void fall(struct state *state, int32_t unused, int32_t value) {
    (void)unused;
    state->level >>= value & 3;
}

static void check(struct state *state, int32_t limit, int32_t value) {
    if (state->level + value > limit)
        state->alarms++;
}

static int32_t run(int32_t size) {
    struct state state = {0, 0};
    struct handler handlers[6] = {
        {rise, &state, 3}, {fall, &state, 0},      {check, &state, 30000},
        {rise, &state, 7}, {check, &state, 50000}, {fall, &state, 0},
    };
    int32_t random = 1;
    for (int32_t i = 1; i <= size; i++) {
        random = (random * 25173 + 13849) & 0xFFFF;
        const struct handler *handler = &handlers[random % 6];
        handler->handle(handler->state, handler->parameter, random >> 4);
        if ((random & 1023) == 0)
            handlers[i % 6] = (struct handler){rise, &state, i & 7};
    }
    return state.level ^ (state.alarms << 8);
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
