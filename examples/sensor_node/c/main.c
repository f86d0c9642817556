/* A sensor node: it measures, filters, shows and logs, and takes commands over the serial line. */
#include "bmp280.h"
#include "command.h"
#include "display.h"
#include "flash.h"
#include "i2c.h"
#include "log.h"
#include "node.h"
#include "nrf51.h"
#include "serial.h"

#define STEP 100

static Config config;
static Node node;
static bool is_started;
static int32_t elapsed;
static volatile uint32_t steps;

void timer_handler(void) {
    TIMER_COMPARE0 = 0;
    steps++;
}

static void report(News news) {
    switch (news) {
    case SAME: break;
    case FOUND: LOG("info sensor found"); break;
    case LOST: LOG("error no sensor"); break;
    case CHANGED:
        switch (node.alarm) {
        case NORMAL: LOG("info temperature ok"); break;
        case TOO_COLD: LOG("warn alarm: TooCold"); break;
        case TOO_HOT: LOG("warn alarm: TooHot"); break;
        }
    }
}

static void measure(void) {
    int32_t celsius, pascals;
    if (!is_started) {
        is_started = bmp280_start();
        if (!is_started)
            report(node_failed(&node));
        return;
    }
    is_started = bmp280_read(&celsius, &pascals);
    report(is_started ? node_measured(&node, &config, celsius, pascals) : node_failed(&node));
    if (node.phase == MEASURING)
        LOG_VALUES("debug %d centidegrees, %d Pa", filter_value(&node.temperature), filter_value(&node.pressure));
}

static void show(void) {
    display_clear();
    for (unsigned number = 0; number < SCREEN_LINES; number++) {
        Line line = {0, {0}};
        node_line(&node, &config, number, &line);
        display_line(number, &line);
    }
    display_show();
}

static void feed(void) { WDT_RR0 = 0x6E524635; }

static void step(void) {
    feed();
    elapsed += STEP;
    if (elapsed < config.values[INTERVAL])
        return;
    elapsed = 0;
    measure();
    show();
}

static void reply(const Line *line) {
    for (unsigned index = 0; index < line->length; index++)
        serial_put((uint8_t)line->bytes[index]);
    serial_put('\n');
}

static void say(const char *text) {
    while (*text)
        serial_put((uint8_t)*text++);
    serial_put('\n');
}

static void save(void) {
    uint8_t bytes[FLASH_MOST];
    config_write(&config, bytes);
    bytes[CONFIG_SIZE] = 0xFF;
    say(flash_save(bytes) ? "saved" : "error: flash is worn out");
}

static void load(void) {
    uint8_t bytes[FLASH_MOST];
    if (!flash_load(bytes) || !config_read(&config, bytes))
        config = config_standard;
}

static void execute(const Line *text) {
    Command command = command_parse(text);
    switch (command.kind) {
    case NOTHING_TO_DO: break;
    case SHOW:
        for (unsigned number = 0; number < SCREEN_LINES; number++) {
            Line line = {0, {0}};
            node_line(&node, &config, number, &line);
            reply(&line);
        }
        break;
    case SET: say(config_change(&config, command.setting, command.value) ? "ok" : "error: out of range"); break;
    case SAVE: save(); break;
    case RESET:
        config = config_standard;
        say("ok");
        break;
    case HANG:
        LOG("warn hanging");
        for (;;)
            ;
    case HELP:
        say("show, save, reset, hang, help");
        say("set interval|low|high|smoothing NUMBER");
        break;
    case UNKNOWN_COMMAND: say("error: unknown command, try help"); break;
    case UNKNOWN_SETTING: say("error: unknown setting"); break;
    case NO_NUMBER: say("error: a number is missing"); break;
    case TOO_MANY: say("error: too many words"); break;
    }
}

static void timer_start(void) {
    TIMER_BITMODE = 3;
    TIMER_PRESCALER = 4;
    TIMER_CC0 = STEP * 1000;
    TIMER_SHORTS = 1;
    TIMER_INTENSET = 1u << 16;
    NVIC_ISER = 1u << TIMER_INTERRUPT;
    TIMER_START = 1;
}

static void watchdog_start(void) {
    WDT_CRV = 2 * 32768;
    WDT_CONFIG = 1;
    WDT_RREN = 1;
    WDT_START = 1;
    feed();
}

int main(void) {
    static Line line;
    uint32_t done = 0;
    uint8_t byte;
    load();
    LOG_VALUES("info started, %d ms", config.values[INTERVAL]);
    i2c_start();
    display_start();
    serial_start();
    watchdog_start();
    timer_start();
    for (;;) {
        while (done != steps) {
            done++;
            step();
        }
        while (serial_take(&byte)) {
            if (byte == '\n' || byte == '\r') {
                execute(&line);
                line.length = 0;
            } else
                line_put(&line, (char)byte);
        }
        __asm volatile("wfe");
    }
}
