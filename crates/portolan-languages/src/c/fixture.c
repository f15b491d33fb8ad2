/* The licence. */
#include <stdio.h>
#include "queue.h"

#define MAX_ITEMS 64
/* The larger of two. */
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

typedef unsigned long ulong_t;
typedef int (*compare_t)(const void *, const void *);

/* A point. */
struct point {
    int x, y;
    char *label; /* for people */
};

typedef struct {
    struct point at;
    void (*draw)(int);
} shape_t;

typedef struct node {
    struct node *next;
} node_t;

union value { int i; float f; };

enum colour { RED, GREEN = 2 };

typedef enum { NORTH, SOUTH } direction_t;

static int counter;
int limits[4] = {1, 2, 3, 4}, *cursor;
extern const char *names[];

/* A prototype. */
int queue_push(struct queue *q, void *item);
static inline void helper(void);

#ifdef _WIN32
int open_it(void) { return 1; }
#else
int
open_it(void)
{
    int local = 0;
    struct inner { int a; } one;
    return local;
}
#endif

/**
 * Makes a node.
 */
static node_t *make_node(int size, ...) {
    return NULL;
}

char *(*pick(int which))(void) { return 0; }

void old_style(a, b)
    int a;
    char *b;
{
}

int main(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) { puts(argv[i]); }
}
