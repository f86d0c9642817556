/* The vectors and the start. */
#include "nrf51.h"

int main(void);
void uart_handler(void);
void timer_handler(void);
extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;

void *memcpy(void *to, const void *from, __SIZE_TYPE__ count) {
    uint8_t *target = to;
    const uint8_t *source = from;
    while (count--)
        *target++ = *source++;
    return to;
}

void *memset(void *to, int value, __SIZE_TYPE__ count) {
    uint8_t *target = to;
    while (count--)
        *target++ = (uint8_t)value;
    return to;
}

__attribute__((noreturn)) void reset(void) {
    uint32_t *from = &data_load;
    for (uint32_t *to = &data_start; to < &data_end;)
        *to++ = *from++;
    for (uint32_t *to = &bss_start; to < &bss_end;)
        *to++ = 0;
    main();
    for (;;)
        __asm volatile("wfi");
}

/* The watchdog resets the board after a fault. */
static void fault(void) {
    for (;;)
        ;
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 32])(void) = {
    (void (*)(void)) & stack_top, reset, fault, fault,
    [11] = fault, [14 ... 17] = fault,
    [16 + UART_INTERRUPT] = uart_handler, [19 ... 23] = fault,
    [16 + TIMER_INTERRUPT] = timer_handler, [25 ... 47] = fault,
};
