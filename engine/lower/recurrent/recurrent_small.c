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
  return s->form.gates == 3 && s->form.linear_before_reset && !s->bytes &&
         has_small_product(&j->z) && j->parts == 1 && !j->lengths && s->plain[0] &&
         (s->form.dirs == 1 || s->plain[1]);
}

void tarei_recurrent_small_steps(const tarei_recurrent_lane *const l, const size_t n,
                                 const bool backwards) {
  const tarei_recurrent_job *const j = l->j;
  const tarei_recurrent_sizes *const z = &j->z;
  const tare_tensor *const y = tarei_recurrent_out(j->step, j->run, 0);
  const size_t columns = z->columns, at = (size_t)l->dir * columns, last = backwards ? n - 1 : 0;
  const size_t origin = tarei_recurrent_row(j->s, z, 0, l->dir, 0);
  const size_t y_step = tarei_recurrent_row(j->s, z, 1, l->dir, 0) - origin;
  const ptrdiff_t sign = backwards ? -1 : 1;
  j->run->kernels->gru_steps(&(tarei_gru_steps){
      .steps = n,
      .m = l->m,
      .n = z->hidden,
      .x = l->x + last * l->m * columns,
      .ldx = columns,
      .x_step = sign * (ptrdiff_t)(l->m * columns),
      .r = (const float *)j->r + at * z->hidden,
      .bias = j->state_bias ? j->state_bias + at : NULL,
      .h = l->h,
      .clip = j->s->form.clip,
      .y = y ? (float *)y->data + tarei_recurrent_row(j->s, z, l->t0 + last, l->dir, l->first)
             : NULL,
      .ldy = tarei_recurrent_row(j->s, z, 0, l->dir, 1) - origin,
      .y_step = sign * (ptrdiff_t)y_step});
}
