#include "kernels/observe_tables.h"

tarei_observe_tables *tarei_observe_tables_get(void) {
  static _Thread_local tarei_observe_tables tables;
  return &tables;
}
