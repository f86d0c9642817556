#include "config.h"

#define VERSION 1

const Config config_standard = {{1000, 500, 3000, 1}};

static bool is_valid(const Config *config) {
    const int32_t *v = config->values;
    return v[INTERVAL] >= 100 && v[INTERVAL] <= 60000 && v[INTERVAL] % 100 == 0 && v[LOW] >= -4000 && v[LOW] < v[HIGH] &&
           v[HIGH] <= 8500 && v[SMOOTHING] >= 0 && v[SMOOTHING] <= 6;
}

bool config_change(Config *config, Setting setting, int32_t value) {
    Config changed = *config;
    changed.values[setting] = value;
    if (!is_valid(&changed))
        return false;
    *config = changed;
    return true;
}

/* CRC-16/CCITT-FALSE. */
static uint16_t checksum(const uint8_t *bytes, unsigned count) {
    uint16_t sum = 0xFFFF;
    while (count--) {
        sum ^= (uint16_t)(*bytes++ << 8);
        for (int bit = 0; bit < 8; bit++)
            sum = (uint16_t)(sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1);
    }
    return sum;
}

static void put(uint8_t *bytes, int32_t value) {
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static int16_t get(const uint8_t *bytes) { return (int16_t)(bytes[0] | bytes[1] << 8); }

void config_write(const Config *config, uint8_t *bytes) {
    bytes[0] = VERSION;
    for (int index = 0; index < SETTINGS; index++)
        put(bytes + 1 + 2 * index, index == INTERVAL ? config->values[index] / 100 : config->values[index]);
    put(bytes + 9, checksum(bytes, 9));
}

bool config_read(Config *config, const uint8_t *bytes) {
    if (bytes[0] != VERSION || (uint16_t)get(bytes + 9) != checksum(bytes, 9))
        return false;
    for (int index = 0; index < SETTINGS; index++)
        config->values[index] = get(bytes + 1 + 2 * index) * (index == INTERVAL ? 100 : 1);
    return is_valid(config);
}
