/*
 * Data sets: a stream of samples, each with one tensor per model input, of any length.
 *
 * Order of calls: tare_dataset_options_init, tare_dataset_open, then tare_dataset_next until it
 * gives no more samples; tare_dataset_rewind starts again. Samples come in the order of the data
 * (files of a folder sorted by name) and are read ahead by threads in bounded memory.
 */
#ifndef TARE_DATASET_H
#define TARE_DATASET_H

#include <stdbool.h>
#include <tare/limits.h>
#include <tare/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tare_dataset tare_dataset;

/** Explicit place of one input inside an HDF5 file, e.g. {"input_ids", "/tokens/values"}, or in a
 *  NumPy archive, e.g. {"input_ids", "tokens"}. */
typedef struct tare_mapping {
  const char *input;   /* name of the model input, or the label name */
  const char *path;    /* HDF5 data set: vlen, flat values, or padded matrix; or leaf in a group; or key */
  const char *offsets; /* data set of N+1 offsets, or NULL; HDF5 only */
  const char *lengths; /* data set of N lengths, or NULL */
} tare_mapping;

typedef struct tare_dataset_options {
  const tare_port *inputs; /* ports to feed, in order; read during the call only */
  int n_inputs;
  int rate;              /* resample audio to this rate in Hz; 0 keeps each file's rate */
  const char *features;  /* features that stand for audio, "PRESET[,KEY=VALUE...]", e.g.
                            "kaldi,mels=80" (docs/datasets.md); NULL: the waveform itself */
  const char *labels;    /* HDF5 data set, NumPy array or CSV column with the labels; NULL: none */
  const tare_mapping *mappings;
  int n_mappings;
  bool skip_bad;         /* skip a bad sample and count it, instead of failing */
  bool rows;             /* the first axis of NumPy arrays counts samples, wherever it could also be
                            part of one sample */
  int64_t limit;         /* at most so many samples; 0 for all */
  const tare_limits *limits; /* copied; NULL: the defaults */
} tare_dataset_options;

/** One sample. It belongs to the data set and is valid until the next call on it. */
typedef struct tare_sample {
  const char *name;           /* file name or "<file>[<index>]", for messages and reports */
  int64_t index;              /* position in the data, bad samples counted */
  const tare_tensor *tensors; /* one per port, in port order, of the port's dtype; per-sample
                                 rank: without the batch dim unless the data has one */
  const tare_tensor *label;   /* int64 tensor, or NULL; also of a CSV label that is whole numbers */
  const char *label_text;     /* text of a CSV label column, or NULL */
} tare_sample;

/** A kind of data that tare_dataset_open takes. */
typedef struct tare_data_kind {
  const char *noun; /* "an HDF5 file", "a recording", "a manifest", "a folder" ... */
  bool tensors;     /* holds tensors: what they are, only the inputs of a model say */
} tare_data_kind;

/**
 * The kind of data that a name is that of, by its extension.
 * @param path need not exist
 * @return a static object, or NULL for names of other files
 */
TARE_API const tare_data_kind *tare_data_kind_named(const char *path);

/**
 * The kind of a folder or file: by its extension, or where that is of no data, by its first bytes.
 * @return a static object, or NULL where nothing says that it is data
 */
TARE_API const tare_data_kind *tare_data_kind_of(const char *path);

/** Fills the options with defaults: everything zero. */
TARE_API void tare_dataset_options_init(tare_dataset_options *options);

/**
 * Opens data: HDF5 files (.h5, .hdf5), NumPy archives and arrays (.npz, .npy), audio files (wav,
 * flac, ogg, mp3, aiff), folders of such files or of folders with <input>.npy files (a folder with
 * a labels or manifest with the end .csv or .tsv inside it is read as that manifest), with their
 * sub-folders, CSV and TSV manifests with a "path" column (relative to the manifest), or text files with one path a line (.txt, .lst).
 * @param paths n_paths of them, taken one after the other; read during the call only
 * @param out receives the data set; free it with tare_dataset_close
 * @return TARE_OK, TARE_E_INPUT (missing or malformed file, no samples, layout not recognised),
 *         TARE_E_USAGE (options that do not fit the data), TARE_E_MEMORY
 */
TARE_API tare_status tare_dataset_open(const char *const *paths, int n_paths,
                                       const tare_dataset_options *options, tare_dataset **out,
                                       tare_error *err);

/** Frees a data set and clears the handle; a NULL handle is fine. */
TARE_API void tare_dataset_close(tare_dataset **dataset);

/** Number of samples, bad ones counted; known after open. */
TARE_API int64_t tare_dataset_count(const tare_dataset *dataset);

/**
 * Takes the next sample.
 * @param out receives the sample, or NULL at the end
 * @return TARE_OK, TARE_E_INPUT (a bad sample, named, unless skip_bad), TARE_E_MEMORY
 */
TARE_API tare_status tare_dataset_next(tare_dataset *dataset, const tare_sample **out,
                                       tare_error *err);

/**
 * Says that a sample which the data set gave cannot be used, for instance because the model refuses
 * it. With skip_bad it counts as a bad one from now on.
 * @param index tare_sample.index
 * @param why what is wrong with it; the message names the sample
 * @return TARE_OK when the sample is to be skipped; else the status of `why`, and `err` is set to it:
 *         without skip_bad, or where the status is neither TARE_E_INPUT nor TARE_E_SHAPE.
 *         TARE_E_MEMORY
 */
TARE_API tare_status tare_dataset_refuse(tare_dataset *dataset, int64_t index,
                                         const tare_error *why, tare_error *err);

/** Starts again at the first sample. */
TARE_API tare_status tare_dataset_rewind(tare_dataset *dataset, tare_error *err);

/**
 * Starts again at the first sample, and gives samples for their dims until the next
 * tare_dataset_rewind: audio is decoded and checked, but neither resampled nor turned into features,
 * which takes most of the time, and the tensor that it feeds has unspecified contents. All other
 * tensors, and those of other data, hold what they always hold.
 */
TARE_API tare_status tare_dataset_rewind_for_dims(tare_dataset *dataset, tare_error *err);

/** Samples skipped so far (since open or rewind), and the message of skipped sample i in the order of
 *  the data. The first 1000 messages are kept; NULL for the others, and out of range. */
TARE_API int64_t tare_dataset_n_bad(const tare_dataset *dataset);
TARE_API const char *tare_dataset_bad(const tare_dataset *dataset, int64_t i);

/** Least and largest sampling rate of the audio given so far (since open or rewind), in Hz, after
 *  resampling; both 0 where there was none. Different ones mostly want the option `rate`. */
TARE_API void tare_dataset_rates(const tare_dataset *dataset, int *least, int *most);

/** Whether some of the data is audio, which is what `rate` is for. */
TARE_API bool tare_dataset_has_audio(const tare_dataset *dataset);

/** One line on what was recognised, e.g. "HDF5 vlen data sets, 200 samples". */
TARE_API const char *tare_dataset_describe(const tare_dataset *dataset);

#ifdef __cplusplus
}
#endif
#endif
