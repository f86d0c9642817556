/* Binary search trees are built, walked and dropped. */

#include "bench.h"

struct node {
    struct node *left, *right;
    int32_t value;
};

/* The nodes of one tree. */
static struct node nodes[100];
static int used;

static void insert(struct node **tree, int32_t value) {
    while (*tree) {
        if (value == (*tree)->value)
            return;
        tree = value < (*tree)->value ? &(*tree)->left : &(*tree)->right;
    }
    nodes[used] = (struct node){0, 0, value};
    *tree = &nodes[used++];
}

static int32_t fold(int32_t state, const struct node *tree) {
    if (!tree)
        return state;
    state = fold(state, tree->left);
    return fold(((state * 31) ^ tree->value) & 0xFFFFFF, tree->right);
}

static int32_t run(int32_t size) {
    int32_t random = 1, sum = 0;
    for (int32_t round = 0; round < size; round++) {
        struct node *tree = 0;
        used = 0;
        for (int i = 0; i < 100; i++) {
            random = (random * 25173 + 13849) & 0xFFFF;
            insert(&tree, random >> 4);
        }
        sum = fold(sum, tree);
    }
    return sum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
