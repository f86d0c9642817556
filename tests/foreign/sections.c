#include <stdint.h>

/* Variables in sections of their own: one whose name is an identifier, with its bounds, and one with a period. */
#define IN(name) __attribute__((section(name), used))

/* What precedes the next section has less alignment than that. */
IN("bytes") static int8_t byte = 1;

struct step {
    int32_t value;
} __attribute__((aligned(32)));

IN("steps") static struct step first_step = {3};
IN("steps") static struct step second_step = {40};
IN(".fast.counter") static volatile int32_t counter = 500;
IN("scratch") static volatile int32_t results[2];
IN(".noinit") static volatile int32_t left;
static volatile int32_t usual = 6000;

extern struct step __start_steps[], __stop_steps[];

int32_t of_sections(void) {
    int32_t sum = byte - 1;
    for (struct step *step = __start_steps; step < __stop_steps; step++)
        sum += step->value;
    counter += 1;
    left = counter;
    return sum + left + results[1] + usual;
}
