#include "graph/quantize/row_need.h"

#include <math.h>

/* Limits; docs/numerics.md has the measurements behind them. */
#define ENOUGH 3e-5         /* static loss, 45 dB, up to which one scale is good enough */
#define ENOUGH_WINDOWS 3e-3 /* the same for convolutions, 25 dB: their rows cost more time */
#define TOGETHER 1e-4       /* the same of all along one axis that keep one scale, 40 dB */
#define GAIN 2              /* so many times as much must one scale lose as row scales */
#define LOST 1e-2           /* static loss, 20 dB, from which on one scale serves no engine */
#define NOISY 2e-3          /* loss of an output, 27 dB, from which on 8-bit rows are too few */
#define COARSE 3e-3         /* the same, 25 dB, from which on 8-bit weights are too few */
#define DROWNED 0.1         /* static loss, 10 dB, from which on rows drown in noise */
#define FEW_ROWS 8          /* of a sample, whose own scales take no time worth counting */
#define HEADROOM 1.5 /* 3.5 dB of an operand of a product, where few samples were calibrated */
#define WRITTEN_HEADROOM 1.25 /* 1.9 dB of any activation of a model that is written, likewise */
#define SETTLED_SAMPLES 64    /* from so many samples or values on few others exceed a range */
#define SETTLED_VALUES 65536
#define TYPICAL_ROW_LOSS 1e-4 /* where the table does not have it */
#define FINER_UNSIGNED \
  (127.0 * 127.0 / (255.0 * 255.0)) /* noise of 255 steps for an amax, not 127 */

static double known_row_loss(const tarei_quant *const quant) {
  const double around_128 = quant->row_loss > 0 ? quant->row_loss : TYPICAL_ROW_LOSS;
  return quant->unsigned_rows ? around_128 * FINER_UNSIGNED : around_128;
}

bool tarei_quant_needs_rows(const tarei_quant *const quant, const double row_loss) {
  return quant->static_loss > ENOUGH && quant->static_loss > GAIN * row_loss;
}

void tarei_quant_choose_rows(tarei_quant *const quant) {
  const bool rows = tarei_quant_needs_rows(quant, known_row_loss(quant));
  quant->granularity = rows ? TAREI_PER_ROW : TAREI_PER_TENSOR;
}

void tarei_quant_expect_unsigned(tarei_quant *const quant) {
  quant->unsigned_rows = true;
  tarei_quant_choose_rows(quant);
}

bool tarei_range_is_settled(const int64_t n_values, const int64_t n_samples) {
  return n_values >= SETTLED_VALUES || n_samples >= SETTLED_SAMPLES;
}

bool tarei_rows_are_few(const double per_sample) {
  return per_sample > 0 && per_sample <= FEW_ROWS;
}

bool tarei_quant_is_exceeded(const tarei_quant *const quant) {
  return quant->few_rows || quant->few_samples;
}

bool tarei_quant_is_unsettled(const tarei_quant *const quant) {
  return quant->few_rows && !quant->settled;
}

double tarei_quant_headroom(const tarei_quant *const quant) {
  return quant->few_samples && !quant->stated ? HEADROOM : 1;
}

double tarei_quant_written_headroom(const tarei_quant *const quant) {
  return quant->few_samples && !quant->stated ? WRITTEN_HEADROOM : 1;
}

bool tarei_quant_wants_windows(const tarei_quant *const quant) {
  return quant->granularity == TAREI_PER_ROW && quant->static_loss > ENOUGH_WINDOWS;
}

bool tarei_quant_wants_float(const tarei_quant *const quant) {
  return quant->granularity == TAREI_PER_ROW &&
         (tarei_quant_loses_rows(quant) || quant->over_budget);
}

double tarei_quant_output_loss(const tarei_quant *const in, const tarei_quant *const out,
                               const double part, const double gain) {
  if (!(in->rms > 0 && out->rms > 0)) {
    return 0;
  }
  const double ratio = in->rms / out->rms;
  return part * ratio * ratio * gain;
}

bool tarei_output_is_noisy(const double loss) {
  return loss > NOISY;
}

bool tarei_weights_are_coarse(const double loss) {
  return loss > COARSE;
}

int64_t tarei_loss_decibels(const double loss) {
  return (int64_t)lround(-10 * log10(loss));
}

bool tarei_quant_loses_rows(const tarei_quant *const quant) {
  return quant->static_loss > LOST;
}

bool tarei_losses_are_many(const double sum) {
  return sum > TOGETHER;
}

bool tarei_rows_drown(const double static_loss) {
  return static_loss > DROWNED;
}

int64_t tarei_quant_gain_over(const tarei_quant *const quant, const double row_loss) {
  return (int64_t)lround(10 * log10(quant->static_loss / row_loss));
}

int64_t tarei_quant_row_gain(const tarei_quant *const quant) {
  return tarei_quant_gain_over(quant, known_row_loss(quant));
}
