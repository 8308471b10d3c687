/* The sets of features that rows of kernels.inc ask for. */
#ifndef TAREI_TESTS_UNIT_ENGINE_SUPPORT_ISAS_H
#define TAREI_TESTS_UNIT_ENGINE_SUPPORT_ISAS_H

#include "kernels/kernels.h"

enum { ISAS_MOST = 16, ISA_BYTES = 100 };

typedef struct isas {
  int n;
  char name[ISAS_MOST][ISA_BYTES]; /* as --isa takes them, e.g. "avx2,avxvnni" */
} isas;

/* Those that this CPU has, each once, scalar last. */
isas isas_of_this_cpu(void);

#endif
