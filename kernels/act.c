#include <string.h>

#include "kernels/kernels.h"

static const char *const names[TAREI_ACT_COUNT] = {
    [TAREI_ACT_NONE] = "none",
    [TAREI_ACT_RELU] = "relu",
    [TAREI_ACT_GELU] = "gelu",
    [TAREI_ACT_GELU_TANH] = "gelu_tanh",
    [TAREI_ACT_SIGMOID] = "sigmoid",
    [TAREI_ACT_TANH] = "tanh",
    [TAREI_ACT_SILU] = "silu",
    [TAREI_ACT_CLIP] = "clip",
    [TAREI_ACT_LEAKY_RELU] = "leaky_relu",
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
