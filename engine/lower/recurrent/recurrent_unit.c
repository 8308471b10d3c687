/* Gates of recurrent layers by their definition. */
#include <math.h>

#include "engine/lower/recurrent/recurrent.h"

static double sigmoid(const double x) {
  return 1.0 / (1.0 + exp(-x));
}

static double recurrent_unit_softplus(const double x) {
  return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double recurrent_unit_apply(const tarei_recurrent_function *const f, const double x) {
  const double a = (double)f->alpha, b = (double)f->beta;
  switch (f->act) {
    case TAREI_RECURRENT_AFFINE:
      return a * x + b;
    case TAREI_RECURRENT_ELU:
      return x < 0 ? a * expm1(x) : x;
    case TAREI_RECURRENT_HARD_SIGMOID:
      return fmax(0, fmin(1, a * x + b));
    case TAREI_RECURRENT_LEAKY_RELU:
      return x < 0 ? a * x : x;
    case TAREI_RECURRENT_RELU:
      return x < 0 ? 0 : x;
    case TAREI_RECURRENT_SCALED_TANH:
      return a * tanh(b * x);
    case TAREI_RECURRENT_SIGMOID:
      return sigmoid(x);
    case TAREI_RECURRENT_SOFTPLUS:
      return recurrent_unit_softplus(x);
    case TAREI_RECURRENT_SOFTSIGN:
      return x / (1 + fabs(x));
    case TAREI_RECURRENT_TANH:
      return tanh(x);
    case TAREI_RECURRENT_THRESHOLDED_RELU:
      return x < a ? 0 : x;
  }
  return x;
}

/* Function number `i` of a direction at x, clipped. */
static double recurrent_unit_at(const tarei_recurrent_form *const form, const int dir, const int i,
                                const double x) {
  const double clip = (double)form->clip;
  return recurrent_unit_apply(&form->functions[dir][i], x < -clip ? -clip : x > clip ? clip : x);
}

enum { F, G, H };

double tarei_recurrent_reset(const tarei_recurrent_form *const form, const int dir,
                             const tarei_recurrent_unit *const u) {
  return recurrent_unit_at(form, dir, F, u->x[1] + u->rec[1]) * u->h;
}

static void update_gru(const tarei_recurrent_form *const form, const int dir,
                       tarei_recurrent_unit *const u) {
  const double update = recurrent_unit_at(form, dir, F, u->x[0] + u->rec[0]);
  const double share = form->linear_before_reset
                           ? recurrent_unit_at(form, dir, F, u->x[1] + u->rec[1]) * u->rec[2]
                           : u->rec[2];
  u->h = (1 - update) * recurrent_unit_at(form, dir, G, u->x[2] + share) + update * u->h;
}

static void recurrent_unit_update_lstm(const tarei_recurrent_form *const form, const int dir,
                                       tarei_recurrent_unit *const u) {
  const double *const p = u->peephole;
  const double in = recurrent_unit_at(form, dir, F, u->x[0] + u->rec[0] + p[0] * u->c);
  const double keep = form->input_forget
                          ? 1 - in
                          : recurrent_unit_at(form, dir, F, u->x[2] + u->rec[2] + p[2] * u->c);
  u->c = keep * u->c + in * recurrent_unit_at(form, dir, G, u->x[3] + u->rec[3]);
  const double out = recurrent_unit_at(form, dir, F, u->x[1] + u->rec[1] + p[1] * u->c);
  u->h = out * recurrent_unit_apply(&form->functions[dir][H], u->c);
}

void tarei_recurrent_update(const tarei_recurrent_form *const form, const int dir,
                            tarei_recurrent_unit *const u) {
  if (form->gates == 4) {
    recurrent_unit_update_lstm(form, dir, u);
  } else if (form->gates == 3) {
    update_gru(form, dir, u);
  } else {
    u->h = recurrent_unit_at(form, dir, F, u->x[0] + u->rec[0]);
  }
}
