#include "tools/feed.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

static const uint64_t SEED = 20240229;
static const int64_t MOST_ELEMENTS = INT64_C(1) << 31; /* of one input; beyond it a typing error */

typedef struct dice {
  uint64_t state;
} dice;

/* splitmix64 */
static uint64_t feed_roll(dice *const d) {
  uint64_t z = (d->state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static double roll_unit(dice *const d) {
  return ((double)(feed_roll(d) >> 11) + 0.5) * 0x1p-53;
}

static double roll_normal(dice *const d) {
  const double radius = sqrt(-2 * log(roll_unit(d)));
  return radius * cos(6.283185307179586 * roll_unit(d));
}

static void fill_f32(void *const data, const int64_t n, dice *const d) {
  for (int64_t i = 0; i < n; i++) {
    ((float *)data)[i] = (float)roll_normal(d);
  }
}

static void fill_f64(void *const data, const int64_t n, dice *const d) {
  for (int64_t i = 0; i < n; i++) {
    ((double *)data)[i] = roll_normal(d);
  }
}

/* Whole numbers of any size, little-endian; halves stay 0, which is one too. */
static void fill_bits(const tare_port *const port, void *const data, const int64_t n,
                      dice *const d) {
  const size_t size = tare_dtype_size(port->dtype);
  const bool ones = strstr(port->name, "mask") != NULL;
  for (int64_t i = 0; i < n; i++) {
    ((uint8_t *)data)[(size_t)i * size] = ones ? 1 : (uint8_t)(feed_roll(d) & 1);
  }
}

static void feed_fill(const tare_port *const port, void *const data, const int64_t n,
                      dice *const d) {
  if (port->dtype == TARE_F32) {
    fill_f32(data, n, d);
  } else if (port->dtype == TARE_F64) {
    fill_f64(data, n, d);
  } else if (port->dtype != TARE_F16 && port->dtype != TARE_BF16) {
    fill_bits(port, data, n, d);
  }
}

static int64_t symbol_value(const tare_profiles *const profiles, const int64_t *const values,
                            const char *const symbol) {
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    if (strcmp(tare_profiles_symbol(profiles, s), symbol) == 0) {
      return values[s];
    }
  }
  return 1;
}

static tare_status feed_make(const tare_port *const port, const tare_profiles *const profiles,
                             const int64_t *const values, dice *const d, tare_tensor *const out,
                             tare_error *const err) {
  *out = (tare_tensor){.dtype = port->dtype, .rank = port->rank};
  for (int a = 0; a < port->rank; a++) {
    const tare_dim dim = port->dims[a];
    out->dims[a] = dim.symbol ? symbol_value(profiles, values, dim.symbol) : dim.value;
  }
  const int64_t n = tare_tensor_count(out);
  if (n < 0 || n > MOST_ELEMENTS) {
    return cli_fail(err, TARE_E_LIMIT, "input '%s' exceeds %" PRId64 " elements", port->name,
                    MOST_ELEMENTS);
  }
  out->data = calloc(n > 0 ? (size_t)n : 1, tare_dtype_size(port->dtype));
  if (!out->data) {
    return cli_fail(err, TARE_E_MEMORY, "no memory for input '%s'", port->name);
  }
  feed_fill(port, out->data, n, d);
  return TARE_OK;
}

tare_status feed_new(const tare_port *const inputs, const int n_inputs,
                     const tare_profiles *const profiles, const int64_t *const values,
                     feed *const out, tare_error *const err) {
  dice d = {SEED};
  *out = (feed){.tensors = cli_realloc(NULL, (size_t)n_inputs, sizeof *out->tensors)};
  for (int i = 0; i < n_inputs; i++) {
    out->n = i + 1;
    const tare_status status = feed_make(&inputs[i], profiles, values, &d, &out->tensors[i], err);
    if (status != TARE_OK) {
      feed_fini(out);
      return status;
    }
  }
  return TARE_OK;
}

void feed_fini(feed *const f) {
  for (int i = 0; i < f->n; i++) {
    free(f->tensors[i].data);
  }
  free(f->tensors);
  *f = (feed){0};
}
