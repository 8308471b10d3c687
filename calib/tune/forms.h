/*
 * The layers of a model that have a choice of precision, and what each choice costs.
 */
#ifndef TAREI_CALIB_TUNE_FORMS_H
#define TAREI_CALIB_TUNE_FORMS_H

#include <tare/plan.h>

#include "base/error.h"
#include "base/str.h"

/* One layer and its forms, by tare_precision. */
typedef struct tarei_tune_layer {
  char *name;   /* in the plan that is built without requests; owned */
  char *origin; /* its first node; owned */
  char *glob;   /* that names this node in a request; owned */
  tare_precision standard, chosen;
  bool keeps_level;    /* louder inputs would exceed a static scale, */
  bool is_exceeded;    /* or other samples, since there are few of them or of their rows */
  bool decides_length; /* of an output of the model, and is float for that reason */
  double share;        /* of the multiply-adds of the plan */
  double float_price;  /* seconds that are added to its time in a form that is not on integers */
  bool has[TARE_PRECISION_COUNT];
  double noise[TARE_PRECISION_COUNT];   /* of the outputs, relative to their energy, with the other
                                           layers in float; NAN: not known */
  double seconds[TARE_PRECISION_COUNT]; /* NAN: not known */
} tarei_tune_layer;

typedef struct tarei_tune_layers {
  tarei_tune_layer *items;
  int n;
  bool may_clip; /* layers that would keep their level may have static scales all the same */
} tarei_tune_layers;

/* Multiply-adds of all layers at the opt lengths of the first profile, and their sum. */
tare_status tarei_tune_operations(const tare_plan *plan, double *operations, double *sum,
                                  tare_error *err);

/* Share of the multiply-adds that are not on integers, at the opt lengths of the first profile. */
tare_status tarei_float_share(const tare_plan *plan, double *out, tare_error *err);

/* Lists the layers of a plan that have other forms than float; their float form is known to have no
 * noise. Which forms they have is learned afterwards. */
tare_status tarei_tune_layers_find(const tare_plan *plan, tarei_tune_layers *out, tare_error *err);

/* Adds a layer to items that have room for it. `origin` is its first node. */
tare_status tarei_tune_layers_add(tarei_tune_layers *out, const char *name, const char *origin,
                                  tare_precision standard, double share, tare_error *err);
void tarei_tune_layers_fini(tarei_tune_layers *layers);

/* Denies static scales to layers of whose input a sample has few rows, and with `louder` to those
 * whose input grows with that of the model, unless they have them without requests. `plan` has all
 * layers in float, and the scales of a table. */
tare_status tarei_tune_layers_deny(tarei_tune_layers *layers, const tare_plan *plan, bool louder,
                                   tare_error *err);

/* Whether a plan has no layer in a form that is denied to it. */
tare_status tarei_tune_layers_permit(const tarei_tune_layers *layers, const tare_plan *plan,
                                     bool *out, tare_error *err);

/* Notes in which forms a plan has the layers, and how long each takes there: `seconds` is that of
 * each layer of the plan, or NULL. The shorter of two times is kept. */
tare_status tarei_tune_layers_learn(tarei_tune_layers *layers, const tare_plan *plan,
                                    const double *seconds, tare_error *err);

/* Notes what the layers have in a plan as their choice. */
tare_status tarei_tune_layers_choose(tarei_tune_layers *layers, const tare_plan *plan,
                                     tare_error *err);

/* Leaves the layers that decide lengths of outputs no other form than float, which they choose, if
 * they have it. `fp32` is a float plan. `out` receives how many have it for this reason alone. */
tare_status tarei_tune_layers_keep_lengths(tarei_tune_layers *layers, const tare_plan *fp32,
                                           int *out, tare_error *err);

/* Adds requests for the choices that differ from what the build does by itself. */
void tarei_tune_layers_request(const tarei_tune_layers *layers, tarei_str *text);

#endif
