/* UART0 of the RP2040 at 115200 baud on GP0 and GP1, with a clock of 125 MHz, and one character through it. */

#include <stdbool.h>
#include <stdint.h>

/* The registers as CMSIS headers have them: a structure of volatile members at the address of each peripheral. */
typedef struct {
    volatile uint32_t RESERVED0[18], CLK_PERI_CTRL;
} CLOCKS_Type;

typedef struct {
    volatile uint32_t RESET, WDSEL, RESET_DONE;
} RESETS_Type;

typedef struct {
    volatile uint32_t GPIO0_STATUS, GPIO0_CTRL, GPIO1_STATUS, GPIO1_CTRL;
} IO_BANK0_Type;

typedef struct {
    volatile uint32_t UARTDR, UARTRSR, RESERVED0[4], UARTFR, RESERVED1, UARTILPR, UARTIBRD, UARTFBRD, UARTLCR_H, UARTCR;
} UART0_Type;

#define CLOCKS ((CLOCKS_Type *)0x40008000)
#define RESETS ((RESETS_Type *)0x4000C000)
#define IO_BANK0 ((IO_BANK0_Type *)0x40014000)
#define UART0 ((UART0_Type *)0x40034000)

#define CLK_PERI_CTRL_ENABLE (1u << 11)
#define RESET_IO_BANK0 (1u << 5)
#define RESET_UART0 (1u << 22)
#define LCR_H_WLEN_8 (3u << 5)
#define LCR_H_FEN (1u << 4)
#define CR_RXE (1u << 9)
#define CR_TXE (1u << 8)
#define CR_UARTEN (1u << 0)
#define FR_TXFF (1u << 5)
#define FUNCSEL_UART 2u

/* Whether ports and UART have left the reset. */
static bool is_ready(void) {
    uint32_t ready = RESETS->RESET_DONE;
    return ready & RESET_IO_BANK0 && ready & RESET_UART0;
}

void registers(void) {
    CLOCKS->CLK_PERI_CTRL = CLK_PERI_CTRL_ENABLE;
    RESETS->RESET &= ~(RESET_IO_BANK0 | RESET_UART0);
    while (!is_ready()) {
    }
    UART0->UARTIBRD = 67;
    UART0->UARTFBRD = 52;
    UART0->UARTLCR_H = LCR_H_WLEN_8 | LCR_H_FEN;
    UART0->UARTCR = CR_RXE | CR_TXE | CR_UARTEN;
    IO_BANK0->GPIO0_CTRL = FUNCSEL_UART;
    IO_BANK0->GPIO1_CTRL = FUNCSEL_UART;
    while (UART0->UARTFR & FR_TXFF) {
    }
    UART0->UARTDR = 'A';
}
