#include "display.h"
#include "font.h"
#include "nrf51.h"

#define SCK 23
#define MOSI 21
#define MISO 22
#define SELECT 16
#define COMMAND 2
#define RESET 1
#define WIDTH 128
#define OUTPUT 1

/* A byte has eight pixels of a column, and there are eight rows of them. */
static uint8_t pixels[WIDTH * 8];

static void send(const uint8_t *bytes, unsigned count) {
    GPIO_OUTCLR = 1u << SELECT;
    while (count--) {
        SPI_TXD = *bytes++;
        while (!SPI_READY)
            ;
        SPI_READY = 0;
        (void)SPI_RXD;
    }
    GPIO_OUTSET = 1u << SELECT;
}

static void command(const uint8_t *bytes, unsigned count) {
    GPIO_OUTCLR = 1u << COMMAND;
    send(bytes, count);
    GPIO_OUTSET = 1u << COMMAND;
}

void display_start(void) {
    static const uint8_t outputs[] = {SELECT, COMMAND, RESET, SCK, MOSI};
    static const uint8_t initial[] = {0xAE, 0xD5, 0x80, 0xA8, 0x3F, 0xD3, 0x00, 0x40, 0x8D, 0x14, 0x20, 0x00, 0xA1,
                                      0xC8, 0xDA, 0x12, 0x81, 0xCF, 0xD9, 0xF1, 0xDB, 0x40, 0xA4, 0xA6, 0xAF};
    GPIO_OUTSET = 1u << SELECT | 1u << COMMAND | 1u << RESET;
    for (unsigned index = 0; index < sizeof outputs; index++)
        GPIO_PIN_CNF(outputs[index]) = OUTPUT;
    GPIO_PIN_CNF(MISO) = 0;
    GPIO_OUTCLR = 1u << RESET;
    for (volatile int wait = 0; wait < 40; wait++)
        ;
    GPIO_OUTSET = 1u << RESET;
    SPI_PSELSCK = SCK;
    SPI_PSELMOSI = MOSI;
    SPI_PSELMISO = MISO;
    SPI_FREQUENCY = 0x40000000;
    SPI_CONFIG = 0;
    SPI_ENABLE = 1;
    command(initial, sizeof initial);
}

void display_clear(void) {
    for (unsigned index = 0; index < sizeof pixels; index++)
        pixels[index] = 0;
}

/* Capitals stand for small letters, and `?` for what the font does not have. */
static uint16_t glyph(uint8_t byte) {
    if (byte >= 'a' && byte <= 'z')
        byte -= 32;
    return font[(byte >= ' ' && byte <= '_' ? byte : '?') - ' '];
}

void display_line(unsigned number, const Line *line) {
    uint8_t *at = pixels + number * WIDTH;
    for (unsigned index = 0; index < line->length && index < WIDTH / 4; index++, at += 4)
        for (unsigned column = 0; column < 3; column++)
            at[column] = glyph((uint8_t)line->bytes[index]) >> (5 * column) & 0x1F;
}

void display_show(void) {
    static const uint8_t everything[] = {0x21, 0, 127, 0x22, 0, 7};
    command(everything, sizeof everything);
    send(pixels, sizeof pixels);
}
