#include "bmp280.h"
#include "i2c.h"

#define ADDRESS 0x76

/* T1 to T3 and P1 to P9; T1 and P1 have no sign. */
static uint16_t constants[12];

static bool read(uint8_t first, uint8_t *buffer, unsigned size) { return i2c_transfer(ADDRESS, &first, 1, buffer, size); }

bool bmp280_start(void) {
    uint8_t identity;
    static const uint8_t control[] = {0xF4, 0x37};
    return read(0xD0, &identity, 1) && identity == 0x58 && read(0x88, (uint8_t *)constants, sizeof constants) &&
           i2c_transfer(ADDRESS, control, sizeof control, 0, 0);
}

static int32_t of(unsigned index) { return (int16_t)constants[index]; }

/* 3.11.3 */
static int32_t fine_temperature(int32_t raw) {
    int32_t t1 = constants[0];
    int32_t linear = (((raw >> 3) - (t1 << 1)) * of(1)) >> 11;
    int32_t offset = (raw >> 4) - t1;
    return linear + ((((offset * offset) >> 12) * of(2)) >> 14);
}

static bool pressure(int32_t fine, int32_t raw, int32_t *pascals) {
    int64_t warmth = (int64_t)fine - 128000;
    int64_t offset = warmth * warmth * of(8) + ((warmth * of(7)) << 17) + ((int64_t)of(6) << 35);
    int64_t factor = ((warmth * warmth * of(5)) >> 8) + ((warmth * of(4)) << 12);
    factor = ((((int64_t)1 << 47) + factor) * constants[3]) >> 33;
    if (factor == 0)
        return false;
    int64_t first = ((((int64_t)(1048576 - raw)) << 31) - offset) * 3125 / factor;
    int64_t square = (of(11) * (first >> 13) * (first >> 13)) >> 25;
    int64_t linear = (of(10) * first) >> 19;
    *pascals = (int32_t)((((first + square + linear) >> 8) + ((int64_t)of(9) << 4)) >> 8);
    return true;
}

static int32_t raw(const uint8_t *sample) { return sample[0] << 12 | sample[1] << 4 | sample[2] >> 4; }

bool bmp280_read(int32_t *celsius, int32_t *pascals) {
    uint8_t sample[6];
    if (!read(0xF7, sample, sizeof sample))
        return false;
    int32_t fine = fine_temperature(raw(sample + 3));
    *celsius = (fine * 5 + 128) >> 8;
    return pressure(fine, raw(sample), pascals);
}
