/* What can be done about operators that are not supported. */
#include <string.h>

#include "graph/onnx/importer.h"

enum { MOST_NAMES = 16 };

typedef struct advice {
  const char *text;
  const char *names[MOST_NAMES]; /* those of com.microsoft that it is for */
} advice;

static const advice KINDS[] = {
#define TAREI_ADVICE(text, ...) {text, {__VA_ARGS__}},
#include "graph/onnx/advice.inc"
#undef TAREI_ADVICE
};

enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

/* The kind of an operator of com.microsoft; N_KINDS for those that need no advice of their own. */
static int advice_kind(const char *const name) {
  for (int k = 0; k < N_KINDS; k++) {
    for (int i = 0; i < MOST_NAMES && KINDS[k].names[i]; i++) {
      if (strcmp(KINDS[k].names[i], name) == 0) {
        return k;
      }
    }
  }
  return N_KINDS;
}

static void advise_contrib(const tarei_foreign *const ops, const int n, tarei_str *const text) {
  for (int k = 0; k <= N_KINDS; k++) {
    int found = 0;
    for (int i = 0; i < n; i++) {
      if (strcmp(ops[i].domain, "com.microsoft") == 0 && advice_kind(ops[i].name) == k) {
        tarei_str_add(text, "%s%.64s", found++ ? ", " : "; ", ops[i].name);
      }
    }
    if (found) {
      tarei_str_add(text, ": %s",
                    k < N_KINDS ? KINDS[k].text
                                : "operators of ONNX Runtime alone, take the model that its "
                                  "optimizer got, or export the model without its optimizations");
    }
  }
}

void tarei_onnx_advise(const tarei_foreign *const ops, const int n, tarei_str *const text) {
  static const struct {
    const char *domain, *text;
  } domains[] = {
      {"ai.onnx.ml",
       "ai.onnx.ml prepares features and holds classical models: save the network "
       "without these steps"},
      {"com.microsoft.nchwc",
       "com.microsoft.nchwc is a machine-specific layout: save the model "
       "without layout optimizations"},
  };
  for (size_t d = 0; d < sizeof domains / sizeof *domains; d++) {
    bool found = false;
    for (int i = 0; i < n; i++) {
      found |= strcmp(ops[i].domain, domains[d].domain) == 0;
    }
    if (found) {
      tarei_str_add(text, "; %s", domains[d].text);
    }
  }
  advise_contrib(ops, n, text);
}
