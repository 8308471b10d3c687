/*
 * Feeds: samples that the program itself supplies, as a data set. Whatever takes a tare_dataset
 * takes them too.
 */
#ifndef TARE_FEED_H
#define TARE_FEED_H

#include <tare/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One sample, as tare_feed.next supplies it. Its memory belongs to the program, and is not used
 *  after the next call for the feed. */
typedef struct tare_fed_sample {
  /** One tensor for each of tare_dataset_options.inputs, in their order; NULL: there are no more
   *  samples. Numbers of any element type, which are converted to that of the input and checked as
   *  those of files are. The rank is that of the input, or without the batch dim one less. */
  const tare_tensor *tensors;
  const tare_tensor *label; /* numbers of any element type and rank; NULL: none */
  const char *label_text;   /* a label as text, which may consist of numbers; NULL: none */
  void *reserved[4];        /* for later versions; NULL, or the feed fails with TARE_E_USAGE */
} tare_fed_sample;

/** Where samples come from. The functions are called by one thread at a time, but not always by the
 *  same one, and hardly ever by the thread that uses the data set: samples are read ahead. They may
 *  wait, and must not use the data set. */
typedef struct tare_feed {
  const char *name; /* of the data, for messages: samples are "name[0]", "name[1]", ... */
  int64_t count;    /* number of samples; -1: only their end tells */
  /**
   * Supplies the next sample.
   * @param out is zeroed; receives the sample, or stays zeroed at the end
   * @param err receives why there is no sample
   * @return TARE_OK; TARE_E_INPUT or TARE_E_SHAPE for a bad sample, behind which others follow;
   * with another error the feed is not asked again. TARE_E_CHECK ends a calibration as its progress
   * function does, with a checkpoint
   */
  tare_status (*next)(void *user, tare_fed_sample *out, tare_error *err);
  /**
   * Begins again at the first sample, with the same samples. Called before `next` if samples have
   * been taken before. NULL: samples can be taken once, and what needs them twice fails.
   * @return TARE_OK, or an error, after which the feed is not asked again
   */
  tare_status (*rewind)(void *user, tare_error *err);
  void *user;        /* passed to both */
  void *reserved[8]; /* for later versions; NULL */
} tare_feed;

/**
 * Opens a feed as a data set.
 * @param feed is copied; what `user` points to must outlive the data set
 * @param options as for tare_dataset_open; those that say how files are read have no effect
 * @param out receives the data set; free it with tare_dataset_close
 * @return TARE_OK, TARE_E_USAGE (feed or options with something in their room for later versions;
 * `wants` where `count` is -1), TARE_E_INPUT (`count` is 0), TARE_E_MEMORY
 */
TARE_API tare_status tare_dataset_open_feed(const tare_feed *feed,
                                            const tare_dataset_options *options, tare_dataset **out,
                                            tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
