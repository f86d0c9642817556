#include "line.h"

void line_put(Line *line, char byte) {
    if (line->length < LINE_SIZE)
        line->bytes[line->length++] = byte;
}

void line_add(Line *line, const char *text) {
    while (*text)
        line_put(line, *text++);
}

static void digits(Line *line, uint32_t value, unsigned least) {
    char reversed[10];
    unsigned count = 0;
    do {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value || count < least);
    while (count)
        line_put(line, reversed[--count]);
}

static uint32_t size_of(Line *line, int32_t value) {
    if (value >= 0)
        return (uint32_t)value;
    line_put(line, '-');
    return -(uint32_t)value;
}

void line_int(Line *line, int32_t value) { digits(line, size_of(line, value), 1); }

void line_hundredths(Line *line, int32_t value) {
    uint32_t size = size_of(line, value);
    digits(line, size / 100, 1);
    line_put(line, '.');
    digits(line, size % 100, 2);
}
