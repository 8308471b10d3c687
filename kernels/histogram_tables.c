#include "kernels/histogram_tables.h"

tarei_histogram_table *tarei_histogram_tables(void) {
  static _Thread_local _Alignas(64) tarei_histogram_table tables[TAREI_HISTOGRAM_TABLES];
  return tables;
}
