/* UART0 of the nRF52840 at 115200 baud on two pins of port 0, and one character through it. */

#include <stdint.h>

/* The registers as CMSIS headers have them: a structure of volatile members at the address of each peripheral. */
typedef struct {
    volatile uint32_t RESERVED0[321], OUT, OUTSET, OUTCLR, IN, DIR, DIRSET, DIRCLR, LATCH, DETECTMODE;
    volatile uint32_t RESERVED1[118], PIN_CNF[32];
} GPIO_Type;

typedef struct {
    volatile uint32_t TASKS_STARTRX, TASKS_STOPRX, TASKS_STARTTX, TASKS_STOPTX, RESERVED0[3], TASKS_SUSPEND;
    volatile uint32_t RESERVED1[56], EVENTS_CTS, EVENTS_NCTS, EVENTS_RXDRDY, RESERVED2[4], EVENTS_TXDRDY, RESERVED3;
    volatile uint32_t EVENTS_ERROR, RESERVED4[7], EVENTS_RXTO, RESERVED5[46], SHORTS, RESERVED6[64], INTENSET, INTENCLR;
    volatile uint32_t RESERVED7[93], ERRORSRC, RESERVED8[31], ENABLE, RESERVED9, PSEL_RTS, PSEL_TXD, PSEL_CTS, PSEL_RXD;
    volatile uint32_t RXD, TXD, RESERVED10, BAUDRATE, RESERVED11[17], CONFIG;
} UART_Type;

#define P0 ((GPIO_Type *)0x50000000)
#define UART0 ((UART_Type *)0x40002000)

#define PIN_OUTPUT (1u << 0)
#define PIN_INPUT_DISCONNECT (1u << 1)
#define PIN_PULL_UP (3u << 2)
#define CONFIG_HWFC (1u << 0)
#define CONFIG_PARITY (7u << 1)
#define BAUDRATE_115200 0x01D7E000u
#define ENABLE_ENABLED 4u

void registers(void) {
    P0->OUTSET = 1u << 6;
    P0->PIN_CNF[6] = PIN_OUTPUT | PIN_INPUT_DISCONNECT;
    P0->PIN_CNF[8] = PIN_PULL_UP;
    UART0->PSEL_TXD = 6;
    UART0->PSEL_RXD = 8;
    UART0->BAUDRATE = BAUDRATE_115200;
    UART0->CONFIG &= ~(CONFIG_HWFC | CONFIG_PARITY);
    UART0->ENABLE = ENABLE_ENABLED;
    UART0->TASKS_STARTRX = 1;
    UART0->TASKS_STARTTX = 1;
    UART0->EVENTS_TXDRDY = 0;
    UART0->TXD = 'A';
    while (!(UART0->EVENTS_TXDRDY & 1)) {
    }
}
