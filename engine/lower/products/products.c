#include "engine/lower/products/products.h"

#include "base/mem.h"
#include "engine/threads.h"

static int64_t dim_from_end(const tare_tensor *const t, const int from_end) {
  return from_end < t->rank ? t->dims[t->rank - 1 - from_end] : 1;
}

void tarei_product_read(const tare_tensor *const a, const tare_tensor *const b, const bool trans_b,
                        tarei_product *const p) {
  *p = (tarei_product){.batch = 1, .trans_b = trans_b};
  p->m = a->rank < 2 ? 1 : (size_t)a->dims[a->rank - 2];
  p->k = (size_t)a->dims[a->rank - 1];
  p->n = b->rank < 2 ? 1 : (size_t)b->dims[b->rank - (trans_b ? 2 : 1)];
  const int rank = a->rank > b->rank ? a->rank : b->rank;
  p->n_leading = rank > 2 ? rank - 2 : 0;
  size_t a_matrices = 1, b_matrices = 1;
  for (int i = p->n_leading - 1; i >= 0; i--) {
    const int64_t x = dim_from_end(a, rank - 1 - i), y = dim_from_end(b, rank - 1 - i);
    p->leading[i] = x == 1 ? y : x;
    p->a_step[i] = x > 1 ? a_matrices : 0;
    p->b_step[i] = y > 1 ? b_matrices : 0;
    a_matrices *= (size_t)x;
    b_matrices *= (size_t)y;
    p->batch *= (size_t)p->leading[i];
  }
}

tare_status tarei_product_check(const tarei_product *const p, const tare_tensor *const a,
                                const tare_tensor *const b, const tare_tensor *const out,
                                tare_error *const err) {
  const int64_t inner = dim_from_end(b, b->rank == 1 || p->trans_b ? 0 : 1);
  if (inner != (int64_t)p->k) {
    return tarei_fail(err, TARE_E_SHAPE, "rows of A have %zu elements, but columns of B have %lld",
                      p->k, (long long)inner);
  }
  for (int i = 0; i < p->n_leading; i++) {
    const int64_t x = dim_from_end(a, p->n_leading + 1 - i);
    const int64_t y = dim_from_end(b, p->n_leading + 1 - i);
    if (x != y && x != 1 && y != 1) {
      return tarei_fail(err, TARE_E_SHAPE, "leading dims %lld and %lld do not broadcast",
                        (long long)x, (long long)y);
    }
  }
  return (size_t)tare_tensor_count(out) == p->batch * p->m * p->n
             ? TARE_OK
             : tarei_fail(err, TARE_E_SHAPE, "a product has %zu elements, expected %lld",
                          p->batch * p->m * p->n, (long long)tare_tensor_count(out));
}

static bool products_go_on(const tarei_product *const p, const int outer, const int inner) {
  const size_t size = (size_t)p->leading[inner];
  return p->a_step[outer] == p->a_step[inner] * size && p->b_step[outer] == p->b_step[inner] * size;
}

/* The last leading dim becomes rows of A: its matrices lie one after the other. */
static void products_stack(tarei_product *const p) {
  const size_t size = (size_t)p->leading[--p->n_leading];
  p->m *= size;
  p->batch /= size;
  for (int i = 0; i < p->n_leading; i++) {
    p->a_step[i] /= size;
  }
}

void tarei_product_join(tarei_product *const p) {
  int n = 0;
  for (int i = 0; p->batch && i < p->n_leading; i++) {
    if (p->leading[i] == 1) {
      continue;
    }
    if (n && products_go_on(p, n - 1, i)) {
      p->leading[n - 1] *= p->leading[i];
    } else {
      p->leading[n++] = p->leading[i];
    }
    p->a_step[n - 1] = p->a_step[i];
    p->b_step[n - 1] = p->b_step[i];
  }
  p->n_leading = n;
  if (n && p->a_step[n - 1] == 1 && p->b_step[n - 1] == 0) {
    products_stack(p);
  }
}

static void products_locate(const tarei_product *const p, size_t batch, size_t *const a,
                            size_t *const b) {
  *a = *b = 0;
  for (int i = p->n_leading - 1; i >= 0; i--) {
    const size_t at = batch % (size_t)p->leading[i];
    batch /= (size_t)p->leading[i];
    *a += at * p->a_step[i];
    *b += at * p->b_step[i];
  }
}

enum { HEADER = TAREI_ALIGN }; /* number of the matrix that a thread's scratch holds */

size_t tarei_product_scratch(const tarei_product_form *const form, const int threads) {
  return tarei_times(tarei_plus(HEADER, tarei_round_up(form->per_thread, TAREI_ALIGN)),
                     (size_t)threads);
}

typedef struct products_job {
  const tarei_product *p;
  const tarei_run *run;
  const tarei_product_form *form;
  const void *user;
  size_t cuts, size;
} products_job;

static size_t *header_of(const products_job *const j, const int thread) {
  return tarei_thread_scratch(j->run, thread, tarei_product_scratch(j->form, 1));
}

static void run_item(const void *const user, const size_t i, const int thread) {
  const products_job *const j = user;
  const tarei_product *const p = j->p;
  size_t *const held = header_of(j, thread);
  char *const packed = (char *)held + HEADER;
  tarei_product_rows rows = {.batch = i / j->cuts, .first = i % j->cuts * j->size};
  size_t b;
  if (rows.first >= p->m) {
    return;
  }
  rows.m = p->m - rows.first < j->size ? p->m - rows.first : j->size;
  products_locate(p, rows.batch, &rows.a, &b);
  if (*held != b) {
    j->form->pack(j->user, p, b, packed);
    *held = b;
  }
  j->form->rows(j->user, p, &rows, packed);
}

void tarei_product_run(const tarei_product *const p, const tarei_run *const run,
                       const tarei_product_form *const form, const void *const user) {
  if (p->batch * p->m * p->n == 0) {
    return;
  }
  const size_t team = (size_t)run->threads;
  size_t cuts = p->batch >= team ? 1 : (team + p->batch - 1) / p->batch;
  cuts = cuts > p->m ? p->m : cuts;
  const products_job j = {p, run, form, user, cuts, (p->m + cuts - 1) / cuts};
  for (int t = 0; t < run->threads; t++) {
    *header_of(&j, t) = SIZE_MAX;
  }
  tarei_team_run(run->team, p->batch * cuts, run_item, &j);
}
