/* The routines that C compilers call, for targets without a C library. */

#include <stddef.h>

void *memcpy(void *restrict target, const void *restrict source, size_t count) {
    char *to = target;
    const char *from = source;
    while (count--)
        *to++ = *from++;
    return target;
}

void *memmove(void *target, const void *source, size_t count) {
    char *to = target;
    const char *from = source;
    if (to < from)
        while (count--)
            *to++ = *from++;
    else
        while (count--)
            to[count] = from[count];
    return target;
}

void *memset(void *target, int value, size_t count) {
    char *to = target;
    while (count--)
        *to++ = (char)value;
    return target;
}
