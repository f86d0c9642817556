/* A text of JSON is parsed into a tree in an arena, whose values are summed up. */

#include "bench.h"

enum kind { NONE, FALSE, TRUE, NUMBER, TEXT, ITEMS, FIELDS };

struct json {
    enum kind kind;
    int32_t number;
    const char *text, *name;
    int32_t length, name_length;
    struct json *first, *next;
};

/* The nodes of one text. */
static struct json nodes[64];
static int used;

static const char *parse(const char *text, struct json *json);

/* Reads a text behind its quotation mark. */
static const char *quoted(const char *text, const char **start, int32_t *length) {
    *start = text;
    while (*text != '"')
        text++;
    *length = (int32_t)(text - *start);
    return text + 1;
}

static const char *digits(const char *text, struct json *json) {
    json->kind = NUMBER;
    json->number = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        json->number = json->number * 10 + (*text - '0');
    return text;
}

/* Reads items, or fields with names, up to the end of the list. */
static const char *list(const char *text, struct json *json, char end) {
    struct json **last = &json->first;
    *last = 0;
    while (*text != end) {
        if (*text == ',') {
            text++;
            continue;
        }
        struct json *item = &nodes[used++];
        if (end == '}')
            text = quoted(text + 1, &item->name, &item->name_length) + 1;
        text = parse(text, item);
        *last = item;
        last = &item->next;
        *last = 0;
    }
    return text + 1;
}

static const char *parse(const char *text, struct json *json) {
    switch (*text) {
    case '{':
        json->kind = FIELDS;
        return list(text + 1, json, '}');
    case '[':
        json->kind = ITEMS;
        return list(text + 1, json, ']');
    case '"':
        json->kind = TEXT;
        return quoted(text + 1, &json->text, &json->length);
    case 't':
        json->kind = TRUE;
        return text + 4;
    case 'f':
        json->kind = FALSE;
        return text + 5;
    case 'n':
        json->kind = NONE;
        return text + 4;
    case '-':
        text = digits(text + 1, json);
        json->number = -json->number;
        return text;
    default:
        return digits(text, json);
    }
}

static int32_t total(const struct json *json) {
    int32_t sum;
    switch (json->kind) {
    case NONE:
        return 1;
    case TRUE:
        return 2;
    case FALSE:
        return 3;
    case NUMBER:
        return json->number;
    case TEXT:
        return json->length;
    case ITEMS:
        sum = 7;
        for (const struct json *item = json->first; item; item = item->next)
            sum = (sum * 3 + total(item)) & 0xFFFF;
        return sum;
    default:
        sum = 11;
        for (const struct json *field = json->first; field; field = field->next)
            sum = (sum * 5 + field->name_length + total(field)) & 0xFFFF;
        return sum;
    }
}

static const char *const texts[] = {
    "{\"name\":\"pump\",\"id\":7,\"on\":true,\"limits\":[10,25,-3,400],\"note\":null}",
    "[{\"area\":12,\"doors\":[1,2,3],\"use\":\"office\"},{\"area\":30,\"doors\":[],\"use\":\"store\"},{\"area\":-1,\"open\":false}]",
};

static int32_t run(int32_t size) {
    int32_t sum = 0;
    for (int32_t round = 1; round <= size; round++) {
        const char *text = texts[round & 1];
        struct json json;
        used = 0;
        int32_t stop = (int32_t)(parse(text, &json) - text);
        sum = ((sum * 31) ^ (total(&json) + stop)) & 0xFFFFFF;
    }
    return sum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
