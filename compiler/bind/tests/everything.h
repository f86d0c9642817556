/* Everything that a header may have. */

#ifndef EVERYTHING_H
#define EVERYTHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The most entries. */
#define LIMIT 10
#define SHIFTED (LIMIT << 3)
#define NEGATIVE -5
#define FLAG (1u << 31)
#define LARGE 0xFFFFFFFFFFull
#define LETTER 'A'
#define RATIO 3.14f
#define PRECISE 1e-10
#define NAME "sensor \"one\"\n"
#define FIRST_COLOUR RED
#define type_of(x) (x)
#define REGISTER (*(volatile uint32_t *)0x40000000)
#define OPEN (

/**
 * @brief Adds two numbers.
 *
 * @param a the first
 */
int add(int a, uint8_t *b);

/// A point.
typedef struct {
    float x; /**< to the right */
    int8_t rest[3];
} point_t;

enum colour { RED, GREEN = 5, end = 7 };
typedef enum { OFF = -1, ON } mode;
enum { FIRST = 3, SECOND };

typedef uint32_t ticks_t;
typedef void (*handler)(int code, void *context);
typedef int binary(int, int);

struct outer {
    struct {
        int a;
        double b;
    } inner;
    enum { P, Q } kind;
    handler on_event;
    point_t points[2];
    struct outer *next;
    long word;
    char letter;
};

ticks_t now(void);
void on(handler h, const char *name, bool enabled);
struct outer change(struct outer *o, int type, int Val, int val, int[3], int (*f)(void));
mode mix(mode a, enum colour b);
void *allocate(size_t count);
int fold(binary *f, binary g);
void paint(point_t at, unsigned char **rows, char letter);
int old();
void renamed(void) __asm__("real_name");

typedef struct opaque opaque_t;
opaque_t *opened(const opaque_t *from);

struct list {
    struct other *other;
    int value;
};
struct other {
    struct list *list;
    uint64_t count;
};

/* What Clef cannot express. */
union number {
    int i;
    float f;
};
struct bits {
    uint32_t low : 3;
};
struct __attribute__((packed)) tight {
    char a;
    int b;
};
struct unnamed {
    struct {
        int a;
    };
};
struct buffer {
    uint8_t bytes[512];
};
struct grid {
    float cells[20][20];
};
struct nothing {
    int count;
    int none[0];
};
struct packet {
    uint16_t length;
    /** What is sent. */
    uint8_t bytes[40];
    uint32_t sums[16];
    int16_t samples[17];
    float steps[3][20];
};
int send(struct packet *packet);
struct flexible {
    int count;
    int values[];
};
int log_line(const char *format, ...);
static inline int twice(int x) { return 2 * x; }
extern int counter;
long double precise(long double x);
void convert(union number n, union number *p, struct buffer *b);

#endif
