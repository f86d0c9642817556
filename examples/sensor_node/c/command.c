#include "command.h"

typedef struct {
    const char *first, *end;
} Word;

/* The next word from a byte on; it is empty at the end of the line. */
static Word word_from(const Line *line, const char *from) {
    const char *last = line->bytes + line->length;
    while (from < last && *from == ' ')
        from++;
    Word word = {from, from};
    while (word.end < last && *word.end != ' ')
        word.end++;
    return word;
}

static bool is(Word word, const char *text) {
    const char *at = word.first;
    while (at < word.end && *text && *at == *text)
        at++, text++;
    return at == word.end && !*text;
}

/* The index of a word in a table that ends with a null; the number of its entries if it is not there. */
static unsigned find(Word word, const char *const *names) {
    unsigned index = 0;
    while (names[index] && !is(word, names[index]))
        index++;
    return index;
}

/* Up to six digits. */
static bool number(Word word, int32_t *value) {
    bool is_negative = word.first < word.end && *word.first == '-';
    const char *at = word.first + is_negative;
    if (at >= word.end || word.end - at > 6)
        return false;
    int32_t found = 0;
    for (; at < word.end; at++) {
        if (*at < '0' || *at > '9')
            return false;
        found = found * 10 + (*at - '0');
    }
    *value = is_negative ? -found : found;
    return true;
}

Command command_parse(const Line *line) {
    static const char *const commands[] = {"", "show", "set", "save", "reset", "hang", "help", 0};
    static const char *const settings[] = {"interval", "low", "high", "smoothing", 0};
    Command command = {UNKNOWN_COMMAND, INTERVAL, 0};
    Word word = word_from(line, line->bytes);
    command.kind = (Kind)find(word, commands);
    if (command.kind == SET) {
        word = word_from(line, word.end);
        command.setting = (Setting)find(word, settings);
        word = word_from(line, word.end);
        if (command.setting == SETTINGS)
            command.kind = UNKNOWN_SETTING;
        else if (!number(word, &command.value))
            command.kind = NO_NUMBER;
    }
    if (command.kind < UNKNOWN_COMMAND) {
        word = word_from(line, word.end);
        if (word.first != word.end)
            command.kind = TOO_MANY;
    }
    return command;
}
