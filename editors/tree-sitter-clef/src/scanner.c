// The scanner reads every token of Clef, and makes the layout explicit by the offside rule.
//
// It is the lexer and the offside pass of the compiler (compiler/syntax/src/lexer and offside) in one: a stack of
// contexts holds the open brackets, blocks and constructs, and each token may close and open some. Before a token come
// the virtual tokens `_end`, `_separator` and `_begin`, which have no width. What is valid for the parser is ignored:
// the tokens of a text depend on the text alone.
//
// Beyond the compiler's pass, `_begin` and `_end` also enclose the expressions between `if` and `then`, `match` and
// `with`, `while` and `do`, `in` and `do`, `when` and `->`, so that the parser needs the states of expressions once.

#include "tokens.h"
#include "tree_sitter/alloc.h"
#include "tree_sitter/parser.h"
#include <string.h>

enum { MAX_CONTEXTS = 160, MAX_RUNS = 12, MAX_WORD = 16, MAX_LOOKAHEAD = 4000 };

// Contexts

enum ContextKind { BLOCK, BRACKET, ARMS, CONSTRUCT, HOLE, STRING };

enum ConstructKind { C_LET, C_TYPE, C_MODULE, C_IF, C_ELSE, C_MATCH, C_TRY, C_FUN, C_WHILE, C_FOR, C_DO };

enum StringForm { REGULAR, VERBATIM, TRIPLE, INTERPOLATED = 4 };

typedef struct {
    uint8_t kind;
    // The construct, the closing token of a bracket, how far left a `|` of arms may be, or the form of a string.
    uint8_t what;
    // Whether the head of a construct is open; whether a block of a record copy has a column of fields.
    bool head;
    // Whether an expression of a construct's head is open: its `_begin` was inserted, but not its `_end`.
    bool condition;
    uint16_t column;
    // The indentation of the line; for the block of a record copy the column of its fields.
    uint16_t indentation;
} Context;

// What the next token opens.
enum PendingKind { NOTHING, A_BLOCK, A_BLOCK_ON_NEW_LINE, SOME_ARMS };

// What the layout knows of the last token.
enum Last { L_START, L_OTHER, L_OPERAND, L_SEQ, L_OPERATOR, L_GREATER, L_TYPE_CLOSE, L_IN, L_COMMA, L_EQUAL, L_SEMICOLON, L_COLON, L_ELSE, L_DOT };

typedef struct {
    Context stack[MAX_CONTEXTS];
    uint8_t size;
    uint8_t pending;
    int32_t pending_limit;
    uint16_t pending_column;
    uint8_t last;
    uint8_t attributes;
    uint8_t angles;
    // Whether the next token is the first of its line, and the indentation of the current line.
    bool starts_line;
    uint16_t indentation;
    bool space;
    // Whether the layout of the next token is done: then these virtual tokens come before it.
    bool laid_out;
    uint8_t runs;
    uint8_t run_token[MAX_RUNS];
    uint8_t run_length[MAX_RUNS];
    // Whether the last token opens the expression of a head.
    bool opens_condition;
    // Whether the next token decides the column of the fields of a record copy.
    bool fields_follow;
    // Whether a closing brace or a colon before the next token would end a hole: no bracket is open in it.
    bool at_hole_end;
} Scanner;

// A token of the source text.
typedef struct {
    enum Token token;
    enum Last last;
    uint16_t column;
    bool starts_line;
    bool space_before;
    uint16_t length;
    bool infix;
    bool before_if;
    bool before_parenthesis;
    bool end_of_file;
    bool closes_hole;
    uint8_t form;
} Read;

static void queue(Scanner *s, enum Token token) {
    if (s->runs > 0 && s->run_token[s->runs - 1] == token) {
        if (s->run_length[s->runs - 1] < 255) s->run_length[s->runs - 1]++;
    } else if (s->runs < MAX_RUNS) {
        s->run_token[s->runs] = token;
        s->run_length[s->runs++] = 1;
    }
}

static Context *top(Scanner *s) { return s->size > 0 ? &s->stack[s->size - 1] : NULL; }

static bool is_bottom(const Context *c) { return c->kind == HOLE || c->kind == STRING; }

// Whether no context of this layout is open: the tokens of a hole are laid out on their own.
static bool is_empty(Scanner *s) { return s->size == 0 || is_bottom(top(s)); }

static void push(Scanner *s, Context context) {
    if (s->size < MAX_CONTEXTS) s->stack[s->size++] = context;
}

static void close_condition(Scanner *s, Context *c) {
    if (c->condition) queue(s, END);
    c->condition = false;
}

static void pop(Scanner *s) {
    Context *c = top(s);
    if (c->kind == BLOCK) queue(s, END);
    close_condition(s, c);
    s->size--;
}

static void pop_to(Scanner *s, unsigned height) {
    while (s->size > height) pop(s);
}

static bool is_construct(const Context *c, enum ConstructKind kind) { return c->kind == CONSTRUCT && c->what == kind; }

static void open_block_at(Scanner *s, uint16_t column) {
    queue(s, BEGIN);
    push(s, (Context){.kind = BLOCK, .column = column});
}

// Properties of tokens

static bool is_closer(enum Token t) {
    return t == RIGHT_PAREN || t == RIGHT_BRACKET || t == RIGHT_ARRAY || t == RIGHT_BRACE || t == RIGHT_ANONYMOUS ||
           t == RIGHT_ATTRIBUTE || t == RIGHT_QUOTATION || t == WORD_END;
}

static enum Token closer_of(enum Token t) {
    switch (t) {
        case LEFT_PAREN: case OPEN_CALL: return RIGHT_PAREN;
        case LEFT_BRACKET: case OPEN_INDEX: return RIGHT_BRACKET;
        case LEFT_ARRAY: return RIGHT_ARRAY;
        case LEFT_BRACE: case OPEN_SEQUENCE: return RIGHT_BRACE;
        case LEFT_ANONYMOUS: return RIGHT_ANONYMOUS;
        case LEFT_ATTRIBUTE: return RIGHT_ATTRIBUTE;
        case LEFT_QUOTATION: return RIGHT_QUOTATION;
        default: return INVALID;
    }
}

static bool is_in(enum Token t) { return t == WORD_IN || t == IN_LINE_END; }

static bool is_dot(enum Token t) { return t == DOT || t == DOT_NAME || t == DOT_OPERATOR; }

static bool is_continuation(const Read *r) {
    if (r->infix || is_closer(r->token) || is_in(r->token) || is_dot(r->token)) return true;
    switch (r->token) {
        case WORD_THEN: case WORD_ELIF: case WORD_ELSE: case WORD_WITH: case WORD_AND: case WORD_OF: case WORD_DONE:
        case WORD_AS: case WORD_WHEN: case WORD_TO: case WORD_DOWNTO: case BAR: case ARROW: case COMMA: case SEMICOLON:
        case EQUAL: case COLON: case DOT_DOT: case LEFT_ARROW:
            return true;
        default:
            return false;
    }
}

static uint16_t grace(const Read *r) { return r->infix ? r->length + 1 : 0; }

static bool continues(const Context *c, enum Token t) {
    switch (c->what) {
        case C_IF: return t == WORD_THEN || t == WORD_ELIF || t == WORD_ELSE;
        case C_MATCH: case C_TRY: return t == WORD_WITH;
        case C_LET: return t == WORD_AND || is_in(t);
        case C_TYPE: return t == WORD_AND || t == WORD_WITH;
        case C_WHILE: return t == WORD_DO || t == WORD_DONE;
        case C_FOR: return t == WORD_DO || t == WORD_DONE || is_in(t) || t == WORD_TO;
        default: return false;
    }
}

static uint16_t least(uint16_t a, uint16_t b) { return a < b ? a : b; }

// The first token of a line

static void separate(Scanner *s, const Read *r, uint16_t column, bool body_closed) {
    bool goes_on = s->last == L_OPERATOR || s->last == L_IN || s->last == L_COMMA || s->last == L_EQUAL ||
                   (s->last == L_SEMICOLON && !body_closed);
    if (r->column <= column && !is_continuation(r) && !goes_on) {
        queue(s, SEPARATOR);
    } else if (top(s) && top(s)->kind == BLOCK && top(s)->head && r->column == top(s)->indentation && !is_continuation(r)) {
        queue(s, SEPARATOR);
    }
}

static bool is_aligned_outside(Scanner *s, const Read *r) {
    for (int i = (int)s->size - 2; i >= 0 && !is_bottom(&s->stack[i]); i--) {
        const Context *c = &s->stack[i];
        if (c->kind == BLOCK && c->column == r->column) return true;
        if (c->kind == ARMS && r->token == BAR && r->column + c->what >= c->column) return true;
    }
    return false;
}

static bool is_stranded(Scanner *s, const Read *r) {
    if (s->size < 2 || s->stack[s->size - 2].kind != CONSTRUCT) return false;
    const Context *c = &s->stack[s->size - 2];
    return c->what != C_FUN && !continues(c, r->token) && r->column > least(c->column, c->indentation) &&
           !is_aligned_outside(s, r);
}

static bool bracket_is_left(Scanner *s, const Read *r) {
    bool declares = r->token == WORD_LET || r->token == WORD_TYPE || r->token == WORD_MODULE || r->token == WORD_OPEN ||
                    r->token == WORD_NAMESPACE || r->token == LEFT_ATTRIBUTE;
    if (!declares) return false;
    for (int i = (int)s->size - 1; i >= 0 && !is_bottom(&s->stack[i]); i--) {
        if (s->stack[i].kind == BRACKET) return r->column <= s->stack[i].indentation;
    }
    return false;
}

static void line_start(Scanner *s, const Read *r) {
    bool body_closed = false;
    while (!is_empty(s)) {
        Context *c = top(s);
        Context *outer = s->size >= 2 ? c - 1 : NULL;
        if (c->kind == BLOCK) {
            bool bar = outer && is_construct(outer, C_TYPE) && r->token == BAR;
            if (r->column + grace(r) + bar >= c->column) return separate(s, r, c->column, body_closed);
            bool bottom = !outer || is_bottom(outer);
            if (bottom || is_stranded(s, r)) return separate(s, r, r->column, body_closed);
            if (outer->kind == BRACKET && !bracket_is_left(s, r)) return;
            pop(s);
            body_closed = true;
        } else if (c->kind == ARMS) {
            bool next_arm = r->token == BAR && r->column + c->what >= c->column;
            if (next_arm || (r->column > c->column && !body_closed)) return;
            pop(s);
            body_closed = true;
        } else if (c->kind == CONSTRUCT) {
            bool goes_on = continues(c, r->token) && r->column >= least(c->column, c->indentation);
            if (goes_on || (!body_closed && r->column > c->indentation)) return;
            pop(s);
            body_closed = true;
        } else {
            if (!bracket_is_left(s, r)) return;
            pop(s);
        }
    }
}

// Tokens that continue a construct

static bool accepts(const Context *c, enum Token t) {
    if (c->kind != CONSTRUCT) return false;
    switch (t) {
        case WORD_THEN: return c->what == C_IF && c->head;
        case WORD_ELIF: case WORD_ELSE: return c->what == C_IF && !c->head;
        case WORD_WITH: return c->what == C_MATCH ? c->head : c->what == C_TRY || c->what == C_TYPE;
        case WORD_IN: case IN_LINE_END: return c->what == C_LET ? !c->head : c->what == C_FOR && c->head;
        case WORD_DO: case WORD_DONE: return c->what == C_WHILE || c->what == C_FOR;
        case WORD_AND: return (c->what == C_LET || c->what == C_TYPE) && !c->head;
        default: return false;
    }
}

static void advance_construct(Scanner *s, enum Token t) {
    Context *c = top(s);
    switch (t) {
        case WORD_THEN: case WORD_WITH: c->head = false; close_condition(s, c); break;
        case WORD_ELIF: case WORD_AND: c->head = true; break;
        case WORD_ELSE: c->what = C_ELSE; break;
        case WORD_DO: close_condition(s, c); break;
        case WORD_IN: case IN_LINE_END: if (c->what == C_LET) s->size--; break;
        case WORD_DONE: pop(s); break;
        default: break;
    }
}

static void continue_construct(Scanner *s, const Read *r) {
    if (r->token == BAR) {
        if (is_empty(s)) return;
        Context *c = top(s);
        if (c->kind == CONSTRUCT && c->head && (c->what == C_FOR || c->what == C_LET) && !r->starts_line) return;
        for (int i = (int)s->size - 1; i >= 0 && !is_bottom(&s->stack[i]) && s->stack[i].kind != BRACKET; i--) {
            if (s->stack[i].kind == ARMS) return pop_to(s, i + 1);
            if (is_construct(&s->stack[i], C_TYPE)) return;
        }
        return;
    }
    for (int i = (int)s->size - 1; i >= 0 && !is_bottom(&s->stack[i]) && s->stack[i].kind != BRACKET; i--) {
        if (accepts(&s->stack[i], r->token)) {
            pop_to(s, i + 1);
            return advance_construct(s, r->token);
        }
    }
}

// Tokens that open contexts

static void pend(Scanner *s, enum PendingKind kind, int32_t limit, uint16_t column) {
    s->pending = kind;
    s->pending_limit = limit;
    s->pending_column = column;
}

static void pend_body(Scanner *s, const Read *r) {
    if (is_empty(s) || top(s)->kind != CONSTRUCT) return;
    Context *c = top(s);
    c->head = false;
    close_condition(s, c);
    bool by_column = c->what == C_LET || c->what == C_TYPE || c->what == C_MODULE;
    int32_t limit = by_column ? c->column : c->indentation;
    pend(s, A_BLOCK, limit - (r->token == WORD_ELSE), r->column);
}

static void pend_new_line(Scanner *s, const Read *r) { pend(s, A_BLOCK_ON_NEW_LINE, s->indentation, r->column); }

static void construct(Scanner *s, enum ConstructKind kind, const Read *r) {
    push(s, (Context){.kind = CONSTRUCT, .what = kind, .column = r->column, .indentation = s->indentation, .head = true});
}

static void bracket(Scanner *s, enum Token closer, const Read *r, bool blocks) {
    push(s, (Context){.kind = BRACKET, .what = closer, .column = r->column, .indentation = s->indentation});
    if (blocks) pend(s, A_BLOCK, -1, r->column);
}

// Opens the expression of a head: its `_begin` comes before the next token.
static void open_condition(Scanner *s) {
    if (is_empty(s)) return;
    top(s)->condition = true;
    s->opens_condition = true;
}

static bool in_construct(Scanner *s, enum ConstructKind kind) { return !is_empty(s) && is_construct(top(s), kind); }

static void arrow(Scanner *s, const Read *r) {
    if (is_empty(s)) return;
    Context *c = top(s);
    if (c->kind == CONSTRUCT && c->head && (c->what == C_FUN || c->what == C_FOR)) return pend_body(s, r);
    if (c->kind == ARMS) pend(s, A_BLOCK, c->column, c->column);
}

// Virtual tokens of heads that end directly before a token.
static void end_condition(Scanner *s, const Read *r) {
    if (is_empty(s)) return;
    Context *c = top(s);
    bool ends = (r->token == ARROW && (c->kind == ARMS || in_construct(s, C_FOR))) ||
                ((r->token == WORD_TO || r->token == WORD_DOWNTO) && in_construct(s, C_FOR));
    if (ends) close_condition(s, c);
}

static void push_contexts(Scanner *s, const Read *r) {
    switch (r->token) {
        case WORD_LET: case WORD_USE: construct(s, C_LET, r); break;
        case WORD_TYPE: construct(s, C_TYPE, r); break;
        case WORD_MODULE: construct(s, C_MODULE, r); break;
        case WORD_IF:
            if (s->last == L_ELSE && !r->starts_line) {
                if (!is_empty(s) && top(s)->kind == CONSTRUCT) {
                    top(s)->what = C_IF;
                    top(s)->head = true;
                }
            } else {
                construct(s, C_IF, r);
            }
            open_condition(s);
            break;
        case WORD_ELIF: open_condition(s); break;
        case WORD_MATCH: construct(s, C_MATCH, r); open_condition(s); break;
        case WORD_FUN: construct(s, C_FUN, r); break;
        case WORD_WHILE: construct(s, C_WHILE, r); open_condition(s); break;
        case WORD_FOR: construct(s, C_FOR, r); break;
        case WORD_IN: case IN_LINE_END: if (in_construct(s, C_FOR) && top(s)->head) open_condition(s); break;
        case WORD_TO: case WORD_DOWNTO: if (in_construct(s, C_FOR) && top(s)->head) open_condition(s); break;
        case WORD_WHEN: if (!is_empty(s) && top(s)->kind == ARMS) open_condition(s); break;
        case WORD_FUNCTION: pend(s, SOME_ARMS, (int32_t)s->indentation - 1, s->indentation); break;
        case WORD_WITH:
            if (in_construct(s, C_MATCH) || in_construct(s, C_TRY)) {
                uint16_t column = least(top(s)->column, top(s)->indentation);
                pend(s, SOME_ARMS, (int32_t)column - 1, column);
            } else {
                s->fields_follow = true;
            }
            break;
        case WORD_THEN: pend_body(s, r); break;
        case WORD_ELSE: if (!r->before_if) pend_body(s, r); break;
        case WORD_DO:
            if (!in_construct(s, C_WHILE) && !in_construct(s, C_FOR)) construct(s, C_DO, r);
            pend_body(s, r);
            break;
        case WORD_BEGIN: bracket(s, WORD_END, r, true); break;
        case WORD_STRUCT: if (s->last != L_COLON && !r->before_parenthesis) bracket(s, WORD_END, r, true); break;
        case WORD_LAZY: case WORD_ASSERT: case WORD_YIELD: case WORD_YIELD_BANG: case LEFT_ARROW: case SET_CELL:
            pend_new_line(s, r);
            break;
        case EQUAL: {
            Context *c = is_empty(s) ? NULL : top(s);
            if (c && c->kind == CONSTRUCT && c->head && (c->what == C_LET || c->what == C_TYPE || c->what == C_MODULE)) {
                pend_body(s, r);
            } else if (c && c->kind == CONSTRUCT && c->head && c->what == C_FOR && !c->condition) {
                open_condition(s);
            }
            break;
        }
        case ARROW: arrow(s, r); break;
        default: {
            enum Token closer = closer_of(r->token);
            if (closer != INVALID) bracket(s, closer, r, closer != RIGHT_ATTRIBUTE && closer != RIGHT_QUOTATION);
        }
    }
}

// One token

static bool open_pending(Scanner *s, const Read *r, uint8_t kind) {
    if (kind == A_BLOCK_ON_NEW_LINE && !r->starts_line) return false;
    bool in_bracket = !is_empty(s) && top(s)->kind == BRACKET;
    if (in_bracket && is_closer(r->token)) return false;
    bool needs_indent = kind == SOME_ARMS && r->token != BAR;
    bool is_case = in_construct(s, C_TYPE) && kind == A_BLOCK && r->token == BAR;
    int32_t limit = needs_indent ? s->pending_column : s->pending_limit - is_case;
    bool too_far_left = r->starts_line && (int32_t)r->column <= limit;
    if (too_far_left || is_closer(r->token)) {
        if (!in_bracket && kind != SOME_ARMS) {
            queue(s, BEGIN);
            queue(s, END);
            s->last = L_OTHER;
        }
        return false;
    }
    if (kind == SOME_ARMS) {
        uint16_t column = r->starts_line ? r->column : s->pending_column;
        uint8_t slack = r->token == BAR || !r->starts_line ? 0 : 2;
        push(s, (Context){.kind = ARMS, .what = slack, .column = column});
    } else {
        bool below = is_case && r->starts_line && (int32_t)r->column == s->pending_limit;
        open_block_at(s, r->column + below);
    }
    return true;
}

static void close_bracket(Scanner *s, enum Token t) {
    for (int i = (int)s->size - 1; i >= 0 && !is_bottom(&s->stack[i]); i--) {
        if (s->stack[i].kind == BRACKET && s->stack[i].what == t) {
            pop_to(s, i + 1);
            s->size--;
            return;
        }
    }
}

static void close_hole(Scanner *s) {
    while (!is_empty(s)) pop(s);
}

// Content that is indented below `module A.B` at the top of a file is a block in its own column.
static bool opens_indented_file(Scanner *s, const Read *r) {
    return s->size == 2 && s->stack[0].kind == BLOCK && is_construct(&s->stack[1], C_MODULE) && s->stack[1].head &&
           r->column > s->stack[0].column && r->starts_line && r->token != EQUAL;
}

static void lay_out(Scanner *s, const Read *r) {
    s->laid_out = true;
    s->runs = 0;
    if (s->opens_condition) queue(s, BEGIN);
    s->opens_condition = false;
    if (r->starts_line) s->indentation = r->column;
    if (r->end_of_file) {
        while (s->size > 0) pop(s);
        return;
    }
    if (r->closes_hole) return close_hole(s);
    uint8_t pending = s->pending;
    s->pending = NOTHING;
    bool opens = false;
    if (pending != NOTHING) {
        opens = open_pending(s, r, pending);
    } else if (is_empty(s)) {
        open_block_at(s, r->column);
        opens = true;
    }
    if (s->fields_follow) {
        s->fields_follow = false;
        if (!is_empty(s) && top(s)->kind == BLOCK) {
            top(s)->head = true;
            top(s)->indentation = r->column;
        }
    } else if (!opens && r->starts_line) {
        if (opens_indented_file(s, r)) {
            s->size = 1;
            s->stack[0].column = r->column;
        }
        line_start(s, r);
    }
    if (is_closer(r->token)) {
        close_bracket(s, r->token);
    } else {
        continue_construct(s, r);
        end_condition(s, r);
    }
    push_contexts(s, r);
}

// Characters

static bool is_space(int32_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v' || c == 0xa0 || c == 0xfeff ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x3000 || c == 0x85 || c == 0x2028 || c == 0x2029;
}

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

static bool is_letter(int32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= 0x80 && !is_space(c));
}

static bool is_name(int32_t c) { return is_letter(c) || is_digit(c); }

static bool is_operator(int32_t c) { return c != 0 && c < 0x80 && strchr("!%&*+-/<=>?@^|~", c) != NULL; }

// The text. While a token is only looked at, the end of the tree-sitter token must stay where it is: then `over` tells
// whether more was read than the token.
typedef struct {
    TSLexer *lexer;
    bool marking;
    bool over;
} Input;

static int32_t peek(const Input *l) { return l->lexer->lookahead; }

static bool at_end(const Input *l) { return l->lexer->eof(l->lexer); }

static void advance(Input *l) {
    l->lexer->advance(l->lexer, false);
    l->over = true;
}

static void mark(Input *l) {
    if (l->marking) l->lexer->mark_end(l->lexer);
    l->over = false;
}

static bool eat(Input *l, int32_t c) {
    if (peek(l) != c) return false;
    advance(l);
    return true;
}

// Comments

// The rest of a block comment after its `(*`; comments nest, and strings in them hide `*)`.
static void block_comment(Input *l) {
    unsigned depth = 1;
    while (depth > 0 && !at_end(l)) {
        if (eat(l, '(')) {
            if (eat(l, '*') && !eat(l, ')')) depth++;
        } else if (eat(l, '*')) {
            if (eat(l, ')')) depth--;
        } else if (eat(l, '\'')) {
            if (eat(l, '"')) eat(l, '\'');
        } else if (eat(l, '"')) {
            bool escaped = false;
            while (!at_end(l) && peek(l) != '\n' && (escaped || peek(l) != '"')) {
                escaped = peek(l) == '\\' && !escaped;
                advance(l);
            }
            if (!at_end(l) && peek(l) == '"') advance(l);
        } else {
            advance(l);
        }
    }
}

// Words, numbers and characters

static enum Token word(Scanner *s, Input *l, Read *r) {
    char text[MAX_WORD + 2];
    unsigned length = 0;
    while (is_name(peek(l)) || peek(l) == '\'') {
        if (length < MAX_WORD) text[length] = peek(l) < 0x80 ? (char)peek(l) : '?';
        length++;
        advance(l);
    }
    mark(l);
    if (length > MAX_WORD - 2) return IDENTIFIER;
    text[length] = 0;
    if (peek(l) == '!') {
        text[length] = '!';
        text[length + 1] = 0;
        for (unsigned i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
            if (strcmp(WORDS[i].text, text) == 0) {
                advance(l);
                if (peek(l) != '=') {
                    mark(l);
                    return WORDS[i].token;
                }
                break;
            }
        }
        text[length] = 0;
    }
    (void)s;
    for (unsigned i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (strcmp(WORDS[i].text, text) == 0) return WORDS[i].token;
    }
    if (strcmp(text, "seq") == 0) r->last = L_SEQ;
    return IDENTIFIER;
}

static void digits(Input *l) {
    while (is_digit(peek(l)) || peek(l) == '_') advance(l);
}

static enum Token number(Input *l) {
    bool is_float = false;
    if (eat(l, '0') && peek(l) < 0x80 && peek(l) != 0 && strchr("xXoObB", peek(l))) {
        while (is_name(peek(l))) advance(l);
        mark(l);
        return INTEGER;
    }
    digits(l);
    mark(l);
    if (peek(l) == '.') {
        advance(l);
        int32_t c = peek(l);
        bool fraction = c != '.' && c != '[' && !is_letter(c);
        if (c == 'f' || c == 'e') {
            advance(l);
            fraction = c == 'f' ? !is_name(peek(l)) : is_digit(peek(l)) || peek(l) == '-';
        }
        if (!fraction) return INTEGER;
        is_float = true;
        if (c == 'e') {
            eat(l, '-');
        }
        digits(l);
    }
    if (peek(l) == 'e' || peek(l) == 'E') {
        advance(l);
        is_float = true;
        if (peek(l) == '+' || peek(l) == '-') advance(l);
        digits(l);
    }
    if (peek(l) == 'f' || peek(l) == 'F') is_float = true;
    while (is_name(peek(l))) advance(l);
    mark(l);
    return is_float ? FLOAT : INTEGER;
}

// `'a'`, `'\n'` or `'a`.
static enum Token quote(Input *l) {
    advance(l);
    if (eat(l, '\\')) {
        advance(l);
        for (unsigned i = 0; i < 10 && peek(l) != '\'' && is_name(peek(l)); i++) advance(l);
        if (!eat(l, '\'')) return INVALID;
    } else {
        bool named = is_letter(peek(l));
        if (peek(l) == '\n' || at_end(l)) return INVALID;
        advance(l);
        if (peek(l) != '\'') {
            while (is_name(peek(l))) advance(l);
            mark(l);
            return named ? TYPE_NAME : INVALID;
        }
        advance(l);
    }
    eat(l, 'B');
    mark(l);
    return CHAR;
}

static enum Token quoted_name(Input *l) {
    advance(l);
    if (!eat(l, '`')) return INVALID;
    while (peek(l) != '`' && peek(l) != '\n' && !at_end(l)) advance(l);
    if (!eat(l, '`') || !eat(l, '`')) return INVALID;
    mark(l);
    return IDENTIFIER;
}

// Operators

static bool is_word_of_types(const char *text) {
    for (unsigned i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (strcmp(WORDS[i].text, text) == 0) {
            return strcmp(text, "_") == 0 || strcmp(text, "struct") == 0 || strcmp(text, "when") == 0 ||
                   strcmp(text, "and") == 0;
        }
    }
    return true;
}

// Whether only parts of types are between a `<`, which is consumed, and its `>`, and no operand is directly after it.
static bool are_type_arguments(Input *l) {
    unsigned open = 1;
    bool constraints = false;
    for (unsigned i = 0; i < MAX_LOOKAHEAD && !at_end(l); i++) {
        int32_t c = peek(l);
        if (is_space(c) || c == ',' || c == '(' || c == ')' || c == ']') {
            advance(l);
        } else if (c == ':' && constraints) {
            advance(l);
        } else if (c == '.') {
            advance(l);
            if (peek(l) == '.') return false;
        } else if (c == '[') {
            advance(l);
            if (eat(l, '<')) {
                while (is_name(peek(l))) advance(l);
                if (!eat(l, '>') || !eat(l, ']')) return false;
            }
        } else if (c == '\'') {
            advance(l);
            if (!is_letter(peek(l))) return false;
            while (is_name(peek(l))) advance(l);
            if (peek(l) == '\'') return false;
        } else if (c == '`') {
            if (quoted_name(l) != IDENTIFIER) return false;
        } else if (is_name(c)) {
            char text[MAX_WORD] = {0};
            unsigned length = 0;
            while (is_name(peek(l)) || peek(l) == '\'') {
                if (length < MAX_WORD - 1) text[length] = peek(l) < 0x80 ? (char)peek(l) : '?';
                length++;
                advance(l);
            }
            if (!is_word_of_types(text)) return false;
            constraints = constraints || strcmp(text, "when") == 0;
        } else if (c == '>') {
            while (eat(l, '>')) {
                if (--open == 0) {
                    if (is_operator(peek(l))) return true;
                    return !is_name(peek(l)) && peek(l) != '"';
                }
            }
            if (is_operator(peek(l))) return false;
        } else if (c == '<') {
            advance(l);
            open++;
        } else if (c == '-') {
            advance(l);
            if (!eat(l, '>')) return false;
        } else if (c == '^') {
            advance(l);
            eat(l, '-');
        } else if (c == '*' || c == '/') {
            advance(l);
            if (is_operator(peek(l)) && peek(l) != '>' && peek(l) != '<') return false;
        } else {
            return false;
        }
    }
    return false;
}

static bool is_loose(const char *text) {
    return strcmp(text, "+") == 0 || strcmp(text, "-") == 0 || strcmp(text, "+.") == 0 || strcmp(text, "-.") == 0 ||
           strcmp(text, "%") == 0 || strcmp(text, "%%") == 0 || strcmp(text, "&") == 0 || strcmp(text, "&&") == 0;
}

// The class of an operator, which decides its precedence.
static enum Token class_of(const char *text) {
    if (strcmp(text, "=") == 0) return EQUAL;
    if (strcmp(text, "|") == 0) return BAR;
    if (strcmp(text, "->") == 0) return ARROW;
    if (strcmp(text, "<-") == 0) return LEFT_ARROW;
    if (strcmp(text, "<@") == 0 || strcmp(text, "<@@") == 0) return LEFT_QUOTATION;
    if (strcmp(text, "@>") == 0 || strcmp(text, "@@>") == 0) return RIGHT_QUOTATION;
    if (text[0] == '~' || (text[0] == '!' && text[1] != '=')) return TIGHT_PREFIX;
    if (strcmp(text, "||") == 0) return OR;
    if (strcmp(text, "&&") == 0) return AND;
    if (strcmp(text, "&") == 0) return AMPERSAND;
    if (strcmp(text, "&&&") == 0 || strcmp(text, "|||") == 0 || strcmp(text, "^^^") == 0 || strcmp(text, "<<<") == 0 ||
        strcmp(text, ">>>") == 0) {
        return BITS;
    }
    if (strcmp(text, "*") == 0) return STAR;
    if (strcmp(text, "/") == 0) return SLASH;
    if (strcmp(text, "^") == 0) return CARET;
    if (strcmp(text, "^-") == 0) return CARET_MINUS;
    if (strncmp(text, "**", 2) == 0) return POWER;
    if ((text[0] == '+' || text[0] == '-') && is_loose(text)) return SIGN;
    switch (text[0]) {
        case '*': case '/': case '%': return PRODUCT;
        case '+': case '-': return SUM;
        case '@': case '^': return APPEND;
        default: return COMPARE;
    }
}

static bool is_operand(enum Last last) {
    return last == L_OPERAND || last == L_SEQ || last == L_TYPE_CLOSE;
}

// An operator; `first` is its first character if that is consumed.
static enum Token operator_token(Scanner *s, Input *l, Read *r, char first) {
    char text[MAX_WORD] = {0};
    unsigned length = 0;
    if (first != 0) text[length++] = first;
    if (s->angles > 0 && peek(l) == '>') {
        advance(l);
        mark(l);
        if (s->attributes > 0 && eat(l, ']')) {
            mark(l);
            return RIGHT_ATTRIBUTE;
        }
        r->length = 1;
        r->infix = true;
        r->last = L_TYPE_CLOSE;
        return TYPE_CLOSE;
    }
    for (;;) {
        mark(l);
        int32_t c = peek(l);
        if (!is_operator(c) && c != '.') break;
        advance(l);
        if (length > 0 && c == '.' && peek(l) == '.') break;
        if (length > 0 && c == '/' && peek(l) == '/') break;
        bool closes = (peek(l) == ']' && (c == '|' || (c == '>' && s->attributes > 0))) ||
                      (peek(l) == '}' && c == '|');
        if (length > 0 && closes) break;
        if (length < MAX_WORD - 1) text[length] = (char)c;
        length++;
        if (closes) {
            bool bracket = peek(l) == ']';
            advance(l);
            mark(l);
            if (c == '>') return RIGHT_ATTRIBUTE;
            r->last = L_OPERAND;
            return bracket ? RIGHT_ARRAY : RIGHT_ANONYMOUS;
        }
        bool may_open = length == 1 && c == '<' && !r->space_before && is_operand(s->last) &&
                        (!is_operator(peek(l)) || peek(l) == '^');
        if (may_open) {
            mark(l);
            r->length = 1;
            r->infix = true;
            r->last = L_OPERATOR;
            if (!are_type_arguments(l)) return COMPARE;
            return TYPE_OPEN;
        }
    }
    r->length = length < MAX_WORD ? length : MAX_WORD;
    bool space_after = at_end(l) || is_space(peek(l));
    enum Token token = class_of(text);
    if (token == BAR || token == ARROW || token == LEFT_QUOTATION || token == RIGHT_QUOTATION) return token;
    if (token == EQUAL || token == LEFT_ARROW) {
        r->infix = true;
        if (token == EQUAL) r->last = L_EQUAL;
        return token;
    }
    bool greater = text[strspn(text, ">")] == 0;
    r->last = greater ? L_GREATER : L_OPERATOR;
    if (strcmp(text, "?") == 0) r->last = L_OTHER;
    if (token == TIGHT_PREFIX) return token;
    if (is_loose(text) && r->space_before && !space_after) return ADJACENT_PREFIX;
    r->infix = true;
    return token;
}

static enum Token colon(Input *l, Read *r) {
    advance(l);
    mark(l);
    enum Token token = COLON;
    r->last = L_COLON;
    unsigned length = 1;
    if (eat(l, ':')) {
        token = CONS;
        length = 2;
    } else if (eat(l, '=')) {
        token = SET_CELL;
        length = 2;
    } else if (eat(l, '>')) {
        token = CAST;
        length = 2;
    } else if (eat(l, '?')) {
        token = eat(l, '>') ? CAST : TYPE_TEST;
        length = 2;
    }
    if (token != COLON) {
        mark(l);
        r->infix = true;
        r->length = length;
        r->last = L_OPERATOR;
    }
    return token;
}

// Brackets and points

// Whether `..` is on the rest of the line, outside inner brackets and strings: then braces contain a range.
static bool is_braced_range(Input *l) {
    unsigned depth = 0;
    while (!at_end(l) && peek(l) != '\n') {
        int32_t c = peek(l);
        advance(l);
        if (c == '"') {
            while (!at_end(l) && peek(l) != '\n' && peek(l) != '"') advance(l);
            eat(l, '"');
        } else if (c == '(' || c == '[' || c == '{') {
            depth++;
        } else if (c == ')' || c == ']' || c == '}') {
            if (depth-- == 0) return false;
        } else if (c == '.' && peek(l) == '.' && depth == 0) {
            return true;
        }
    }
    return false;
}

static enum Token left(Scanner *s, Input *l, const Read *r) {
    int32_t c = peek(l);
    bool adjacent = !r->space_before && is_operand(s->last);
    bool after_dot = s->last == L_DOT && !r->space_before;
    advance(l);
    mark(l);
    if (c == '(') return adjacent ? OPEN_CALL : LEFT_PAREN;
    if (c == '[') {
        if (peek(l) == '<') {
            advance(l);
            mark(l);
            return LEFT_ATTRIBUTE;
        }
        if (eat(l, '|')) {
            mark(l);
            return LEFT_ARRAY;
        }
        return adjacent && !after_dot ? OPEN_INDEX : LEFT_BRACKET;
    }
    if (eat(l, '|')) {
        mark(l);
        return LEFT_ANONYMOUS;
    }
    return s->last == L_SEQ || is_braced_range(l) ? OPEN_SEQUENCE : LEFT_BRACE;
}

static enum Token point(Input *l, Read *r) {
    advance(l);
    mark(l);
    if (eat(l, '.')) {
        mark(l);
        r->infix = true;
        r->length = 2;
        return DOT_DOT;
    }
    r->last = L_DOT;
    while (is_space(peek(l))) advance(l);
    if (peek(l) == '(') return DOT_OPERATOR;
    return is_letter(peek(l)) || peek(l) == '`' ? DOT_NAME : DOT;
}

// Strings

static enum Token string_start(Input *l, Read *r, unsigned form) {
    if (!eat(l, '"')) return INVALID;
    mark(l);
    if ((form & VERBATIM) == 0 && peek(l) == '"') {
        advance(l);
        if (eat(l, '"')) {
            mark(l);
            form |= TRIPLE;
        }
    }
    r->form = form;
    return form & INTERPOLATED ? INTERPOLATED_START : STRING_START;
}

static bool string_end(Scanner *s, Input *l, unsigned form) {
    if ((form & INTERPOLATED) == 0) eat(l, 'B');
    mark(l);
    s->size--;
    s->last = L_OPERAND;
    s->starts_line = false;
    s->space = false;
    s->laid_out = false;
    l->lexer->result_symbol = STRING_END;
    return true;
}

// The next part of the string on top of the stack.
static bool string_part(Scanner *s, Input *l) {
    unsigned form = top(s)->what;
    bool interpolated = form & INTERPOLATED;
    bool triple = form & TRIPLE;
    bool verbatim = form & VERBATIM;
    bool content = false;
    l->lexer->result_symbol = STRING_CONTENT;
    for (;;) {
        mark(l);
        if (at_end(l)) return content;
        int32_t c = peek(l);
        if (c == '"') {
            advance(l);
            if (triple) {
                if (peek(l) == '"') {
                    advance(l);
                    if (peek(l) == '"') {
                        if (content) return true;
                        advance(l);
                        return string_end(s, l, form);
                    }
                }
            } else if (verbatim && peek(l) == '"') {
                if (content) return true;
                advance(l);
                mark(l);
                l->lexer->result_symbol = ESCAPE_SEQUENCE;
                return true;
            } else {
                if (content) return true;
                return string_end(s, l, form);
            }
        } else if (c == '\\' && !triple && !verbatim) {
            if (content) return true;
            advance(l);
            int32_t kind = peek(l);
            if (!at_end(l)) advance(l);
            unsigned more = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : is_digit(kind) ? 2 : 0;
            mark(l);
            for (; more > 0 && (is_digit(peek(l)) || (!is_digit(kind) && is_name(peek(l)))); more--) advance(l);
            if (!is_digit(kind) || more == 0) mark(l);
            l->lexer->result_symbol = ESCAPE_SEQUENCE;
            return true;
        } else if (interpolated && (c == '{' || c == '}')) {
            advance(l);
            if (peek(l) == c) {
                if (content) return true;
                advance(l);
                mark(l);
                l->lexer->result_symbol = ESCAPE_SEQUENCE;
                return true;
            }
            if (c == '{') {
                if (content) return true;
                mark(l);
                push(s, (Context){.kind = HOLE});
                s->pending = NOTHING;
                s->laid_out = false;
                s->space = true;
                s->starts_line = false;
                s->last = L_START;
                l->lexer->result_symbol = HOLE_OPEN;
                return true;
            }
        } else {
            advance(l);
        }
        content = true;
    }
}

static bool in_hole(Scanner *s) {
    for (int i = (int)s->size - 1; i >= 0; i--) {
        if (s->stack[i].kind == BRACKET) return false;
        if (is_bottom(&s->stack[i])) return s->stack[i].kind == HOLE;
    }
    return false;
}

// What follows a word

static bool skip_spaces(Input *l) {
    while (peek(l) == ' ') advance(l);
    return true;
}

static bool is_before_if(Input *l) {
    skip_spaces(l);
    return eat(l, 'i') && eat(l, 'f') && !is_name(peek(l)) && peek(l) != '\'';
}

static bool ends_line(Input *l) {
    skip_spaces(l);
    if (eat(l, '/')) return peek(l) == '/';
    return peek(l) == '\n' || peek(l) == '\r' || at_end(l);
}

// Reads a token

static enum Token format(Input *l) {
    while (peek(l) != '}' && peek(l) != '"' && peek(l) != '\n' && !at_end(l)) advance(l);
    mark(l);
    return FORMAT;
}

static enum Token read(Scanner *s, Input *l, Read *r) {
    int32_t c = peek(l);
    r->last = L_OTHER;
    if (c == '}' && s->at_hole_end) {
        advance(l);
        mark(l);
        r->closes_hole = true;
        return HOLE_CLOSE;
    }
    if (c == '"') return string_start(l, r, REGULAR);
    if (c == '$') {
        advance(l);
        return string_start(l, r, eat(l, '@') ? INTERPOLATED | VERBATIM : INTERPOLATED);
    }
    if (c == '\'') {
        enum Token token = quote(l);
        if (token == CHAR) r->last = L_OPERAND;
        return token;
    }
    if (c == '`') {
        r->last = L_OPERAND;
        return quoted_name(l);
    }
    if (is_digit(c)) {
        r->last = L_OPERAND;
        return number(l);
    }
    if (c == '(' || c == '[' || c == '{') return left(s, l, r);
    if (c == '.') return point(l, r);
    if (c == ':') {
        enum Token token = colon(l, r);
        if (token == CONS || !s->at_hole_end) return token;
        r->closes_hole = true;
        return format(l);
    }
    if (c == ',' || c == ';' || c == ')' || c == ']' || c == '}') {
        advance(l);
        mark(l);
        if (c == ',') {
            r->infix = true;
            r->length = 1;
        }
        r->last = c == ',' ? L_COMMA : c == ';' ? L_SEMICOLON : L_OPERAND;
        return c == ',' ? COMMA : c == ';' ? SEMICOLON : c == ')' ? RIGHT_PAREN : c == ']' ? RIGHT_BRACKET : RIGHT_BRACE;
    }
    if (is_letter(c)) {
        enum Token token = word(s, l, r);
        if (token == IDENTIFIER && r->last != L_SEQ) r->last = L_OPERAND;
        if (token == WORD_TRUE || token == WORD_FALSE || token == WORD_END) r->last = L_OPERAND;
        if (token == WORD_ELSE) {
            r->last = L_ELSE;
            r->before_if = is_before_if(l);
        }
        if (token == WORD_STRUCT) r->before_parenthesis = skip_spaces(l) && peek(l) == '(';
        if (token == WORD_IN) {
            r->last = L_IN;
            if (ends_line(l)) return IN_LINE_END;
        }
        return token;
    }
    if (c == '@') {
        advance(l);
        if (peek(l) == '"') return string_start(l, r, VERBATIM);
        if (eat(l, '$')) return string_start(l, r, INTERPOLATED | VERBATIM);
        return operator_token(s, l, r, '@');
    }
    if (is_operator(c)) return operator_token(s, l, r, 0);
    advance(l);
    mark(l);
    return INVALID;
}

// White space and comments

typedef struct {
    // Whether there is a comment or a directive, and which.
    bool comment;
    enum Token kind;
    // The first character of the token after it, if that had to be consumed.
    char first;
    uint16_t column;
} Trivia;

static enum Token line_comment(Input *l) {
    advance(l);
    bool doc = eat(l, '/') && peek(l) != '/';
    while (peek(l) != '\n' && !at_end(l)) advance(l);
    mark(l);
    return doc ? DOC_COMMENT : COMMENT;
}

static void skip_white_space(Scanner *s, Input *l) {
    while (!at_end(l) && is_space(peek(l))) {
        if (peek(l) == '\n') s->starts_line = true;
        s->space = true;
        l->lexer->advance(l->lexer, true);
    }
}

// Skips white space and comments, or, if `one` is set, white space and one comment. The token ends before the next one,
// if `at_start` is set.
static Trivia trivia(Scanner *s, Input *l, bool one, bool at_start) {
    Trivia t = {.kind = COMMENT};
    for (;;) {
        skip_white_space(s, l);
        if (at_start && !t.comment) l->lexer->mark_end(l->lexer);
        t.column = l->lexer->get_column(l->lexer);
        if (at_end(l)) return t;
        int32_t c = peek(l);
        if (c == '/') {
            advance(l);
            if (peek(l) != '/') {
                t.first = '/';
                return t;
            }
            t.kind = line_comment(l);
        } else if (c == '(') {
            advance(l);
            if (!at_start) mark(l);
            if (peek(l) != '*') {
                l->over = false;
                t.first = '(';
                return t;
            }
            advance(l);
            if (peek(l) == ')') {
                t.first = '(';
                return t;
            }
            block_comment(l);
            mark(l);
            t.kind = COMMENT;
        } else if (c == '#' && s->starts_line) {
            while (peek(l) != '\n' && !at_end(l)) advance(l);
            mark(l);
            t.kind = DIRECTIVE;
        } else {
            return t;
        }
        t.comment = true;
        s->space = true;
        if (one) return t;
    }
}

// Steps of the scanner

static Read read_after(Scanner *s, Input *l, const Trivia *t) {
    Read r = {.column = t->column, .starts_line = s->starts_line, .space_before = s->space, .last = L_OTHER};
    if (at_end(l) && t->first == 0) {
        r.end_of_file = true;
    } else if (t->first == '(') {
        bool adjacent = !r.space_before && is_operand(s->last);
        r.token = adjacent ? OPEN_CALL : LEFT_PAREN;
    } else if (t->first == '/') {
        r.token = operator_token(s, l, &r, '/');
    } else {
        r.token = read(s, l, &r);
    }
    return r;
}

static bool emit(Scanner *s, TSLexer *lexer, const Read *r) {
    s->last = r->last;
    s->starts_line = false;
    s->space = false;
    s->laid_out = false;
    if (r->token == LEFT_ATTRIBUTE) s->attributes++;
    if (r->token == RIGHT_ATTRIBUTE && s->attributes > 0) s->attributes--;
    if (r->token == TYPE_OPEN) s->angles++;
    if (r->token == TYPE_CLOSE) s->angles--;
    if (r->token == STRING_START || r->token == INTERPOLATED_START) {
        push(s, (Context){.kind = STRING, .what = r->form});
    }
    if (r->token == HOLE_CLOSE && s->size > 0) s->size--;
    lexer->result_symbol = r->token;
    return true;
}

static bool emit_virtual(Scanner *s, TSLexer *lexer) {
    lexer->result_symbol = s->run_token[0];
    if (--s->run_length[0] == 0) {
        s->runs--;
        memmove(s->run_token, s->run_token + 1, s->runs);
        memmove(s->run_length, s->run_length + 1, s->runs);
    }
    return true;
}

static bool emit_extra(TSLexer *lexer, enum Token token) {
    lexer->result_symbol = token;
    return true;
}

// The next token is not laid out: looks at it, and decides which virtual tokens come before it.
static bool look(Scanner *s, TSLexer *lexer) {
    Input input = {.lexer = lexer, .marking = false};
    bool at_start = s->pending != NOTHING || s->opens_condition || is_empty(s);
    s->at_hole_end = in_hole(s);
    Trivia t = trivia(s, &input, false, at_start);
    Read r = read_after(s, &input, &t);
    lay_out(s, &r);
    if (s->runs > 0 && (s->run_token[0] == END || !t.comment)) return emit_virtual(s, lexer);
    if (r.end_of_file && !t.comment) return false;
    if (t.comment || input.over) return emit_extra(lexer, READY);
    lexer->mark_end(lexer);
    return emit(s, lexer, &r);
}

static bool scan(Scanner *s, TSLexer *lexer) {
    lexer->mark_end(lexer);
    if (!s->laid_out) return look(s, lexer);
    if (s->runs > 0 && s->run_token[0] == END) return emit_virtual(s, lexer);
    Input input = {.lexer = lexer, .marking = true};
    Trivia t = trivia(s, &input, true, s->runs > 0);
    if (t.comment) return emit_extra(lexer, t.kind);
    if (s->runs > 0) return emit_virtual(s, lexer);
    Read r = read_after(s, &input, &t);
    if (r.end_of_file) return false;
    return emit(s, lexer, &r);
}

// The interface of tree-sitter

void *tree_sitter_clef_external_scanner_create(void) {
    Scanner *s = ts_calloc(1, sizeof(Scanner));
    s->starts_line = true;
    s->space = true;
    return s;
}

void tree_sitter_clef_external_scanner_destroy(void *payload) { ts_free(payload); }

bool tree_sitter_clef_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
    Scanner *s = payload;
    (void)valid;
    if (s->size > 0 && top(s)->kind == STRING) {
        Input input = {.lexer = lexer, .marking = true};
        return string_part(s, &input);
    }
    return scan(s, lexer);
}

static unsigned put(char *buffer, unsigned at, int32_t value) {
    buffer[at] = (char)(value & 0xff);
    buffer[at + 1] = (char)((value >> 8) & 0xff);
    return at + 2;
}

static int32_t get(const char *buffer, unsigned at) {
    return (int16_t)((uint8_t)buffer[at] | (uint8_t)buffer[at + 1] << 8);
}

unsigned tree_sitter_clef_external_scanner_serialize(void *payload, char *buffer) {
    Scanner *s = payload;
    unsigned at = 0;
    buffer[at++] = (char)(s->starts_line | s->space << 1 | s->laid_out << 2 | s->opens_condition << 3 |
                          s->fields_follow << 4 | s->at_hole_end << 5);
    buffer[at++] = (char)s->pending;
    at = put(buffer, at, s->pending_limit);
    at = put(buffer, at, s->pending_column);
    at = put(buffer, at, s->indentation);
    buffer[at++] = (char)s->last;
    buffer[at++] = (char)s->attributes;
    buffer[at++] = (char)s->angles;
    buffer[at++] = (char)s->runs;
    for (unsigned i = 0; i < s->runs; i++) {
        buffer[at++] = (char)s->run_token[i];
        buffer[at++] = (char)s->run_length[i];
    }
    for (unsigned i = 0; i < s->size; i++) {
        const Context *c = &s->stack[i];
        buffer[at++] = (char)(c->kind | c->head << 3 | c->condition << 4);
        buffer[at++] = (char)c->what;
        if (c->kind == HOLE || c->kind == STRING) continue;
        at = put(buffer, at, c->column);
        at = put(buffer, at, c->indentation);
    }
    return at;
}

void tree_sitter_clef_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
    Scanner *s = payload;
    memset(s, 0, sizeof *s);
    if (length == 0) {
        s->starts_line = true;
        s->space = true;
        return;
    }
    unsigned at = 0;
    uint8_t flags = (uint8_t)buffer[at++];
    s->starts_line = flags & 1;
    s->space = flags & 2;
    s->laid_out = flags & 4;
    s->opens_condition = flags & 8;
    s->fields_follow = flags & 16;
    s->at_hole_end = flags & 32;
    s->pending = (uint8_t)buffer[at++];
    s->pending_limit = get(buffer, at);
    s->pending_column = (uint16_t)get(buffer, at + 2);
    s->indentation = (uint16_t)get(buffer, at + 4);
    at += 6;
    s->last = (uint8_t)buffer[at++];
    s->attributes = (uint8_t)buffer[at++];
    s->angles = (uint8_t)buffer[at++];
    s->runs = (uint8_t)buffer[at++];
    for (unsigned i = 0; i < s->runs; i++) {
        s->run_token[i] = (uint8_t)buffer[at++];
        s->run_length[i] = (uint8_t)buffer[at++];
    }
    while (at < length) {
        Context *c = &s->stack[s->size++];
        uint8_t kind = (uint8_t)buffer[at++];
        c->kind = kind & 7;
        c->head = kind & 8;
        c->condition = kind & 16;
        c->what = (uint8_t)buffer[at++];
        if (c->kind == HOLE || c->kind == STRING) continue;
        c->column = (uint16_t)get(buffer, at);
        c->indentation = (uint16_t)get(buffer, at + 2);
        at += 4;
    }
}
