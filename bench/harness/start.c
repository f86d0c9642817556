/* Start-up of C and Rust programs on a Cortex-M4F: what clefc's own start-up does for a program in Clef. */

#include <stddef.h>
#include <stdint.h>

extern uint32_t data_start[], data_end[], data_load[], bss_start[], bss_end[], stack_top[];

int main(void);

/* Ends the emulation with a status, by semihosting. */
static _Noreturn void leave(int status) {
    volatile int block[2] = {0x20026, status};
    register int operation __asm__("r0") = 0x20;
    register volatile int *parameter __asm__("r1") = block;
    __asm__ volatile("bkpt #0xab" : "+r"(operation) : "r"(parameter) : "memory");
    for (;;) {
    }
}

static void fault(void) { leave(101); }

void reset(void) {
    *(volatile uint32_t *)0xE000ED88 |= 0xF << 20; /* the floating-point unit is on */
    __asm__ volatile("dsb\n isb");
    const uint32_t *from = data_load;
    for (uint32_t *to = data_start; to != data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_start; to != bss_end; to++)
        *to = 0;
    leave(main());
}

/* As many vectors as the images of clefc have for the board. */
__attribute__((section(".vectors"), used)) static const void *const vectors[48] = {
    stack_top, (const void *)reset, [2 ... 47] = (const void *)fault,
};
