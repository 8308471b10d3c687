/*
 * Data sets: a stream of samples of any length, each with one tensor per model input.
 *
 * Order of calls: tare_dataset_options_init, tare_dataset_open, then tare_dataset_next until there
 * are no more samples; tare_dataset_rewind starts again. Samples come in the order of the data
 * (files of a folder sorted by name), and are read ahead by threads in a bounded amount of memory.
 */
#ifndef TARE_DATASET_H
#define TARE_DATASET_H

#include <stdbool.h>
#include <stdint.h>
#include <tare/limits.h>
#include <tare/profile.h>
#include <tare/streaming.h>
#include <tare/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open data set. */
typedef struct tare_dataset tare_dataset;

/** Number of presets of audio features. */
TARE_API int tare_n_feature_presets(void);

/** Name of a preset by number, static: "whisper"; NULL if the number is out of range. */
TARE_API const char *tare_feature_preset_name(int preset);

/** Explicit place of one input in an HDF5 file, e.g. {"input_ids", "/tokens/values"}, or in a NumPy
 *  archive, e.g. {"input_ids", "tokens"}. */
typedef struct tare_mapping {
  const char *input; /* name of the model input, or of the labels */
  /** HDF5: a data set (vlen, flat values or padded matrix), or the name of the data set in each
   * group. NumPy: a key. */
  const char *path;
  const char *offsets; /* HDF5: data set of N+1 offsets; or NULL */
  const char *lengths; /* data set or array of N lengths, or NULL */
} tare_mapping;

/** Lengths that samples of data must have; the others are left out. A bound that is 0 is none. */
typedef struct tare_length_bounds {
  /** Symbol of the inputs; NULL: the only one that is not merely the first axis of inputs with
   * several, as that of a batch is. */
  const char *symbol;
  int64_t min, max; /* in elements of the axis, of whole samples: before padding, cutting, chunks */
  /** Of recordings, in seconds, whatever features are computed of them; without a symbol. */
  double min_seconds, max_seconds;
  void *reserved[4]; /* for later versions; NULL */
} tare_length_bounds;

/**
 * Says whether a sample can be used, by the dims of its tensors.
 * @param tensors one per input of the data set; the contents must not be read
 * @return TARE_OK, or why not, as a status and in `err`
 */
typedef tare_status (*tare_sample_check)(void *user, const tare_tensor *tensors, tare_error *err);

/** Options of tare_dataset_open; set the defaults with tare_dataset_options_init. */
typedef struct tare_dataset_options {
  const tare_port *inputs; /* the ports to feed, in order */
  int n_inputs;
  int rate;    /* resample audio to this rate in Hz; 0: keep the rate of each file */
  int channel; /* of audio with several channels, counted from 1; 0: the mean of all channels */
  /** Threads that decode and resample audio; 0: one per core. The samples do not depend on them. */
  int threads;
  /** Audio features to compute, "PRESET[,KEY=VALUE...]", e.g. "kaldi,mels=80" (docs/datasets.md);
   *  NULL: use the waveform. */
  const char *features;
  const char *labels; /* HDF5 data set, NumPy array, CSV column, JSON key, tar member or Kaldi
                         table with the labels; NULL: none */
  const tare_mapping *mappings;
  int n_mappings;
  /** Read texts (.txt, .csv, .tsv, .jsonl) and turn them into tokens: a tokenizer.json of Hugging
   *  Face, or a SentencePiece model (.model, .spm). NULL: these files are lists and manifests. */
  const char *tokenizer;
  const char *text;           /* column or key of the texts; NULL: "text" */
  const char *text_pair;      /* that of the second texts; NULL: none */
  const char *special_tokens; /* of a SentencePiece model: "bos", "eos", "bos:eos"; NULL: none */
  int64_t
      max_tokens;  /* cut samples at this number, with special tokens; 0: as the tokenizer says */
  bool text_files; /* a .txt file is one sample, instead of each of its lines */
  /** Range in decibels of levels at which each sample is given: "-20:+20dB" is its own level, the
   *  ends, and steps of 10 dB between (docs/datasets.md). The gain applies to the waveform of
   * audio, before features. NULL: its own level alone. */
  const char *gain_range;
  const char *const *waveforms; /* inputs that the gain applies to in data that hold tensors */
  int n_waveforms;
  /** Symbols of the inputs along which a tensor may have length 0, as a cache has before the first
   *  run. Other tensors without elements are bad, as are recordings and texts. */
  const char *const *empty_symbols;
  int n_empty_symbols;
  bool skip_bad; /* skip and count bad samples instead of failing */
  /** The first axis of NumPy arrays counts samples, even if an array could also be one sample. */
  bool rows;
  int64_t limit; /* maximum number of samples; 0: all */
  /** Give only the samples whose index, of those within the limit, is `shard` modulo `n_shards`.
   *  Audio files of other samples are not opened. 0: all samples. */
  int64_t shard, n_shards;
  /** Asked for the index of each sample of the shard, in order, before it is read: false leaves it
   *  out. For work that several processes share and take as they go; asked for samples that
   *  tare_dataset_choose leaves out, too. May wait; runs on any thread, once at a time. Asked again
   *  for all after tare_dataset_rewind, and for none after tare_dataset_rewind_for_dims. NULL: all
   *  samples are wanted. */
  bool (*wants)(void *user, int64_t index);
  void *wants_user;
  const tare_limits *limits; /* copied; NULL: the defaults */
  /** Of a model with states, whose tare_streaming_ports are the inputs: data that have an array
   *  which no input takes, and which seems to be meant for a state that was recognised, are an
   * error instead of a state that begins with zeros. Not kept. NULL: there are no states. */
  const tare_streaming *streaming;
  /** Samples with other lengths are left out (tare_dataset_left_out). They count towards `limit`.
   */
  const tare_length_bounds *lengths;
  int64_t n_lengths;
  /** As of tare_dataset_set_check; NULL: none. */
  tare_sample_check check;
  void *check_user;
  /** End after so many samples that were given, whatever was left out or bad before them; 0: all.
   */
  int64_t most;
  /** Of the random numbers that the nodes of a model draw for these samples, when it is calibrated
   * or evaluated: by the seed, the contents of the sample and, where chunks of it are runs, their
   *  numbers. The samples do not depend on it. */
  uint64_t seed;
  void *reserved[1]; /* for later versions; NULL */
} tare_dataset_options;

/** One sample. It belongs to the data set and is valid until the next call for that data set. */
typedef struct tare_sample {
  const char
      *name;     /* file name, "<file>[<index>]" or "<file> from 1.5 s", for messages and reports */
  int64_t index; /* position in the data, including bad samples */
  /** One tensor per port, in the order and of the type of the ports. The rank is that of the data:
   * that of the port, or without the batch dim one less. */
  const tare_tensor *tensors;
  const tare_tensor *label; /* int64, float32 or float64 tensor as stored; int64 or float64 for CSV
                               labels that consist of numbers; or NULL */
  const char *label_text;   /* text of a CSV label; or NULL */
  int level;                /* 0 .. tare_dataset_n_levels - 1 */
  double gain_db;           /* of the level; 0: the sample as it is, which comes first */
  void *reserved[4];        /* for later versions */
} tare_sample;

/** A choice of some of the samples of data. Numbers that are 0 choose all. */
typedef struct tare_choice {
  int64_t samples; /* so many of all */
  int64_t quota;   /* at most so many of each profile, before `samples` */
  /** Choose `samples` of all lengths: one from each of as many groups that follow each other by
   *  length, and are equally large. */
  bool by_length;
  uint64_t seed;     /* another one chooses other samples */
  void *reserved[8]; /* for later versions; NULL */
} tare_choice;

/** A kind of data that tare_dataset_open accepts. */
typedef struct tare_data_kind {
  const char *noun; /* "an HDF5 file", "a recording", "a manifest", "a folder" ... */
  bool tensors;     /* contains tensors, whose meaning only the inputs of a model determine */
  bool json;        /* JSON, as which tables of calibration are written, too */
} tare_data_kind;

/**
 * Determines the kind of data from a name, by its extension.
 * @param path a path that need not exist
 * @return a static object, or NULL if the name is not that of data
 */
TARE_API const tare_data_kind *tare_data_kind_named(const char *path);

/**
 * Determines the kind of a folder or file: by its extension, or if that is not one of data, by its
 * first bytes.
 * @param path the folder or file
 * @return a static object, or NULL if it is not recognised as data
 */
TARE_API const tare_data_kind *tare_data_kind_of(const char *path);

/** Sets the options to the defaults: everything zero. */
TARE_API void tare_dataset_options_init(tare_dataset_options *options);

/**
 * Opens data. A path can be an HDF5 file (.h5, .hdf5), a NumPy archive or array (.npz, .npy), a tar
 * shard (.tar, .tar.gz, .tar.zst, ...), a Kaldi archive (.ark), an audio file (WAV, FLAC, OGG, MP3,
 * AIFF, AU, SPHERE), a CSV or TSV manifest with a "path" column, a JSON Lines manifest (.jsonl,
 * .json), a Kaldi script file or segments, a text file with one path per line (.txt, .lst), or a
 * folder, which is read with its sub-folders, or as the manifest that it contains. With a
 * tokenizer, .txt, .csv, .tsv and .jsonl files hold texts instead. docs/datasets.md has the
 * details.
 * @param paths n_paths paths, read one after the other
 * @param options ports and options, which are not kept
 * @param out receives the data set; free it with tare_dataset_close
 * @return TARE_OK, TARE_E_INPUT (missing or malformed file, no samples, unrecognised layout),
 *         TARE_E_USAGE (options that do not match the data), TARE_E_LIMIT, TARE_E_MEMORY
 */
TARE_API tare_status tare_dataset_open(const char *const *paths, int n_paths,
                                       const tare_dataset_options *options, tare_dataset **out,
                                       tare_error *err);

/**
 * Closes a data set and frees it with its last sample.
 * @param dataset the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_dataset_close(tare_dataset **dataset);

/** Number of samples, including bad ones: with shards those of the shard. Each counts once, at
 *  however many levels it is given. -1 if only the end of a feed tells (tare/feed.h). */
TARE_API int64_t tare_dataset_count(const tare_dataset *dataset);

/** Name of an option that was given, but that none of the files heeds: "rows" without NumPy arrays,
 *  "map" (mappings) without arrays that have names, "tokenizer" without texts. NULL: there is none.
 */
TARE_API const char *tare_dataset_unheeded(const tare_dataset *dataset);

/** Hash of the number of samples and of the names of the files, without their folders, which differ
 *  between machines: processes that share data compare it. */
TARE_API uint64_t tare_dataset_hash(const tare_dataset *dataset);

/** Number of levels at which each sample is given: 1 without a gain range. */
TARE_API int tare_dataset_n_levels(const tare_dataset *dataset);

/** Gain of a level in decibels, ascending. */
TARE_API double tare_dataset_level_db(const tare_dataset *dataset, int level);

/** The gain range with all its numbers, "-20:+20:10dB"; "" without one. */
TARE_API const char *tare_dataset_gain_range(const tare_dataset *dataset);

/**
 * Returns the next sample. With a gain range, each sample is returned once for each level.
 * @param out receives the sample, or NULL at the end
 * @return TARE_OK, TARE_E_INPUT (a bad sample, which the message names; never with skip_bad),
 *         TARE_E_MEMORY
 */
TARE_API tare_status tare_dataset_next(tare_dataset *dataset, const tare_sample **out,
                                       tare_error *err);

/**
 * Reports that a sample of the data set cannot be used, for instance because the model rejects it.
 * With skip_bad, it counts as a bad sample from now on, once for all its levels.
 * @param index the index of the tare_sample
 * @param why what is wrong with it; not NULL
 * @return TARE_OK if the sample is to be skipped. Otherwise the status of `why`, with its message
 *         and the name of the sample in `err`: without skip_bad, or if that status is neither
 *         TARE_E_INPUT nor TARE_E_SHAPE. TARE_E_MEMORY
 */
TARE_API tare_status tare_dataset_refuse(tare_dataset *dataset, int64_t index,
                                         const tare_error *why, tare_error *err);

/**
 * Starts again at the first sample, and forgets the bad samples and rates seen so far.
 * @return TARE_OK
 */
TARE_API tare_status tare_dataset_rewind(tare_dataset *dataset, tare_error *err);

/**
 * Starts again at the first sample. Until the next tare_dataset_rewind, samples are only meant to
 * be asked for their dims: audio is decoded and checked, but not resampled or turned into features,
 * which takes most of the time, and the tensor that it feeds has unspecified contents. All other
 * tensors have their usual contents. With shards, the samples are those of all shards, so that what
 * follows from them is the same for each.
 * @return TARE_OK
 */
TARE_API tare_status tare_dataset_rewind_for_dims(tare_dataset *dataset, tare_error *err);

/**
 * Has each sample checked from now on. One that fails is a bad sample.
 * @param check called on the thread of tare_dataset_next; NULL: none
 */
TARE_API void tare_dataset_set_check(tare_dataset *dataset, tare_sample_check check, void *user);

/**
 * Leaves out samples that no profile covers, from now on.
 * @param profiles of the inputs of the data set; copied. NULL: all samples stay
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_dataset_set_profiles(tare_dataset *dataset, const tare_profiles *profiles,
                                               tare_error *err);

/** Number of samples that were left out since the data set was opened or rewound, each once at
 *  however many levels it would be given. They are no bad samples. */
typedef struct tare_left_out {
  int64_t shorter, longer; /* than the option `lengths` allows */
  int64_t outside;         /* of all profiles of tare_dataset_set_profiles */
  void *reserved[2];       /* for later versions */
} tare_left_out;

/** What was left out so far. */
TARE_API tare_left_out tare_dataset_left_out(const tare_dataset *dataset);

/** The bounds of the option `lengths`, "S=400", "0.5s" or "S=400,T=20"; "" without any.
 *  @param maxima the largest lengths, otherwise the smallest */
TARE_API const char *tare_dataset_length_bounds(const tare_dataset *dataset, bool maxima);

/** Number of samples skipped since the data set was opened or rewound. */
TARE_API int64_t tare_dataset_n_bad(const tare_dataset *dataset);

/**
 * Message of a skipped sample.
 * @param i 0 .. tare_dataset_n_bad - 1, in the order of the data
 * @return the message, or NULL if i is out of range or 1000 or more: only the first 1000 are kept
 */
TARE_API const char *tare_dataset_bad(const tare_dataset *dataset, int64_t i);

/**
 * Number of labels that are an empty text in a manifest or table, among all samples of the data set
 * (of all shards); 0 if no labels are read. A metric of texts takes them for silence.
 */
TARE_API int64_t tare_dataset_n_empty_labels(const tare_dataset *dataset);

/**
 * Range of the sampling rates of the audio read since the data set was opened or rewound, after
 * resampling. If the rates differ, the option `rate` is probably missing.
 * @param least,most receive the rates in Hz; both 0 if there was no audio
 */
TARE_API void tare_dataset_rates(const tare_dataset *dataset, int *least, int *most);

/** Whether some of the data is audio, so that the option `rate` has an effect. */
TARE_API bool tare_dataset_has_audio(const tare_dataset *dataset);

/** One line that describes what was detected, e.g. "HDF5 vlen data sets, 200 samples". */
TARE_API const char *tare_dataset_describe(const tare_dataset *dataset);

#ifdef __cplusplus
}
#endif
#endif
