/* Scales of a quantized model as thresholds. */
#include <stdlib.h>

#include "base/half.h"
#include "base/mem.h"
#include "base/names.h"
#include "graph/qdq/undo/undo.h"

typedef struct stored_range {
  int64_t lowest, highest;
} stored_range;

static stored_range range_of_stored(const tare_dtype type) {
  return type == TARE_I8    ? (stored_range){INT8_MIN, INT8_MAX}
         : type == TARE_U8  ? (stored_range){0, UINT8_MAX}
         : type == TARE_I16 ? (stored_range){INT16_MIN, INT16_MAX}
                            : (stored_range){0, UINT16_MAX};
}

/* The threshold whose scale of 8 bits, times `factor`, is this one, to the bit: tables have amax /
 * 127 as float, and exports multiply it. The nearest one where no float does that. */
static double threshold_of(const float scale, const float factor) {
  const float guess = (float)((double)scale / factor);
  for (int step = -1; step <= 1; step++) {
    const float near = tarei_bits_to_float(tarei_float_to_bits(guess) + (uint32_t)step);
    if (near * factor == scale) {
      return (double)near * 127;
    }
  }
  return (double)guess * 127;
}

/* Range and threshold of one scale; says whether a symmetric threshold cannot carry it. */
static tarei_cell cell_of(const tarei_undo_scale *const s, bool *const uneven) {
  const stored_range range = range_of_stored(s->type);
  const bool words = s->type == TARE_I16 || s->type == TARE_U16;
  const int64_t below = range.lowest - s->zero_point, above = range.highest - s->zero_point;
  tarei_cell cell = tarei_cell_unknown(0);
  *uneven = false;
  if (below == -above - 1) {
    cell.amax = words ? threshold_of(s->scale, 127.0f / 32767.0f) : (double)s->scale * 127;
  } else if (below == 0) {
    cell.amax = words ? (double)above * s->scale : threshold_of(s->scale, 127.0f / 255.0f);
  } else {
    cell.amax = (double)(-below > above ? -below : above) * s->scale;
    *uneven = true;
  }
  if (below == 0 || *uneven) {
    cell.min = (double)below * s->scale;
    cell.max = (double)above * s->scale;
  } else if (s->positive && s->type == TARE_I8) {
    cell.min = 0; /* the zero point is that of an engine without uint8 */
    cell.max = cell.amax;
  }
  cell.static_loss = words ? 1 : cell.static_loss;
  return cell;
}

/* The scales of one value: a pair of 8 bits says the threshold, one of 16 that 8 are too few for
 * some layer. */
static tarei_cell join_cells(const tarei_cell a, const tarei_cell b, bool *const differ) {
  const bool a_words = a.static_loss > 0, b_words = b.static_loss > 0;
  const tarei_cell *const by_bits = a_words ? &b : &a, *const by_size = a.amax < b.amax ? &b : &a;
  tarei_cell out = a_words != b_words ? *by_bits : *by_size;
  *differ = *differ || (a_words == b_words && a.amax != b.amax);
  out.static_loss = a_words ? a.static_loss : b.static_loss;
  return out;
}

/* One value of the float model. */
typedef struct imported_value {
  const char *name;
  tarei_cell cell;
  bool uneven; /* a symmetric threshold does not carry its zero point */
  bool differ; /* it has several scales */
} imported_value;

static void join_scale(const tarei_undo *const u, const tarei_undo_scale *const scale,
                       imported_value *const values, tarei_names *const names) {
  const char *const name = tarei_undo_resolve(u, scale->value);
  const int known = tarei_names_find(names, name);
  bool uneven;
  const tarei_cell cell = cell_of(scale, &uneven);
  if (known < 0) {
    values[names->n] = (imported_value){.name = name, .cell = cell, .uneven = uneven};
    tarei_names_add(names, name, (int)names->n);
    return;
  }
  imported_value *const value = &values[known];
  value->cell = join_cells(value->cell, cell, &value->differ);
  value->uneven = value->uneven || uneven;
}

static tare_status add_value(const imported_value *const v, tare_table *const table,
                             tare_error *const err) {
  if (v->uneven) {
    TAREI_TRY(tarei_table_warn(table, err,
                               "tensor '%s': the zero point is neither the middle nor the lowest "
                               "integer; the threshold is the larger end of the range %g to %g",
                               v->name, v->cell.min, v->cell.max));
  }
  if (v->differ) {
    TAREI_TRY(tarei_table_warn(table, err,
                               "tensor '%s' has several scales; the threshold is that of the "
                               "largest",
                               v->name));
  }
  return tarei_table_add_tensor(table, v->name, NULL, &v->cell, err);
}

static tare_status add_values(const tarei_undo *const u, imported_value *const values,
                              tarei_names *const names, tare_table *const table,
                              tare_error *const err) {
  for (int i = 0; i < u->n_scales; i++) {
    join_scale(u, &u->scales[i], values, names);
  }
  for (size_t i = 0; i < names->n; i++) {
    TAREI_TRY(add_value(&values[i], table, err));
  }
  return tarei_table_finish(table, "imported table", err);
}

tare_status tarei_undo_table(const tarei_undo *const u, tare_table **const out,
                             tare_error *const err) {
  const size_t n = (size_t)u->n_scales;
  tarei_names names = {0};
  imported_value *const values = tarei_calloc(n + 1, sizeof *values);
  tare_status status = values && tarei_names_init(&names, n)
                           ? tarei_table_new("imported", 1 /* column */, out, err)
                           : tarei_fail_memory(err, "thresholds", n);
  if (status == TARE_OK) {
    status = add_values(u, values, &names, *out, err);
  }
  if (status != TARE_OK) {
    tare_table_free(out);
  }
  tarei_names_fini(&names);
  free(values);
  return status;
}
