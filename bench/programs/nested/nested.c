/* Nested loops, whose bounds depend on the outer loops. */

#include "bench.h"

static int32_t run(int32_t size) {
    int32_t sum = 1;
    for (int32_t i = 1; i <= size; i++) {
        int32_t width = (i & 15) + 8;
        for (int32_t j = 1; j <= width; j++) {
            int32_t height = (i + j) % 7 + 1;
            for (int32_t k = 1; k <= height; k++)
                sum = ((sum * 31) ^ (i + j * width + k * height)) & 0xFFFFF;
        }
    }
    return sum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
