#include "host.h"
#include "libcounter.h"
#include "libtwo.h"

void run(void) {
    two_init();
    counter_init();
    uint8_t bytes[] = {1, 2, 3, 4, 5};
    number("two", two_add(bytes, sizeof bytes));
    number("counter", counter_add(12));
    number("two", two_add(bytes, 3));
    number("counter", counter_add(3));
}
