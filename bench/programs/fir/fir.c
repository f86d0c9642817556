/* A FIR filter over blocks of samples, of which each is the filtered one before. */

#include "bench.h"

enum { TAPS = 16, BLOCK = 64 };

static const int32_t taps[TAPS] = {3, -7, 12, 25, -41, 60, 83, 97, 97, 83, 60, -41, 25, 12, -7, 3};

static int32_t samples[BLOCK + TAPS - 1], output[BLOCK];

static void filter(int32_t gain) {
    for (int i = 0; i < BLOCK; i++) {
        int32_t sum = 0;
        for (int j = 0; j < TAPS; j++)
            sum += (taps[j] * samples[i + j] * gain) >> 3;
        output[i] = sum;
    }
}

static int32_t run(int32_t size) {
    for (int i = 0; i < BLOCK + TAPS - 1; i++)
        samples[i] = i * i % 251 - 125;
    uint32_t checksum = 0;
    for (int32_t round = 1; round <= size; round++) {
        filter((round & 7) + 1);
        for (int i = 0; i < BLOCK; i++)
            samples[i + TAPS - 1] = (output[i] ^ i) & 0xFFF;
        checksum = (checksum << 1) ^ (uint32_t)output[round & 63];
    }
    return (int32_t)checksum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
