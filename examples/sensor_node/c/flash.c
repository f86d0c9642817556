/* Records are written one after another into one of two pages; when it is full, the other one is erased. A record is valid if its check
   is that of its content, and the one with the highest number is the present one. */
#include "flash.h"
#include "nrf51.h"

#define PAGES 0x3F800u
#define PAGE 1024u
#define WORDS (FLASH_MOST / 4)
#define NOTHING 0xFFFFFFFFu

typedef struct {
    uint32_t number;
    uint32_t words[WORDS];
    uint32_t check;
} Record;

#define RECORDS (PAGE / sizeof(Record))

static volatile const Record *at(unsigned page, unsigned index) {
    return (volatile const Record *)(PAGES + page * PAGE) + index;
}

/* Two sums, as Fletcher's. */
static uint32_t check(volatile const uint32_t *words, unsigned count) {
    uint32_t sum = 1, sums = 0;
    for (unsigned index = 0; index < count; index++) {
        sum = (sum ^ words[index]) * 0x01000193u;
        sums += sum;
    }
    return sum ^ sums;
}

static bool is_valid(volatile const Record *record) {
    return record->number != NOTHING && record->check == check(&record->number, 1 + WORDS);
}

static bool is_erased(volatile const Record *record) {
    volatile const uint32_t *words = &record->number;
    for (unsigned index = 0; index < sizeof(Record) / 4; index++)
        if (words[index] != NOTHING)
            return false;
    return true;
}

/* The present record, if there is one, and the place after the last one that was begun. */
typedef struct {
    volatile const Record *record;
    unsigned page, next;
} Place;

static Place find(void) {
    Place place = {0, 0, 0};
    unsigned next[2] = {0, 0};
    for (unsigned page = 0; page < 2; page++)
        for (unsigned index = 0; index < RECORDS; index++) {
            volatile const Record *record = at(page, index);
            if (!is_erased(record))
                next[page] = index + 1;
            if (is_valid(record) && (!place.record || (int32_t)(record->number - place.record->number) > 0)) {
                place.record = record;
                place.page = page;
            }
        }
    place.next = next[place.page];
    return place;
}

static void allow(uint32_t operation) {
    NVMC_CONFIG = operation;
    while (!NVMC_READY)
        ;
}

static void write(volatile uint32_t *to, uint32_t word) {
    *to = word;
    while (!NVMC_READY)
        ;
}

static bool put(volatile const Record *place, const Record *record) {
    volatile uint32_t *to = (volatile uint32_t *)place;
    const uint32_t *words = &record->number;
    allow(1);
    for (unsigned index = 0; index < sizeof(Record) / 4; index++)
        write(to + index, words[index]);
    allow(0);
    return is_valid(place);
}

static void erase(unsigned page) {
    allow(2);
    write(&NVMC_ERASEPAGE, PAGES + page * PAGE);
    allow(0);
}

bool flash_load(uint8_t *bytes) {
    Place place = find();
    if (!place.record)
        return false;
    volatile const uint8_t *from = (volatile const uint8_t *)place.record->words;
    for (unsigned index = 0; index < FLASH_MOST; index++)
        bytes[index] = from[index];
    return true;
}

bool flash_save(const uint8_t *bytes) {
    Place place = find();
    Record record;
    record.number = place.record ? place.record->number + 1 : 0;
    uint8_t *to = (uint8_t *)record.words;
    for (unsigned index = 0; index < FLASH_MOST; index++)
        to[index] = bytes[index];
    record.check = check(&record.number, 1 + WORDS);
    if (place.next < RECORDS && put(at(place.page, place.next), &record))
        return true;
    erase(1 - place.page);
    return put(at(1 - place.page, 0), &record);
}
