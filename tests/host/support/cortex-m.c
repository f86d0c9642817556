/* A Cortex-M in QEMU: start-up, vector table, and output by semihosting. It has no C library, only the routines that
   compilers call. */

#include "host.h"

extern uint32_t data_start[], data_end[], data_load[], bss_start[], bss_end[], stack_top[];

enum { SYS_WRITE = 0x05, SYS_EXIT_EXTENDED = 0x20, STDOUT = 1 };

static int call(int operation, const volatile void *argument) {
    register int result __asm__("r0") = operation;
    register const volatile void *parameter __asm__("r1") = argument;
    __asm__ volatile("bkpt #0xab" : "+r"(result) : "r"(parameter) : "memory");
    return result;
}

void host_write(const uint8_t *bytes, size_t count) {
    static volatile uintptr_t file;
    if (file == 0) {
        volatile uintptr_t open[3] = {(uintptr_t)":tt", 4, 3};
        file = (uintptr_t)call(0x01, open);
    }
    volatile uintptr_t block[3] = {file, (uintptr_t)bytes, count};
    call(SYS_WRITE, block);
}

_Noreturn void host_exit(int32_t status) {
    volatile uintptr_t block[2] = {0x20026, (uintptr_t)status};
    call(SYS_EXIT_EXTENDED, block);
    for (;;) {
    }
}

/* The host's own, which must not clash with those of a library. */
void *memcpy(void *to, const void *from, size_t count) {
    uint8_t *target = to;
    const uint8_t *source = from;
    while (count-- > 0)
        *target++ = *source++;
    return to;
}

void *memset(void *to, int byte, size_t count) {
    volatile uint8_t *target = to;
    while (count-- > 0)
        *target++ = (uint8_t)byte;
    return to;
}

static void fault(void) { host_exit(100); }

__attribute__((used)) void reset(void) {
#ifdef __ARM_FP
    *(volatile uint32_t *)0xE000ED88 |= 0xF << 20; /* the floating-point unit is on */
    __asm__ volatile("dsb\n isb");
#endif
    const uint32_t *from = data_load;
    for (uint32_t *to = data_start; to != data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_start; to != bss_end; to++)
        *to = 0;
    run();
    host_exit(0);
}

/* The handler of a library, if it has one. */
__attribute__((weak)) void clef_interrupt_5(void) { fault(); }

__attribute__((section(".vectors"), used)) static const void *const vectors[48] = {
    stack_top,
    (const void *)reset,
    [2 ... 20] = (const void *)fault,
    [21] = (const void *)clef_interrupt_5,
    [22 ... 47] = (const void *)fault,
};
