/* What the programs in C that use libraries need of their platform. */

#ifndef HOST_H
#define HOST_H

#include <stddef.h>
#include <stdint.h>

/* Writes bytes to standard output. */
void host_write(const uint8_t *bytes, size_t count);

/* Ends the program. */
_Noreturn void host_exit(int32_t status);

/* The program. */
void run(void);

static inline void text(const char *line) {
    size_t count = 0;
    while (line[count] != 0)
        count++;
    host_write((const uint8_t *)line, count);
}

/* By subtraction, since not every processor divides. */
static inline void number(const char *name, int32_t value) {
    static const uint32_t powers[] = {1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    volatile uint32_t rest = value < 0 ? -(uint32_t)value : (uint32_t)value;
    text(name);
    text(value < 0 ? " = -" : " = ");
    char digit[] = "0";
    int begun = 0;
    for (size_t i = 0; i < 10; i++) {
        if (!begun && i < 9 && rest < powers[i])
            continue;
        begun = 1;
        digit[0] = '0';
        while (rest >= powers[i]) {
            rest -= powers[i];
            digit[0]++;
        }
        text(digit);
    }
    text("\n");
}

#endif
