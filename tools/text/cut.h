/* Names cut to a width, so that different ones still look different. */
#ifndef TAREI_TOOLS_TEXT_CUT_H
#define TAREI_TOOLS_TEXT_CUT_H

#include <stdbool.h>

typedef struct cut {
  int width;
  bool front; /* what is too long loses its front, else its middle */
} cut;

/* The least width from `wanted` on, and the way of cutting, that keep the names apart; the widest
 * name's width at most. */
cut cut_choose(const char *const *names, int n, int wanted);

/* The text as it is shown, with ".." where it was cut; the caller frees it. */
char *cut_text(const char *text, cut c);

#endif
