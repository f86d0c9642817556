/* How often numbers occur is counted in a sorted table; those that occur again are put into a set of bits. */

#include "bench.h"

enum { CAPACITY = 128 };

struct entry {
    int32_t key, count;
};

struct table {
    struct entry entries[CAPACITY];
    int used;
};

/* The index of the first entry whose key is not less. */
static int find(const struct table *table, int32_t key) {
    int low = 0, high = table->used;
    while (low < high) {
        int middle = (low + high) / 2;
        if (table->entries[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void count(struct table *table, int32_t key) {
    int index = find(table, key);
    if (index < table->used && table->entries[index].key == key) {
        table->entries[index].count++;
        return;
    }
    for (int i = table->used++; i > index; i--)
        table->entries[i] = table->entries[i - 1];
    table->entries[index] = (struct entry){key, 1};
}

static int32_t run(int32_t size) {
    static struct table counts;
    int32_t random = 1, sum = 0;
    for (int32_t round = 0; round < size; round++) {
        counts.used = 0;
        for (int i = 0; i < 80; i++) {
            random = (random * 25173 + 13849) & 0xFFFF;
            count(&counts, random >> 9);
        }
        uint32_t again = 0;
        for (int i = 0; i < counts.used; i++) {
            const struct entry *entry = &counts.entries[i];
            if (entry->count > 1)
                again |= 1u << entry->key % 32;
            sum = ((sum * 31) ^ (entry->key * 4 + entry->count)) & 0xFFFFFF;
        }
        sum ^= __builtin_popcount(again);
    }
    return sum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
