#include <stdint.h>

/* Division of 64 bits is a routine on the 32-bit cores. */
int32_t archive_scale(int32_t value) { return (int32_t)((int64_t)value * 1000 / 7); }
