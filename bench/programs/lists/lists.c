/* Arrays of numbers are made, mapped, filtered and folded. */

#include "bench.h"

enum { COUNT = 200 };

static int32_t run(int32_t size) {
    int32_t total = 1;
    for (int32_t round = 1; round <= size; round++) {
        int32_t values[COUNT];
        int count = 0;
        for (int32_t i = 0; i < COUNT; i++)
            values[i] = (i * round) & 0xFFFF;
        for (int i = 0; i < COUNT; i++)
            values[i] ^= values[i] >> 3;
        for (int i = 0; i < COUNT; i++)
            if (values[i] % 3 != 0)
                values[count++] = values[i];
        for (int i = 0; i < count; i++)
            total = ((total * 31) ^ values[i]) & 0xFFFFFF;
    }
    return total;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
