#include "signal.h"

uint16_t signal_crc(const uint8_t *bytes, size_t count, uint16_t start) {
    uint16_t crc = start;
    for (size_t i = 0; i < count; i++) {
        crc ^= (uint16_t)(bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1);
    }
    return crc;
}

signal_range signal_widen(signal_range range, float by) {
    return (signal_range){range.low - by, range.high + by};
}

signal_state signal_step(signal_filter *filter, float value, signal_handler handler, void *context) {
    filter->last[2] = filter->last[1];
    filter->last[1] = filter->last[0];
    filter->last[0] = (int16_t)value;
    filter->count++;
    filter->sum += (double)value;
    if (value >= filter->range.low && value <= filter->range.high)
        return SIGNAL_OK;
    handler(context, value);
    return value < filter->range.low ? SIGNAL_LOW : SIGNAL_HIGH;
}

int signal_length(const signal_filter *first) {
    int count = 0;
    for (; first != NULL; first = first->next)
        count++;
    return count;
}

const char *signal_name(signal_state state, bool upper) {
    switch (state) {
    case SIGNAL_OK:
        return upper ? "OK" : "ok";
    case SIGNAL_LOW:
        return upper ? "LOW" : "low";
    default:
        return upper ? "HIGH" : "high";
    }
}

void signal_compose(signal_message *message, uint8_t first) {
    message->length = sizeof message->bytes;
    message->sum = 0;
    for (uint8_t i = 0; i < sizeof message->bytes; i++) {
        message->bytes[i] = (uint8_t)(first + i);
        message->sum += message->bytes[i];
    }
}
