/* The elements of sequences are filtered, mapped and cut, and summed up. */

#include "bench.h"

static int32_t run(int32_t size) {
    int32_t sum = 0;
    for (int32_t round = 1; round <= size; round++) {
        int count = 0;
        for (int32_t value = round % 1000 + 2; value != 1; value = value % 2 == 0 ? value / 2 : 3 * value + 1) {
            if (value % 3 == 0)
                continue;
            if (count++ == 20)
                break;
            sum = ((sum * 31) ^ ((value * 7) & 0xFFFF)) & 0xFFFFFF;
        }
    }
    return sum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
