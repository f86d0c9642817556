/* Bytes that flash keeps over resets, also when power fails while they are written. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The most bytes of a record, a multiple of four. */
#define FLASH_MOST 12

bool flash_load(uint8_t *bytes);
bool flash_save(const uint8_t *bytes);
