#include "log.h"

#define SIZE 512

typedef struct {
    const char *name;
    uint8_t *buffer;
    uint32_t size;
    volatile uint32_t written, read;
    uint32_t flags;
} Channel;

static uint8_t buffer[SIZE];

/* What a debug probe searches for in RAM (Segger's Real-Time Transfer). */
static struct {
    char identity[16];
    uint32_t up, down;
    Channel log;
} _SEGGER_RTT __attribute__((used)) = {
    "SEGGER RTT", 1, 0, {"defmt", buffer, SIZE, 0, 0, 0},
};

static void put(uint32_t value, unsigned bytes) {
    Channel *log = &_SEGGER_RTT.log;
    uint32_t at = log->written;
    while (bytes--) {
        buffer[at] = (uint8_t)value;
        at = (at + 1) % SIZE;
        value >>= 8;
    }
    log->written = at;
}

/* A message that does not fit is dropped. */
void log_write(const char *text, const int32_t *values, unsigned count) {
    Channel *log = &_SEGGER_RTT.log;
    uint32_t space = (log->read - log->written - 1) % SIZE;
    if (space < 2 + 4 * count)
        return;
    put((uint32_t)text, 2);
    while (count--)
        put((uint32_t)*values++, 4);
}
