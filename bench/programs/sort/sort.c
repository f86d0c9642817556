/* Arrays of numbers are sorted by a function that compares them. */

#include "bench.h"

enum { COUNT = 256 };

static int compare(int32_t one, int32_t other) {
    one ^= 0x55;
    other ^= 0x55;
    return (one > other) - (one < other);
}

static void sift_down(int32_t *values, int start, int count) {
    int32_t moved = values[start];
    for (int child; (child = 2 * start + 1) < count; start = child) {
        if (child + 1 < count && compare(values[child], values[child + 1]) < 0)
            child++;
        if (compare(moved, values[child]) >= 0)
            break;
        values[start] = values[child];
    }
    values[start] = moved;
}

/* Heapsort, which needs no more memory and has no worst case. */
static void sort(int32_t *values, int count) {
    for (int start = count / 2 - 1; start >= 0; start--)
        sift_down(values, start, count);
    for (int end = count - 1; end > 0; end--) {
        int32_t largest = values[0];
        values[0] = values[end];
        values[end] = largest;
        sift_down(values, 0, end);
    }
}

static int32_t run(int32_t size) {
    static int32_t values[COUNT];
    int32_t random = 1, sum = 0;
    for (int32_t round = 0; round < size; round++) {
        for (int i = 0; i < COUNT; i++) {
            random = (random * 25173 + 13849) & 0xFFFF;
            values[i] = random;
        }
        sort(values, COUNT);
        for (int i = 0; i < COUNT; i++)
            sum = ((sum * 31) ^ values[i]) & 0xFFFFFF;
    }
    return sum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
