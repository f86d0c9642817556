#include "host.h"
#include "libcontrol.h"

static int32_t level;

int32_t sensor_level(int32_t sensor) { return sensor * 10 + (level++ & 7); }

int32_t apply(int32_t (*f)(int32_t), int32_t value) { return f(value) + 1; }

void clef_host_write(const uint8_t *bytes, size_t count) { host_write(bytes, count); }

void clef_host_error(const uint8_t *bytes, size_t count) { host_write(bytes, count); }

void clef_host_stop(int32_t status) { host_exit(status); }

void run(void) {
    control_init();
    control_init();
    control_Reading reading = {19.5, 3, true};
    number("decide", decide(reading));
    set_target(18.25);
    number("decide", decide(reading));
    reading.Valid = false;
    number("off", decide(reading) == control_Mode_Off);
    /* The state of the last calls stays in memory, and only that. */
    int32_t sum = 0;
    for (int32_t i = 0; i < 20000; i++)
        sum = record_level(i & 3);
    number("sum", sum);
    describe();
    control_Bounds_int32_t bounds = {-5, 5};
    control_Bounds_double by = {1.5, 2.5};
    bounds = widen(bounds, &by);
    number("low", bounds.Low);
    number("high", bounds.High);
    number("clamp", clamp(100, bounds));
    number("square", squared_by_host(7));
    number("offset", offset(5));
    offset(8);
    text("not reached\n");
}
