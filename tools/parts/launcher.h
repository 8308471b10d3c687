/* Which of several processes this one is, by the environment that launchers give to them. */
#ifndef TAREI_TOOLS_PARTS_LAUNCHER_H
#define TAREI_TOOLS_PARTS_LAUNCHER_H

#include "tools/cli.h"

typedef struct launcher_place {
  int64_t index, count; /* 0 <= index < count */
  const char *from;     /* the variable that says so */
} launcher_place;

/* Finds it; `count` is that of the user, or 0: what the launcher says. TARE_E_USAGE if there is no
 * launcher, if several disagree, or if what they say makes no sense. */
tare_status launcher_find(int64_t count, launcher_place *out, tare_error *err);

#endif
