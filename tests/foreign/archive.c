#include <stdint.h>
#include <stddef.h>

/* In another member of the archive. */
extern int32_t archive_scale(int32_t value);

typedef struct { int32_t words[40]; } table;
static table kept;

/* Copying a table calls memcpy, which the image's own routines provide. */
int32_t archive_store(int32_t at, int32_t value) {
  table copy = kept;
  copy.words[at % 40] = archive_scale(value);
  kept = copy;
  return kept.words[at % 40];
}

int32_t archive_sum(void) {
  int32_t sum = 0;
  for (size_t i = 0; i < 40; i++) sum += kept.words[i];
  return sum;
}
