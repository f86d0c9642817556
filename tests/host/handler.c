#include "host.h"
#include "libhandler.h"

void run(void) {
    handler_init();
    enable();
    for (int i = 0; i < 3; i++) {
        *(volatile uint32_t *)0xE000E200 = 1u << 5; /* the interrupt is pending */
        __asm__ volatile("dsb\n isb");
    }
    number("presses", presses());
}
