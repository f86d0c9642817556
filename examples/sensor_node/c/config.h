/* The settings of the node, and their form in flash. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef enum { INTERVAL, LOW, HIGH, SMOOTHING, SETTINGS } Setting;

/* Milliseconds between measurements, the limits of the alarm in hundredths of a degree, and the steps of smoothing. */
typedef struct {
    int32_t values[SETTINGS];
} Config;

#define CONFIG_SIZE 11

extern const Config config_standard;
bool config_change(Config *config, Setting setting, int32_t value);
void config_write(const Config *config, uint8_t *bytes);
bool config_read(Config *config, const uint8_t *bytes);
