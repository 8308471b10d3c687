#include "unit/engine/support/isas.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void write_name(const unsigned mask, char *const text) {
  size_t n = 0;
  (void)snprintf(text, ISA_BYTES, "scalar");
  for (unsigned bit = 1; bit && bit <= mask; bit <<= 1) {
    if (mask & bit) {
      n += (size_t)snprintf(text + n, ISA_BYTES - n, "%s%s", n ? "," : "", tarei_isa_name(bit));
      assert_true(n < ISA_BYTES);
    }
  }
  unsigned parsed = 0;
  assert_true(tarei_isa_parse(text, &parsed) && parsed == mask);
}

static bool stands_before(const tarei_kernel_row *const rows, const int i) {
  int k = 0;
  while (rows[k].isa != rows[i].isa) {
    k++;
  }
  return k < i;
}

isas isas_of_this_cpu(void) {
  const tarei_kernel_row *rows;
  const int n_rows = tarei_kernel_rows(&rows);
  isas all = {0};
  for (int i = 0; i < n_rows; i++) {
    if (rows[i].isa && !(rows[i].isa & ~tarei_isa_detect()) && !stands_before(rows, i)) {
      assert_true(all.n < ISAS_MOST - 1);
      write_name(rows[i].isa, all.name[all.n++]);
    }
  }
  write_name(TAREI_ISA_SCALAR, all.name[all.n++]);
  return all;
}
