/* Small random transformers, each with another of the masks that exporters write. */
#ifndef TAREI_TESTS_UNIT_ENGINE_SUPPORT_TRANSFORMERS_H
#define TAREI_TESTS_UNIT_ENGINE_SUPPORT_TRANSFORMERS_H

#include <stdint.h>
#include <tare/model.h>

enum {
  TRANSFORMERS = 12,    /* kinds */
  TRANSFORMER_IDS = 50, /* of the vocabulary */
};

/* Inputs "ids" and "mask" (1: there, 0: padding), int64 [n, t]; outputs one row per position, and
 * one pooled over those that are there. */
tare_model *transformer(int kind, uint32_t seed);
const char *transformer_name(int kind);

#endif
