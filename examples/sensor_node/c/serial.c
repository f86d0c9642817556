#include "serial.h"
#include "nrf51.h"

#define TRANSMIT 24
#define RECEIVE 25

typedef struct {
    volatile uint8_t first, next;
    uint8_t bytes[128];
} Queue;

static Queue received, waiting;
static volatile bool is_sending;

static bool add(Queue *queue, uint8_t byte) {
    uint8_t following = (queue->next + 1) % sizeof queue->bytes;
    if (following == queue->first)
        return false;
    queue->bytes[queue->next] = byte;
    queue->next = following;
    return true;
}

static bool take(Queue *queue, uint8_t *byte) {
    if (queue->first == queue->next)
        return false;
    *byte = queue->bytes[queue->first];
    queue->first = (queue->first + 1) % sizeof queue->bytes;
    return true;
}

/* Sends the next byte, if there is one. */
static void send(void) {
    uint8_t byte;
    is_sending = take(&waiting, &byte);
    if (is_sending)
        UART_TXD = byte;
}

void uart_handler(void) {
    while (UART_RXDRDY) {
        UART_RXDRDY = 0;
        add(&received, (uint8_t)UART_RXD);
    }
    if (UART_TXDRDY) {
        UART_TXDRDY = 0;
        send();
    }
}

void serial_start(void) {
    GPIO_OUTSET = 1u << TRANSMIT;
    GPIO_PIN_CNF(TRANSMIT) = 1;
    GPIO_PIN_CNF(RECEIVE) = 0;
    UART_PSELTXD = TRANSMIT;
    UART_PSELRXD = RECEIVE;
    UART_BAUDRATE = 0x01D7E000;
    UART_ENABLE = 4;
    UART_STARTRX = 1;
    UART_STARTTX = 1;
    UART_INTENSET = 0x84;
    NVIC_ISER = 1u << UART_INTERRUPT;
}

bool serial_take(uint8_t *byte) { return take(&received, byte); }

void serial_put(uint8_t byte) {
    while (!add(&waiting, byte))
        __asm volatile("wfe");
    __asm volatile("cpsid i" ::: "memory");
    if (!is_sending)
        send();
    __asm volatile("cpsie i" ::: "memory");
}
