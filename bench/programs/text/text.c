/* Lines of text are built from names and numbers. */

#include "bench.h"

struct text {
    char bytes[128];
    int length;
};

static void put_byte(struct text *text, char byte) {
    if (text->length < (int)sizeof text->bytes)
        text->bytes[text->length++] = byte;
}

static void put(struct text *text, const char *part) {
    while (*part)
        put_byte(text, *part++);
}

static void put_number(struct text *text, uint32_t number) {
    char digits[10];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        put_byte(text, digits[--count]);
}

static int32_t run(int32_t size) {
    int32_t sum = 0;
    for (int32_t round = 1; round <= size; round++) {
        struct text line;
        line.length = 0;
        for (int32_t i = 0; i < 5; i++) {
            if (i > 0)
                put_byte(&line, ';');
            put(&line, "key");
            put_number(&line, (uint32_t)i);
            put_byte(&line, '=');
            put_number(&line, (uint32_t)(round * (i + 1) % 1000));
        }
        put_byte(&line, '\n');
        for (int i = 0; i < line.length; i++)
            sum = ((sum * 31) ^ line.bytes[i]) & 0xFFFFFF;
    }
    return sum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
