/* Expressions are parsed and evaluated by parser combinators. */

#include "bench.h"

struct parser {
    /* Moves the index behind what it reads, or returns 0. */
    int (*parse)(const struct parser *self, const char *text, int *index, int32_t *value);
    const struct parser *first, *second;
    char low, high;
};

static int parse(const struct parser *parser, const char *text, int *index, int32_t *value) {
    return parser->parse(parser, text, index, value);
}

static int symbol(const struct parser *self, const char *text, int *index, int32_t *value) {
    if (text[*index] < self->low || text[*index] > self->high)
        return 0;
    *value = text[(*index)++];
    return 1;
}

static int either(const struct parser *self, const char *text, int *index, int32_t *value) {
    return parse(self->first, text, index, value) || parse(self->second, text, index, value);
}

/* Digits, the parser `first`. */
static int digits(const struct parser *self, const char *text, int *index, int32_t *value) {
    int32_t digit;
    if (!parse(self->first, text, index, value))
        return 0;
    *value -= '0';
    while (parse(self->first, text, index, &digit))
        *value = (*value * 10 + digit - '0') & 0xFFFF;
    return 1;
}

static int32_t calculate(int32_t value, int32_t operator, int32_t operand) {
    switch (operator) {
    case '+':
        return (value + operand) & 0xFFFF;
    case '-':
        return (value - operand) & 0xFFFF;
    default:
        return (value * operand) & 0x7FFF;
    }
}

/* Operands, the parser `first`, with operators between them, the parser `second`. */
static int chain(const struct parser *self, const char *text, int *index, int32_t *value) {
    if (!parse(self->first, text, index, value))
        return 0;
    for (;;) {
        int next = *index;
        int32_t operator, operand;
        if (!parse(self->second, text, &next, &operator) || !parse(self->first, text, &next, &operand))
            return 1;
        *value = calculate(*value, operator, operand);
        *index = next;
    }
}

/* The parser `first` in parentheses. */
static int parentheses(const struct parser *self, const char *text, int *index, int32_t *value) {
    int next = *index;
    if (text[next++] != '(' || !parse(self->first, text, &next, value) || text[next++] != ')')
        return 0;
    *index = next;
    return 1;
}

static const struct parser expression;
static const struct parser digit = {.parse = symbol, .low = '0', .high = '9'};
static const struct parser number = {.parse = digits, .first = &digit};
static const struct parser inner = {.parse = parentheses, .first = &expression};
static const struct parser factor = {.parse = either, .first = &number, .second = &inner};
static const struct parser times = {.parse = symbol, .low = '*', .high = '*'};
static const struct parser term = {.parse = chain, .first = &factor, .second = &times};
static const struct parser plus = {.parse = symbol, .low = '+', .high = '+'};
static const struct parser minus = {.parse = symbol, .low = '-', .high = '-'};
static const struct parser sign = {.parse = either, .first = &plus, .second = &minus};
static const struct parser expression = {.parse = chain, .first = &term, .second = &sign};

static const char *const texts[] = {
    "1+2*3-4",
    "(12+34)*(56-7)*2",
    "((1+2)*(3+4)+5)*(6+(7*(8+9)))",
    "100*200-300*(4+5*(6-7*(8+9)))+1234",
};

static int32_t run(int32_t size) {
    int32_t sum = 0;
    for (int32_t round = 1; round <= size; round++) {
        int index = 0;
        int32_t value;
        if (parse(&expression, texts[round & 3], &index, &value))
            sum = ((sum * 31) ^ (value + index)) & 0xFFFFFF;
        else
            sum = 0;
    }
    return sum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
