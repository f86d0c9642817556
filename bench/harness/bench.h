/* What every benchmark program calls: the size of its work, which no compiler can know, and its result. */

#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

/* The size of the work. */
int32_t bench_size(void);

/* Reports the checksum of the work. */
void bench_result(int32_t checksum);

#endif
