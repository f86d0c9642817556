/* The I2C bus. A transfer fails if nothing happens for 25 ms, or if the device does not answer. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

void i2c_start(void);
bool i2c_transfer(uint32_t address, const uint8_t *bytes, unsigned count, uint8_t *buffer, unsigned size);
