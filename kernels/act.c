#include <string.h>

#include "kernels/kernels.h"

static const char *const names[TAREI_ACT_COUNT] = {
#define TAREI_ACTIVATION(id, expression) #id,
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION
};

const char *tarei_act_name(tarei_act act) {
  return (unsigned)act < TAREI_ACT_COUNT ? names[act] : "unknown";
}

bool tarei_act_parse(const char *text, tarei_act *act) {
  for (int i = 0; i < TAREI_ACT_COUNT; i++) {
    if (!strcmp(names[i], text)) {
      *act = (tarei_act)i;
      return true;
    }
  }
  return false;
}
