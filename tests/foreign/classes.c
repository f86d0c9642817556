#include <stdint.h>

/* Structs of each class of the conventions, where registers run out, and as results. */
typedef struct { float a, b, c, d; } floats4;
typedef struct { double a, b, c, d; } doubles4;
typedef struct { float a, b, c, d, e; } floats5;
typedef struct { uint8_t a, b, c; } bytes3;
typedef struct { int64_t a, b; } longs2;
typedef struct { int32_t a, b, c, d; } words4;
typedef struct { int64_t a; double b; } crossed;
typedef struct { float a, b; int32_t c; } tailed;
typedef struct { struct { float a; } x; struct { struct { float a, b; } y; } z; } nested_floats;
typedef struct { int64_t a[9]; } large;

double c_after_seven(double a, double b, double c, double d, double e, double f, double g, floats4 v, float h, double i) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * v.a + 9 * v.b + 10 * v.c + 11 * v.d + 12 * h + 13 * i;
}
int64_t c_after_five(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, longs2 p, int32_t f, words4 q, int8_t g) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * p.a + 7 * p.b + 8 * f + 9 * q.a + 10 * q.b + 11 * q.c + 12 * q.d + 13 * g;
}
int64_t c_after_two(int32_t a, int32_t b, words4 q, bytes3 s, int64_t c) {
  return a + 2 * b + 3 * q.a + 4 * q.b + 5 * q.c + 6 * q.d + 7 * s.a + 8 * s.b + 9 * s.c + 10 * c;
}
double c_crossing(int32_t a, crossed c, tailed t, floats5 f, nested_floats n, int16_t b) {
  return a + 2 * c.a + 3 * c.b + 4 * t.a + 5 * t.b + 6 * t.c + 7 * f.a + 8 * f.e + 9 * n.x.a + 10 * n.z.y.a
    + 11 * n.z.y.b + 12 * b;
}
int64_t c_large(int32_t a, large l, int32_t b) { return a + l.a[0] + 2 * l.a[4] + 3 * l.a[8] + 4 * b; }

floats4 c_floats4(float a) { return (floats4){ a, a + 1, a + 2, a + 3 }; }
doubles4 c_doubles4(double a, doubles4 v) { return (doubles4){ v.d + a, v.c, v.b, v.a }; }
floats5 c_floats5(floats5 v) { return (floats5){ v.e, v.d, v.c, v.b, v.a }; }
bytes3 c_bytes3(bytes3 v, uint8_t a) { return (bytes3){ v.c, v.b + a, v.a }; }
crossed c_crossed(tailed t) { return (crossed){ t.c, t.a - t.b }; }
tailed c_tailed(crossed c) { return (tailed){ (float)c.b, 0.5f, (int32_t)c.a }; }
nested_floats c_nested(nested_floats n) { return (nested_floats){ { n.z.y.b }, { { n.x.a, n.z.y.a } } }; }

/* What Clef exports: the same functions, which call those above. */
extern double export_after_seven(double, double, double, double, double, double, double, floats4, float, double);
extern int64_t export_after_five(int32_t, int32_t, int32_t, int32_t, int32_t, longs2, int32_t, words4, int8_t);
extern int64_t export_after_two(int32_t, int32_t, words4, bytes3, int64_t);
extern double export_crossing(int32_t, crossed, tailed, floats5, nested_floats, int16_t);
extern int64_t export_large(int32_t, large, int32_t);

/* Calls each export, and counts the answers that differ. */
int32_t c_differences(void) {
  floats4 f4 = { 8, 9, 10, 11 };
  longs2 l2 = { 6000000000, -7 };
  words4 w4 = { 9, -10, 11, 12 };
  bytes3 b3 = { 200, 201, 202 };
  crossed c = { -5000000000, 2.5 };
  tailed t = { 1.5f, -2.5f, 77 };
  floats5 f5 = { 1, 2, 3, 4, 5.5f };
  nested_floats n = { { 1.25f }, { { 2.25f, 3.25f } } };
  large l = { { 1, 2, 3, 4, 5, 6, 7, 8, -9000000000 } };
  return (c_after_seven(1, 2, 3, 4, 5, 6, 7, f4, 12, 13) != export_after_seven(1, 2, 3, 4, 5, 6, 7, f4, 12, 13))
    + (c_after_five(1, 2, 3, 4, 5, l2, 8, w4, -13) != export_after_five(1, 2, 3, 4, 5, l2, 8, w4, -13))
    + (c_after_two(1, 2, w4, b3, -10) != export_after_two(1, 2, w4, b3, -10))
    + (c_crossing(1, c, t, f5, n, -12) != export_crossing(1, c, t, f5, n, -12))
    + (c_large(1, l, 4) != export_large(1, l, 4));
}
