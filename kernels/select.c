#include <string.h>

#include "kernels/registry.h"

static const tarei_kernel_row rows[] = {
#define TAREI_KERNEL(family, name, isa) {#family, #name, (isa), (void (*)(void))name},
#include "kernels/kernels.inc"
#undef TAREI_KERNEL
};
enum { N_ROWS = sizeof rows / sizeof *rows };

int tarei_kernel_rows(const tarei_kernel_row **out) {
  *out = rows;
  return N_ROWS;
}

/* The first row of the family that the features allow; a scalar row ends every family. */
static const tarei_kernel_row *first_row(const char *family, unsigned features) {
  const tarei_kernel_row *found = NULL;
  for (int i = 0; i < N_ROWS && !found; i++) {
    if (!strcmp(rows[i].family, family) && !(rows[i].isa & ~features)) {
      found = &rows[i];
    }
  }
  return found;
}

void tarei_kernels_select(unsigned allowed, tarei_kernels *out) {
  const unsigned features = allowed & tarei_isa_detect();
  const tarei_kernel_row *row;
#define SELECT(slot, type)           \
  row = first_row(#slot, features);  \
  out->slot = (type *)row->function; \
  out->slot##_name = row->name;      \
  out->slot##_isa = row->isa;
  TAREI_KERNEL_FAMILIES(SELECT)
#undef SELECT
}
