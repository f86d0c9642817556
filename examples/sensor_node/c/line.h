/* Text in a buffer of a fixed size. What does not fit is dropped. */
#pragma once
#include <stdint.h>

#define LINE_SIZE 40

typedef struct {
    uint8_t length;
    char bytes[LINE_SIZE];
} Line;

void line_put(Line *line, char byte);
void line_add(Line *line, const char *text);
void line_int(Line *line, int32_t value);
void line_hundredths(Line *line, int32_t value);
