/* Which tensors need a scale for each row, by what 8 bits are predicted to cost their rows. */
#ifndef TAREI_GRAPH_QUANTIZE_ROW_NEED_H
#define TAREI_GRAPH_QUANTIZE_ROW_NEED_H

#include "graph/ir/ir.h"

/* Chooses the granularity from the losses of the value. */
void tarei_quant_choose_rows(tarei_quant *quant);

/* Rows of the value count from 0 on, and lose less than a table says; chooses the granularity anew.
 * What their noise costs outputs is not judged by that: the limit is one for rows around 128. */
void tarei_quant_expect_unsigned(tarei_quant *quant);

/* Whether one scale loses too much in comparison with rows that lose `row_loss`. */
bool tarei_quant_needs_rows(const tarei_quant *quant, double row_loss);

/* Whether a convolution needs row scales, which are those of its windows. */
bool tarei_quant_wants_windows(const tarei_quant *quant);

/* Whether a layer that cannot use row scales does better in float: alone, or because convolutions
 * would lose too much together. */
bool tarei_quant_wants_float(const tarei_quant *quant);

/* Whether no engine should use one static scale, and whether it drowns rows in noise. */
bool tarei_quant_loses_rows(const tarei_quant *quant);
bool tarei_rows_drown(double static_loss);

/* Whether the convolutions of a graph lose too much together by one scale. */
bool tarei_losses_are_many(double sum);

/* Whether a sample has so few rows that scales of their own take no time worth counting. */
bool tarei_rows_are_few(double per_sample);

/* From so many samples of a profile on their number is no reason for row scales, or for a warning.
 */
#define TAREI_ENOUGH_SAMPLES 8

/* Whether other samples will exceed the range: a sample has few rows, or few were calibrated. */
bool tarei_quant_is_exceeded(const tarei_quant *quant);

/* Whether a sample has few rows, and so few were counted that others will exceed the scale. */
bool tarei_quant_is_unsettled(const tarei_quant *quant);

/* By how much the scale of an operand without row scales is widened: other samples exceed the range
 * of few by less. */
double tarei_quant_headroom(const tarei_quant *quant);

/* The same of a scale in a model that is written, which has no row scales where others are
 * exceeded. */
double tarei_quant_written_headroom(const tarei_quant *quant);

/* Whether few other samples exceed the range of these. */
bool tarei_range_is_settled(int64_t n_values, int64_t n_samples);

/* Energy of `part` of the input, multiplied by `gain`, as a share of that of the output. Where the
 * part is `row_loss` and the gain the sum of squares of the weights of an output, it is what the
 * rounding of 8-bit rows costs; where the part is 1 and the gain the expected noise of 8-bit
 * weights, what that costs. It is high where large inputs cancel, or where an activation cuts most
 * of their sum off. 0: not known. */
double tarei_quant_output_loss(const tarei_quant *in, const tarei_quant *out, double part,
                               double gain);
bool tarei_output_is_noisy(double loss);    /* by 8-bit rows */
bool tarei_weights_are_coarse(double loss); /* by 8-bit weights */
int64_t tarei_loss_decibels(double loss);   /* loss > 0 */

/* What one static scale costs in comparison with row scales, which lose `row_loss`, or as much as
 * the table says; in whole dB. */
int64_t tarei_quant_gain_over(const tarei_quant *quant, double row_loss);
int64_t tarei_quant_row_gain(const tarei_quant *quant);

#endif
