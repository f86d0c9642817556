/* The serial line, which is served by its interrupt. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

void serial_start(void);
bool serial_take(uint8_t *byte);

/* Sends a byte; waits asleep while the buffer is full. */
void serial_put(uint8_t byte);
