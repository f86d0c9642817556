/* A log whose texts stay in the ELF file: a message is the offset of its text, and the values of its `%d`. A debug probe reads the
   messages by Real-Time Transfer. */
#pragma once
#include <stdint.h>

void log_write(const char *text, const int32_t *values, unsigned count);

#define LOG_TEXT(text) \
    __extension__({ static const char log_text[] __attribute__((section(".log"), used)) = text; log_text; })
#define LOG(text) log_write(LOG_TEXT(text), 0, 0)
#define LOG_VALUES(text, ...)                                              \
    do {                                                                   \
        const int32_t log_values[] = {__VA_ARGS__};                        \
        log_write(LOG_TEXT(text), log_values, sizeof log_values / 4);      \
    } while (0)
