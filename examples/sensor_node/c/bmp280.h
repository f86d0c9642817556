/* The sensor BMP280 (data sheet BST-BMP280-DS001). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

bool bmp280_start(void);

/* Hundredths of a degree, and pascals. */
bool bmp280_read(int32_t *celsius, int32_t *pascals);
