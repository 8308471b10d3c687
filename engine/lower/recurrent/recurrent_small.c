/* Steps of small GRUs: a product of a few columns is done before a step's calls have been made, so
 * that one kernel takes all steps there are. */
#include "engine/lower/recurrent/recurrent_lane.h"

#define MANY_UNITS 16    /* above, */
#define MANY_SEQUENCES 4 /* from this many on, products by f32_gemm are faster with AVX2 */

static bool has_small_product(const tarei_recurrent_sizes *const z) {
  return z->hidden <= MANY_UNITS ||
         (z->hidden <= TAREI_GRU_STEPS_UNITS && z->batch < MANY_SEQUENCES);
}

bool tarei_recurrent_is_small(const tarei_recurrent_job *const j) {
  const tarei_recurrent *const s = j->s;
  return s->form.gates == 3 && s->form.linear_before_reset && has_small_product(&j->z) &&
         j->parts == 1 && !j->lengths && s->plain[0] && (s->form.dirs == 1 || s->plain[1]);
}

static const void *small_weights(const tarei_recurrent_job *const j, const size_t column) {
  const size_t k = j->z.hidden;
  return j->s->bytes ? (const void *)((const int8_t *)j->r + tarei_i8_packed_size(k, column))
                     : (const void *)((const float *)j->r + column * k);
}

static tarei_gru_steps small_steps_of(const tarei_recurrent_lane *const l, const size_t n) {
  const tarei_recurrent_job *const j = l->j;
  const tarei_recurrent_sizes *const z = &j->z;
  const tare_tensor *const y = tarei_recurrent_out(j->step, j->run, 0);
  const bool backwards = tarei_recurrent_is_backwards(l);
  const size_t columns = z->columns, at = (size_t)l->dir * columns, last = backwards ? n - 1 : 0;
  const size_t origin = tarei_recurrent_row(j->s, z, 0, l->dir, 0);
  const size_t y_step = tarei_recurrent_row(j->s, z, 1, l->dir, 0) - origin;
  const ptrdiff_t sign = backwards ? -1 : 1;
  return (tarei_gru_steps){
      .steps = n,
      .m = l->m,
      .n = z->hidden,
      .x = l->x + last * l->m * l->ldx,
      .ldx = l->ldx,
      .x_step = sign * (ptrdiff_t)(l->m * l->ldx),
      .r = small_weights(j, at),
      .gate = z->gate,
      .add = j->s->bytes ? j->s->r.add + at : NULL,
      .mult = j->s->bytes ? j->s->r.mult + at : NULL,
      .bias = j->state_bias ? j->state_bias + at : NULL,
      .h = l->h,
      .clip = j->s->form.clip,
      .y = y ? (float *)y->data + tarei_recurrent_row(j->s, z, l->t0 + last, l->dir, l->first)
             : NULL,
      .ldy = tarei_recurrent_row(j->s, z, 0, l->dir, 1) - origin,
      .y_step = sign * (ptrdiff_t)y_step};
}

void tarei_recurrent_small_steps(const tarei_recurrent_lane *const lanes, const size_t n_lanes,
                                 const size_t n) {
  const tarei_recurrent_job *const j = lanes->j;
  tarei_gru_steps steps[TAREI_RECURRENT_LANES];
  for (size_t i = 0; i < n_lanes; i++) {
    steps[i] = small_steps_of(&lanes[i], n);
  }
  const tarei_kernels *const k = j->run->kernels;
  (j->s->bytes ? k->gru_steps_i8 : k->gru_steps)(steps, n_lanes);
}
