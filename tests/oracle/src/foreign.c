/* What programs of the oracle call. Everything wraps; `prelude_native.clef` has the same for the interpreter. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct { int16_t left; int64_t right; float level; } turned;

/* What Clef exports. */
extern int32_t oracle_step(int32_t state, int32_t index);

int64_t oracle_mix(int8_t a, uint16_t b, int32_t c, int64_t d, uint8_t e, int16_t f, uint32_t g) {
  uint64_t sum = (uint64_t)a;
  sum = sum * 31 + b;
  sum = sum * 31 + (uint64_t)c;
  sum = sum * 31 + (uint64_t)d;
  sum = sum * 31 + e;
  sum = sum * 31 + (uint64_t)f;
  return (int64_t)(sum * 31 + g);
}

double oracle_blend(double a, float b, int32_t c, double d) { return ((a - b) * 0.5 + c) - d * 0.25; }

uint32_t oracle_either(bool a, uint32_t b, bool c) { return a != c ? b : 'x'; }

turned oracle_turned(turned t) {
  turned r = { (int16_t)t.right, t.left + (t.level > 0 ? 1 : 0), -t.level };
  return r;
}

int32_t oracle_sum(int32_t start, int32_t count) {
  for (int32_t i = 0; i < (count & 15); i++) start = (int32_t)((uint32_t)start * 31 + (uint32_t)oracle_step(start, i));
  return start;
}

void oracle_each(void (*step)(int32_t *, int32_t), int32_t *context, int32_t count) {
  for (int32_t i = 0; i < (count & 15); i++) step(context, i);
}

uint32_t oracle_hash(const uint8_t *bytes, size_t count) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}
