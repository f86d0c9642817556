/* The display, with the controller SSD1306, on the SPI bus. */
#pragma once
#include "line.h"

void display_start(void);
void display_clear(void);
void display_line(unsigned number, const Line *line);
void display_show(void);
