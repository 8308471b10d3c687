#include "engine/lower/conv/conv_fourier.h"

#include <math.h>

#include "base/mem.h"
#include "graph/ir/internal_attrs.h"
#include "graph/ops/conv/fourier_basis.h"

static const double PI = 3.14159265358979323846;

/* The constants, in the order in which the blobs have them. */
typedef struct fourier_parts {
  size_t window, roots, turns, parts; /* floats */
  size_t places, bins;                /* integers */
} fourier_parts;

bool tarei_conv_fourier_serves(const tarei_node *const node) {
  return tarei_attr_find(node, TAREI_ATTR_FOURIER) && !tarei_attr_find(node, TAREI_ATTR_COMPUTE) &&
         !tarei_attr_find(node, TAREI_ATTR_WEIGHT_TYPE);
}

double tarei_conv_fourier_share(const tarei_graph *const graph, const tarei_node *const node) {
  const tare_tensor w = tarei_value_tensor(graph, node->in[1]);
  const size_t n = (size_t)tarei_attr_int(node, TAREI_ATTR_FOURIER, 1);
  return tarei_fourier_cost(n, (size_t)w.dims[0]) / (double)(w.dims[0] * w.dims[1]);
}

/* Fours first: the fewest operations; the last ones are of the first level. */
static void find_factors(tarei_conv_fourier *const f) {
  static const int32_t FACTORS[] = {4, 2, 3, 5};
  size_t rest = f->transform.n / 2;
  f->transform.levels = 0;
  for (size_t i = 0; i < sizeof FACTORS / sizeof *FACTORS; i++) {
    while (rest % (size_t)FACTORS[i] == 0) {
      f->factors[f->transform.levels++] = FACTORS[i];
      rest /= (size_t)FACTORS[i];
    }
  }
  f->transform.factors = f->factors;
}

static fourier_parts sizes_of(const tarei_fourier *const f) {
  fourier_parts s = {.window = f->taps,
                     .turns = (f->n / 4 + 1) * TAREI_FOURIER_ROOT,
                     .parts = 2 * f->outputs,
                     .places = f->n / 2,
                     .bins = f->outputs};
  size_t length = f->n / 2;
  for (size_t i = 0; i < f->levels; i++) {
    const size_t factor = (size_t)f->factors[i];
    length /= factor;
    s.roots += (length - 1) * (factor - 1) * TAREI_FOURIER_ROOT;
  }
  return s;
}

/* --- making the constants --------------------------------------------------------------------- */

/* exp(-2 pi i turns) */
static float *put_root(float *const to, const double turns) {
  to[0] = (float)cos(2 * PI * turns);
  to[1] = (float)-sin(2 * PI * turns);
  to[2] = -to[1];
  return to + TAREI_FOURIER_ROOT;
}

static void make_roots(const tarei_fourier *const f, float *to) {
  size_t n = f->n / 2;
  for (size_t i = 0; i < f->levels; i++) {
    const size_t factor = (size_t)f->factors[i], length = n / factor;
    for (size_t k = 1; k < length; k++) {
      for (size_t q = 1; q < factor; q++) {
        to = put_root(to, (double)(k * q) / (double)n);
      }
    }
    n = length;
  }
}

/* Of points that are taken apart by the factors in turn. */
static int32_t point_place(const tarei_fourier *const f, size_t point) {
  size_t length = f->n / 2, place = 0;
  for (size_t i = 0; i < f->levels; i++) {
    const size_t factor = (size_t)f->factors[i];
    length /= factor;
    place += point % factor * length;
    point /= factor;
  }
  return (int32_t)place;
}

static void make_constants(const tarei_fourier *const f, const fourier_parts *const sizes,
                           const tarei_fourier_basis *const basis, float *const floats,
                           int32_t *const integers) {
  for (size_t t = 0; t < sizes->window; t++) {
    floats[t] = (float)(basis->window[t] / 2);
  }
  make_roots(f, floats + sizes->window);
  float *turns = floats + sizes->window + sizes->roots;
  for (size_t k = 0; k <= f->n / 4; k++) {
    turns = put_root(turns, (double)k / (double)f->n);
  }
  for (size_t i = 0; i < sizes->parts; i++) {
    turns[i] = (float)basis->parts[i];
  }
  for (size_t i = 0; i < sizes->places; i++) {
    integers[i] = point_place(f, i);
  }
  for (size_t i = 0; i < sizes->bins; i++) {
    integers[sizes->places + i] = basis->bins[i];
  }
}

static tare_status fill_constants(const tarei_fourier *const f, const fourier_parts *const sizes,
                                  const float *const w, float *const floats,
                                  int32_t *const integers, tare_error *const err) {
  tarei_fourier_basis basis;
  if (!tarei_fourier_basis_fit(w, f->outputs, f->taps, f->n, &basis)) {
    return tarei_fail(err, TARE_E_MODEL, "its weights are no Fourier transform of length %zu",
                      f->n);
  }
  make_constants(f, sizes, &basis, floats, integers);
  tarei_fourier_basis_free(&basis);
  return TARE_OK;
}

/* What a file has. */
static tare_status check_integers(const int32_t *const integers, const size_t n, const size_t most,
                                  tare_error *const err) {
  for (size_t i = 0; i < n; i++) {
    if (integers[i] < 0 || (size_t)integers[i] > most) {
      return tarei_fail(err, TARE_E_INPUT,
                        "number %d of a Fourier transform is out of range: expected 0..%zu",
                        (int)integers[i], most);
    }
  }
  return TARE_OK;
}

tare_status tarei_conv_fourier_take(const tarei_step *const step, const tarei_conv *const conv,
                                    const float *const w, tarei_blobs *const blobs,
                                    tarei_conv_fourier *const out, tare_error *const err) {
  tarei_fourier *const f = &out->transform;
  const int64_t n = tarei_attr_int(step->node, TAREI_ATTR_FOURIER, 0);
  if (n < 1 || !tarei_fourier_length_serves((size_t)n) || conv->k > (size_t)n || conv->space != 1 ||
      conv->channels != 1) {
    return tarei_fail(
        err, TARE_E_INPUT,
        "a Fourier transform of length %lld does not fit %zu samples of %lld channels",
        (long long)n, conv->k, (long long)conv->channels);
  }
  *f = (tarei_fourier){.n = (size_t)n, .taps = conv->k, .outputs = (size_t)conv->outputs};
  find_factors(out);
  const fourier_parts sizes = sizes_of(f);
  void *floats, *integers;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(
      blobs, (sizes.window + sizes.roots + sizes.turns + sizes.parts) * sizeof(float), &floats,
      &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, (sizes.places + sizes.bins) * sizeof(int32_t), &integers,
                             &fresh, err));
  if (fresh) {
    TAREI_TRY(fill_constants(f, &sizes, w, floats, integers, err));
  }
  f->window = floats;
  f->roots = f->window + sizes.window;
  f->turns = f->roots + sizes.roots;
  f->parts = f->turns + sizes.turns;
  f->places = integers;
  f->bins = f->places + sizes.places;
  TAREI_TRY(check_integers(f->places, sizes.places, f->n / 2 - 1, err));
  return check_integers(f->bins, sizes.bins, f->n / 2, err);
}

/* --- running ---------------------------------------------------------------------------------- */

static size_t fourier_thread_bytes(const tarei_conv_fourier *const f) {
  return TAREI_FOURIER_WORK(f->transform.n) * sizeof(float);
}

size_t tarei_conv_fourier_scratch(const tarei_conv_fourier *const f, const int threads) {
  return tarei_times(fourier_thread_bytes(f), (size_t)threads);
}

void tarei_conv_fourier_rows(const tarei_conv_fourier *const f,
                             const tarei_conv_row_set *const rows,
                             const tarei_epilogue *const epilogue,
                             const tarei_kernels *const kernels, void *const scratch,
                             const int thread) {
  tarei_fourier_frames call = {
      .transform = &f->transform,
      .step = rows->lda / sizeof(float),
      .work = (float *)(void *)((char *)scratch + (size_t)thread * fourier_thread_bytes(f))};
  for (size_t i = 0; i < rows->m; i += TAREI_FOURIER_FRAMES) {
    const size_t left = rows->m - i;
    call.x = (const float *)rows->a + i * call.step;
    call.frames = left < TAREI_FOURIER_FRAMES ? left : TAREI_FOURIER_FRAMES;
    call.epilogue = tarei_epilogue_at(epilogue, rows->first + i, 0);
    kernels->fourier(&call);
  }
}
