/* A ring buffer of bytes between a producer and a consumer of other speeds. */

#include "bench.h"

enum { CAPACITY = 48 };

struct ring {
    int32_t items[CAPACITY];
    uint32_t first, count;
};

static int try_push(struct ring *ring, int32_t item) {
    if (ring->count == CAPACITY)
        return 0;
    ring->items[(ring->first + ring->count) % CAPACITY] = item;
    ring->count++;
    return 1;
}

static int try_pop(struct ring *ring, int32_t *item) {
    if (ring->count == 0)
        return 0;
    *item = ring->items[ring->first];
    ring->first = (ring->first + 1) % CAPACITY;
    ring->count--;
    return 1;
}

static int32_t run(int32_t size) {
    static struct ring ring;
    int32_t random = 1, lost = 0, sum = 0;
    for (int32_t i = 0; i < size; i++) {
        random = (random * 25173 + 13849) & 0xFFFF;
        if ((random & 96) != 0 && !try_push(&ring, random))
            lost++;
        if ((random & 24) != 0) {
            int32_t item;
            if (try_pop(&ring, &item))
                sum = ((sum * 31) ^ item) & 0xFFFFFF;
            else
                sum ^= 1;
        }
    }
    return sum + lost;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
