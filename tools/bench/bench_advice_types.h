/* What is found about the times of the layers. */
#ifndef TAREI_TOOLS_BENCH_BENCH_ADVICE_TYPES_H
#define TAREI_TOOLS_BENCH_BENCH_ADVICE_TYPES_H

#include <tare/plan.h>

/* One layer at the measured lengths. */
typedef struct advice_layer {
  int layer;
  double ms;         /* of one run */
  double macs;       /* multiply-adds of one run */
  double bytes;      /* read and written */
  double copy_share; /* bytes a second, as a share of those of a copy of so many bytes */
  bool by_memory;    /* the copy would take most of the time */
} advice_layer;

/* The layers with products of one precision. */
typedef struct advice_products {
  const char *precision;
  tare_dtype stored; /* the type of their weights if they compute in another; or TARE_DTYPE_NONE */
  int layers;
  double ms, macs; /* of one run */
} advice_products;

typedef struct bench_advice {
  const tare_plan *plan;
  advice_layer *layers; /* slowest first */
  int n, n_hot;         /* all; those that make most of the time */
  double ms;            /* of all layers */
  double convert_ms;    /* of those that only convert to or from int8 */
  double move_ms;       /* of those that only move data */
  int n_convert, n_move;
  advice_products *products; /* most time first */
  int n_products;
  double int8_rate; /* multiply-adds a ms of the int8 layers; 0: there are none */
  double saving_ms; /* what the products in other precisions would save at this rate */
} bench_advice;

#endif
