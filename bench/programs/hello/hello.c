/* Writes a line to the console, by semihosting. */

#include "bench.h"

static void write_line(const char *text) {
    register int operation __asm__("r0") = 0x04;
    register const char *parameter __asm__("r1") = text;
    __asm__ volatile("bkpt #0xab" : "+r"(operation) : "r"(parameter) : "memory");
}

int main(void) {
    write_line("Hello, world\n");
    bench_result(bench_size());
    return 0;
}
