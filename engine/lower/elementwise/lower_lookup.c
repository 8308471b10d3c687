/* An activation from bytes to bytes: a table of 256 bytes for each profile. */
#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/fused.h"
#include "engine/lower/elementwise/pointwise.h"

enum { TABLE = 256 }; /* bytes of one */

typedef struct lookup_job {
  const tarei_kernels *kernels;
  const uint8_t *table, *x;
  uint8_t *out;
} lookup_job;

/* Bounds of a Clip that are inputs; they have to be constant. */
static tare_status read_bounds(const tarei_step *const step, tarei_pointwise *const f,
                               tare_error *const err) {
  for (int i = 1; i < step->node->n_in; i++) {
    const int value = step->node->in[i];
    float *const bound = i == 1 ? &f->a : &f->b;
    if (value >= 0 && !tarei_value_const_float(step->graph, value, bound)) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "parameter '%s' must be one constant number",
                        step->graph->values[value].name);
    }
  }
  return TARE_OK;
}

static void lookup_fill(const tarei_step *const step, const tarei_pointwise *const f,
                        const int profile, uint8_t *const table) {
  const int in = step->node->in[0], out = step->node->out[0];
  float values[TABLE];
  for (int i = 0; i < TABLE; i++) {
    table[i] = (uint8_t)i;
  }
  step->kernels->dequantize(table, TABLE, tarei_u8_scale(step->graph, in, profile),
                            tarei_u8_zero_point(step->graph, in), values);
  tarei_pointwise_run(f, step->kernels, values, TABLE, values);
  step->kernels->quantize(values, TABLE, 1.0f / tarei_u8_scale(step->graph, out, profile),
                          tarei_u8_zero_point(step->graph, out), table);
}

static tare_status lookup_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                  tare_error *const err) {
  (void)blobs;
  tarei_pointwise f;
  TAREI_TRY(
      tarei_pointwise_read(step->node, tarei_attr_string(step->node, "function", ""), &f, err));
  TAREI_TRY(read_bounds(step, &f, err));
  TAREI_TRY(tarei_want_scales(step, step->node->in[0], err));
  TAREI_TRY(tarei_want_scales(step, step->node->out[0], err));
  uint8_t(*const tables)[TABLE] = step->state;
  for (int p = 0; p < step->n_profiles; p++) {
    lookup_fill(step, &f, p, tables[p]);
  }
  return TARE_OK;
}

static void lookup_chunk(const void *const user, const size_t first, const size_t n) {
  const lookup_job *const j = user;
  j->kernels->lut_u8(j->table, j->x + first, n, j->out + first);
}

static tare_status lookup_run(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  (void)err;
  uint8_t(*const tables)[TABLE] = step->state;
  const lookup_job j = {.kernels = r->kernels,
                        .table = tables[r->profile],
                        .x = r->in[0]->data,
                        .out = r->out[0]->data};
  tarei_chunks(r, (size_t)tare_tensor_count(r->in[0]), lookup_chunk, &j);
  return TARE_OK;
}

TAREI_KERNEL_OF(lookup_kernel, lut_u8)

const tarei_lowering tarei_lower_lookup = {.state_bytes_per_profile = TABLE,
                                           .prepare = lookup_prepare,
                                           .run = lookup_run,
                                           .kernel = lookup_kernel};
