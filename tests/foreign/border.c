#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct { int32_t x; int32_t y; } point;
typedef struct { uint8_t a; int16_t b; uint8_t c; } small;
typedef struct { point at; uint8_t colour; uint8_t tail; } nested;
typedef struct { float x, y, z; } vector;
typedef struct { double re, im; } complex;
typedef struct { float f; int32_t i; } mixed;
typedef struct { int64_t a, b, c; } large;
typedef struct { uint8_t tag; int64_t value; } wide;
typedef struct { double d; int32_t i; } pair;

int32_t c_add(int32_t a, int32_t b) { return a + b; }
int8_t c_narrow(int8_t a, uint8_t b, int16_t c, uint16_t d, bool e) {
  return (int8_t)(a + b + c + d + (e ? 1 : 0));
}
bool c_not(bool b) { return !b; }
uint32_t c_next(uint32_t c) { return c + 1; }
int64_t c_long(int32_t a, int64_t b, int32_t c) { return a * b - c; }
double c_mean(float a, double b) { return (a + b) / 2; }
/* Each sample becomes the mean of it and the one before; returns the sum. */
int32_t c_smooth(int16_t *samples, size_t count) {
    int32_t sum = samples[0];
    for (size_t i = count - 1; i > 0; i--) {
        samples[i] = (int16_t)((samples[i] + samples[i - 1]) / 2);
        sum += samples[i];
    }
    return sum;
}

float c_half(float a) { return a / 2; }

point c_swap(point p) { point r = { p.y, p.x }; return r; }
small c_small(small s) { small r = { s.c, (int16_t)-s.b, s.a }; return r; }
nested c_nested(nested n) { nested r = { { n.at.y, n.at.x }, n.tail, n.colour }; return r; }
vector c_scale(vector v, float by) { vector r = { v.x * by, v.y * by, v.z * by }; return r; }
complex c_times(complex a, complex b) {
  complex r = { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
  return r;
}
mixed c_mixed(mixed m) { mixed r = { (float)m.i, (int32_t)m.f }; return r; }
large c_large(large l, int64_t k) { large r = { l.c + k, l.b, l.a - k }; return r; }
wide c_wide(int32_t before, wide w, int32_t after) {
  wide r = { (uint8_t)(w.tag + before), w.value * after };
  return r;
}
pair c_pair(pair p) { pair r = { p.d + p.i, p.i + 1 }; return r; }
int64_t c_many(int32_t a, point p, int64_t b, wide w, small s, int32_t c, large l, mixed m, int32_t d) {
  return a + p.x * 2 + p.y * 3 + b * 5 + w.tag * 7 + w.value * 11 + s.a * 13 + s.b * 17 + s.c * 19 + c * 23 + l.a * 29
    + l.b * 31 + l.c * 37 + (int64_t)m.f * 41 + m.i * 43 + d * 47;
}
double c_floats(double a, complex b, float c, vector d, double e, pair f, double g, double h, double i, double j) {
  return a + b.re * 2 + b.im * 3 + c * 4 + d.x * 5 + d.y * 6 + d.z * 7 + e * 8 + f.d * 9 + f.i * 10 + g * 11 + h * 12
    + i * 13 + j * 14;
}

uint32_t c_hash(const uint8_t *bytes, size_t count) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}
void c_fill(nested *to, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    nested n = { { i, -i }, (uint8_t)(i + 1), (uint8_t)(i + 2) };
    to[i] = n;
  }
}
int32_t c_sum(const int16_t *from, int32_t count) {
  int32_t sum = 0;
  while (count--) sum += *from++;
  return sum;
}
static int32_t counter = 40;
int32_t c_count(void) { return ++counter; }
const uint8_t *c_text(void) { return (const uint8_t *)"from C"; }

int32_t c_fold(int32_t (*step)(int32_t *, int32_t), int32_t *context, int32_t from, int32_t to) {
  int32_t steps = 0;
  for (; from <= to; from++) steps += step(context, from);
  return steps;
}

/* What Clef exports. */
extern large export_large(large l, int64_t k);
extern complex export_times(complex a, complex b);
extern vector export_scale(vector v, float by);
extern wide export_wide(int32_t before, wide w, int32_t after);
extern small export_small(small s);
extern nested export_nested(nested n);
extern mixed export_mixed(mixed m);
extern pair export_pair(pair p);
extern int8_t export_narrow(int8_t a, uint8_t b, int16_t c, uint16_t d, bool e);
extern bool export_not(bool b);
extern int64_t export_many(int32_t a, point p, int64_t b, wide w, small s, int32_t c, large l, mixed m, int32_t d);
extern double export_floats(double a, complex b, float c, vector d, double e, pair f, double g, double h, double i, double j);
extern point export_swap(point p);
extern void export_note(int32_t n);

/* Calls each export and gives the number of the first that answers wrongly, or zero. */
int32_t c_check(void) {
  point p = export_swap((point){ 1, 2 });
  if (p.x != 2 || p.y != 1) return 1;
  large l = export_large((large){ 1, 2, 3 }, 10);
  if (l.a != 13 || l.b != 2 || l.c != -9) return 2;
  complex c = export_times((complex){ 1, 2 }, (complex){ 3, 4 });
  if (c.re != -5 || c.im != 10) return 3;
  vector v = export_scale((vector){ 1, 2, 3 }, 2.5f);
  if (v.x != 2.5f || v.y != 5 || v.z != 7.5f) return 4;
  wide w = export_wide(1, (wide){ 255, 5000000000 }, -2);
  if (w.tag != 0 || w.value != -10000000000) return 5;
  small s = export_small((small){ 1, 300, 3 });
  if (s.a != 3 || s.b != -300 || s.c != 1) return 6;
  nested n = export_nested((nested){ { 1, 2 }, 3, 4 });
  if (n.at.x != 2 || n.at.y != 1 || n.colour != 4 || n.tail != 3) return 7;
  mixed m = export_mixed((mixed){ 1.5f, 7 });
  if (m.f != 7 || m.i != 1) return 8;
  pair q = export_pair((pair){ 0.5, 2 });
  if (q.d != 2.5 || q.i != 3) return 9;
  if (export_narrow(-100, 200, -300, 400, true) != (int8_t)(-100 + 200 - 300 + 400 + 1)) return 10;
  if (export_not(true) || !export_not(false)) return 11;
  int64_t many = export_many(1, (point){ 2, 3 }, 4, (wide){ 5, 6 }, (small){ 7, 8, 9 }, 10, (large){ 11, 12, 13 },
                             (mixed){ 14, 15 }, 16);
  if (many != c_many(1, (point){ 2, 3 }, 4, (wide){ 5, 6 }, (small){ 7, 8, 9 }, 10, (large){ 11, 12, 13 },
                     (mixed){ 14, 15 }, 16)) return 12;
  double floats = export_floats(1, (complex){ 2, 3 }, 4, (vector){ 5, 6, 7 }, 8, (pair){ 9, 10 }, 11, 12, 13, 14);
  if (floats != c_floats(1, (complex){ 2, 3 }, 4, (vector){ 5, 6, 7 }, 8, (pair){ 9, 10 }, 11, 12, 13, 14)) return 13;
  export_note(99);
  return 0;
}
