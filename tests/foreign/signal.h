/* A small library for signals: checksums, filters and events. */

#ifndef SIGNAL_H
#define SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The checksum of nothing. */
#define CRC_START 0xFFFFu
#define LIBRARY "signal"
#define SCALE 0.5f

/** How a filter ended. */
typedef enum { SIGNAL_OK, SIGNAL_LOW = 10, SIGNAL_HIGH } signal_state;

/** A range of values. */
typedef struct {
    float low;
    float high;
} signal_range;

/** A filter with its last values. */
typedef struct signal_filter {
    signal_range range; /**< what is in order */
    int16_t last[3];
    uint8_t count;
    double sum;
    struct signal_filter *next;
} signal_filter;

/** What is called for each value out of range. */
typedef void (*signal_handler)(void *context, float value);

/** The checksum of some bytes, CRC-16/CCITT. */
uint16_t signal_crc(const uint8_t *bytes, size_t count, uint16_t start);

/** Makes the range larger on both sides. */
signal_range signal_widen(signal_range range, float by);

/** Filters a value. */
signal_state signal_step(signal_filter *filter, float value, signal_handler handler, void *context);

/** The number of filters in a chain. */
int signal_length(const signal_filter *first);

/** The name of a state. */
const char *signal_name(signal_state state, bool upper);

/** A message. */
typedef struct {
    uint16_t length;
    uint8_t bytes[40]; /**< what it says */
    uint32_t sum;
} signal_message;

/** Composes a message of bytes from one on. */
void signal_compose(signal_message *message, uint8_t first);

#endif
