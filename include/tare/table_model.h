/*
 * Calibration tables and the model that they are for: scales that TensorRT shares among tensors,
 * and the layers that ncnn's tables name.
 */
#ifndef TARE_TABLE_MODEL_H
#define TARE_TABLE_MODEL_H

#include <tare/model.h>
#include <tare/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Groups of tensors that share a scale. */
typedef struct tare_unified {
  int groups;        /* groups of at least two tensors of the table */
  int tensors;       /* tensors in these groups */
  int changed;       /* tensors whose threshold changed, in any column */
  double largest;    /* largest new threshold divided by the old one; 1 if none grew */
  void *reserved[4]; /* for later versions */
} tare_unified;

/**
 * Gives tensors one threshold where TensorRT's calibrators use one scale: the inputs and the output
 * of a Concat, the input and output of a MaxPool or AveragePool, and tensors that are moved or
 * reshaped. These operators connect tensors to groups. The threshold of a group is the largest of
 * those of its tensors that none of these operators writes, such as the output of a convolution
 * before a pooling; if the table has none of them, the largest of the group.
 *
 * Plans of this library use the scale of each tensor itself: write a table for TensorRT from the
 * result, and build plans from the original.
 * @param unified receives the counts; or NULL
 * @return TARE_OK, TARE_E_MEMORY (the thresholds are then unchanged)
 */
TARE_API tare_status tare_table_unify(tare_table *table, const tare_model *model,
                                      tare_unified *unified, tare_error *err);

/** Whether a table has scales of layers, as after reading a table of ncnn. */
TARE_API bool tare_table_names_layers(const tare_table *table);

/** What became of the layers of a table. */
typedef struct tare_resolved {
  int layers;        /* layers that were found in the model */
  int tensors;       /* tensors that they read, which are those of the new table */
  int unknown;       /* layers that are not in the model: their scales are left out */
  int differ;        /* tensors whose readers had different scales: the largest threshold is used */
  void *reserved[4]; /* for later versions */
} tare_resolved;

/**
 * Replaces the layers of a table by the tensors that they read in a model. A layer is the node of
 * that name, or the node whose first output has that name, as converters to ncnn name them. Scales
 * of weights are left out.
 * @param table a table of layers; it is replaced on success
 * @param resolved receives the counts; or NULL
 * @return TARE_OK, TARE_E_USAGE (no layer is in the model, or the table has none), TARE_E_MEMORY
 */
TARE_API tare_status tare_table_resolve_layers(tare_table **table, const tare_model *model,
                                               tare_resolved *resolved, tare_error *err);

/**
 * The table of a part of a model (tare/extract.h): the tensors that the part has and the rounding
 * of its layers, with its name and hash, and without profiles, whose symbols it may not have.
 * @param table a table of one column
 * @param out receives the table; free it with tare_table_free
 * @return TARE_OK, TARE_E_USAGE (several columns), TARE_E_MEMORY
 */
TARE_API tare_status tare_table_restrict(const tare_table *table, const tare_model *part,
                                         tare_table **out, tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
