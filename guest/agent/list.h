// Doubly linked lists whose links lie in the elements. A link that is in no list points to itself.
#ifndef GLOVEBOX_LIST_H
#define GLOVEBOX_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct link {
    struct link *next;
    struct link *previous;
};

// The element of `type` whose member `member` is at `pointer`.
#define CONTAINER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

static inline void link_init(struct link *link) {
    link->next = link;
    link->previous = link;
}

static inline bool link_alone(const struct link *link) {
    return link->next == link;
}

static inline void link_remove(struct link *link) {
    link->next->previous = link->previous;
    link->previous->next = link->next;
    link_init(link);
}

// Puts `link`, which is in no list, last into the list of `head`.
static inline void link_append(struct link *head, struct link *link) {
    link->next = head;
    link->previous = head->previous;
    head->previous->next = link;
    head->previous = link;
}

#endif
