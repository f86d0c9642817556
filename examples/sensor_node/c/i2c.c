#include "i2c.h"
#include "nrf51.h"

#define SCL 0
#define SDA 30
#define OPEN_DRAIN 0x60C
#define PATIENCE 40000

void i2c_start(void) {
    GPIO_PIN_CNF(SCL) = OPEN_DRAIN;
    GPIO_PIN_CNF(SDA) = OPEN_DRAIN;
    TWI_PSELSCL = SCL;
    TWI_PSELSDA = SDA;
    TWI_FREQUENCY = 0x06680000;
    TWI_ENABLE = 5;
}

static bool await(volatile uint32_t *event) {
    for (unsigned left = PATIENCE; left; left--) {
        if (TWI_ERROR) {
            TWI_ERROR = 0;
            TWI_ERRORSRC = TWI_ERRORSRC;
            return false;
        }
        if (*event) {
            *event = 0;
            return true;
        }
    }
    return false;
}

static bool send(const uint8_t *bytes, unsigned count) {
    for (unsigned index = 0; index < count; index++) {
        TWI_TXD = bytes[index];
        if (index == 0)
            TWI_STARTTX = 1;
        if (!await(&TWI_TXDSENT))
            return false;
    }
    return true;
}

/* The controller suspends itself after each byte, and stops after the last one. */
static bool receive(uint8_t *buffer, unsigned size) {
    for (unsigned index = 0; index < size; index++) {
        TWI_SHORTS = index == size - 1 ? 2 : 1;
        if (index == 0)
            TWI_STARTRX = 1;
        else
            TWI_RESUME = 1;
        if (!await(&TWI_RXDREADY))
            return false;
        buffer[index] = (uint8_t)TWI_RXD;
    }
    return true;
}

bool i2c_transfer(uint32_t address, const uint8_t *bytes, unsigned count, uint8_t *buffer, unsigned size) {
    TWI_ADDRESS = address;
    TWI_STOPPED = TWI_RXDREADY = TWI_TXDSENT = TWI_ERROR = 0;
    bool is_done = send(bytes, count) && receive(buffer, size);
    if (!size || !is_done) {
        TWI_SHORTS = 0;
        TWI_RESUME = 1;
        TWI_STOP = 1;
    }
    bool is_stopped = await(&TWI_STOPPED);
    TWI_SHORTS = 0;
    return is_done && is_stopped;
}
