#include <stdint.h>

/* Variables in sections of their own: one whose name is an identifier, with its bounds, and one with a period. */
#define IN(name) __attribute__((section(name), used, retain))

IN("steps") static int32_t first_step = 3;
IN("steps") static int32_t second_step = 40;
IN(".fast.counter") static volatile int32_t counter = 500;
IN("scratch") static volatile int32_t results[2];
static volatile int32_t usual = 6000;

extern int32_t __start_steps[], __stop_steps[];

int32_t of_sections(void) {
    int32_t sum = 0;
    for (int32_t *step = __start_steps; step < __stop_steps; step++)
        sum += *step;
    counter += 1;
    return sum + counter + results[1] + usual;
}
