/* Nothing but the harness. */

#include "bench.h"

int main(void) {
    bench_result(bench_size());
    return 0;
}
