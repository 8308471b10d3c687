/* Samples of a feed, converted as those of files are. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "datasets/convert.h"
#include "datasets/feed.h"
#include "datasets/labels/label.h"
#include "datasets/port_shape.h"
#include "shapes/number.h"

static bool recognises_none(const char *const path) {
  (void)path;
  return false;
}

/* The state is the feed itself: what is opened again goes on where it was, or begins again. */
static tare_status feed_open(const char *const path, const tarei_data_spec *const spec,
                             const bool labels, void **const state, tare_error *const err) {
  (void)path, (void)labels, (void)err;
  spec->feed->begins_again = spec->feed->taken > 0;
  *state = (void *)spec;
  return TARE_OK;
}

static int64_t feed_count(const void *const state) {
  return ((const tarei_data_spec *)state)->feed->source.count;
}

static const char *feed_describe(const void *const state) {
  (void)state;
  return "samples of the program";
}

static void feed_close(void *const state) {
  (void)state; /* the spec frees its feed */
}

/* --- the course of the feed ------------------------------------------------------------------- */

static void feed_fail(tarei_feed *const f, const tare_status status) {
  f->failed = true;
  f->fault.status = status;
}

static void feed_begin_again(tarei_feed *const f) {
  f->begins_again = f->ended = false;
  f->taken = 0;
  f->sample = (tare_fed_sample){0};
  f->fault = (tare_error){0};
  const tare_status status =
      f->source.rewind ? f->source.rewind(f->source.user, &f->fault)
                       : tarei_fail(&f->fault, TARE_E_USAGE,
                                    "%s: the samples are needed again, but can be taken only once",
                                    f->source.name);
  if (status != TARE_OK) {
    feed_fail(f, status);
  }
}

static void feed_advance(tarei_feed *const f) {
  f->sample = (tare_fed_sample){0};
  f->fault = (tare_error){0};
  tare_fed_sample *const sample = &f->sample;
  const tare_status status = f->source.next(f->source.user, sample, &f->fault);
  f->ended = status == TARE_OK && !sample->tensors;
  f->taken += !f->ended;
  f->fault.status = status;
  if (status != TARE_OK && status != TARE_E_INPUT && status != TARE_E_SHAPE) {
    feed_fail(f, status);
  } else if (TAREI_CHECK_RESERVED(tare_fed_sample, sample, &f->fault) != TARE_OK) {
    feed_fail(f, TARE_E_USAGE);
  }
  if (f->ended && f->taken < f->source.count) {
    feed_fail(f, tarei_fail(&f->fault, TARE_E_INPUT,
                            "%s: ends after %" PRId64 " samples, expected %" PRId64, f->source.name,
                            f->taken, f->source.count));
  }
}

/* --- tensors ---------------------------------------------------------------------------------- */

/* What elements widen to, as those of files do. */
static tarei_number feed_number(const tare_dtype dtype) {
  return dtype == TARE_F32       ? TAREI_NUMBER_F32
         : dtype == TARE_U64     ? TAREI_NUMBER_U64
         : tarei_is_float(dtype) ? TAREI_NUMBER_F64
                                 : TAREI_NUMBER_I64;
}

static void feed_widen(const tare_tensor *const from, const int64_t count, void *const out) {
  const bool real = tarei_is_float(from->dtype);
  for (int64_t i = 0; i < count; i++) {
    if (real) {
      ((double *)out)[i] = tarei_real_at(from, i);
    } else {
      ((int64_t *)out)[i] = tarei_integer_at(from, i);
    }
  }
}

static tare_status feed_convert(const tare_tensor *const from, const int64_t count,
                                tare_tensor *const to, tare_error *const err) {
  const tarei_number number = feed_number(from->dtype);
  if (from->dtype == to->dtype && !tarei_is_float(from->dtype) && from->dtype != TARE_BOOL) {
    memcpy(to->data, from->data, (size_t)count * tare_dtype_size(from->dtype));
    return TARE_OK;
  }
  if (tarei_number_is(number, from->dtype)) {
    return tarei_convert(number, from->data, count, to->dtype, to->data, err);
  }
  void *const wide = tarei_alloc_aligned((size_t)count, tarei_number_size(number));
  if (!wide) {
    return tarei_fail_memory(err, "sample", (size_t)count * tarei_number_size(number));
  }
  feed_widen(from, count, wide);
  const tare_status status = tarei_convert(number, wide, count, to->dtype, to->data, err);
  free(wide);
  return status;
}

static tare_status check_fed(const tare_tensor *const t, tare_error *const err) {
  if (tare_dtype_size(t->dtype) == 0) {
    return tarei_fail(err, TARE_E_INPUT, "element type %d is not one of tare_dtype", (int)t->dtype);
  }
  if (t->rank < 0 || t->rank > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_INPUT, "has rank %d, the limit is %d", t->rank, TARE_MAX_RANK);
  }
  for (int d = 0; d < t->rank; d++) {
    if (t->dims[d] < 0) {
      return tarei_fail(err, TARE_E_INPUT, "dim %d is %" PRId64 ", below 0", d, t->dims[d]);
    }
  }
  return t->data || tare_tensor_count(t) == 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "has elements, but no data");
}

static tare_status feed_fill_tensor(const tarei_data_spec *const spec,
                                    const tare_tensor *const from, tare_tensor *const to,
                                    tarei_slot *const out, tare_error *const err) {
  TAREI_TRY(tarei_slot_allocate(out, to, spec->limits.elements, err));
  return feed_convert(from, tare_tensor_count(to), to, err);
}

static tare_status feed_take_input(const tarei_data_spec *const spec, const int i,
                                   tarei_slot *const out, tare_error *const err) {
  const tare_tensor *const from = &spec->feed->sample.tensors[i];
  tare_tensor *const to = &out->tensors[i];
  tare_status status = check_fed(from, err);
  if (status == TARE_OK) {
    status = tarei_port_shape(&spec->inputs[i], from->rank, from->dims, to, err);
  }
  if (status == TARE_OK) {
    status = feed_fill_tensor(spec, from, to, out, err);
  }
  return status == TARE_OK ? TARE_OK
                           : tarei_fail_in(err, status, "input '%s'", spec->inputs[i].name);
}

/* Labels keep their shape. */
static tare_status feed_take_label(const tarei_data_spec *const spec, tarei_slot *const out,
                                   tare_error *const err) {
  const tare_tensor *const from = spec->feed->sample.label;
  if (!from) {
    return TARE_OK;
  }
  tare_status status = check_fed(from, err);
  if (status == TARE_OK) {
    out->label =
        (tare_tensor){.dtype = tarei_number_label(feed_number(from->dtype)), .rank = from->rank};
    memcpy(out->label.dims, from->dims, (size_t)from->rank * sizeof *from->dims);
    status = feed_fill_tensor(spec, from, &out->label, out, err);
  }
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "label");
}

static tare_status feed_take_text(const tarei_feed *const f, tarei_slot *const out,
                                  tare_error *const err) {
  const char *const text = f->sample.label_text;
  out->label_text = text ? tarei_strdup(text) : NULL;
  if (text && !out->label_text) {
    return tarei_fail_memory(err, "label", strlen(text));
  }
  return text ? tarei_label_from_text(out, err) : TARE_OK;
}

static tare_status feed_take_sample(const tarei_data_spec *const spec, tarei_slot *const out,
                                    tare_error *const err) {
  for (int i = 0; i < spec->n_inputs; i++) {
    TAREI_TRY(feed_take_input(spec, i, out, err));
  }
  TAREI_TRY(feed_take_text(spec->feed, out, err));
  return feed_take_label(spec, out, err);
}

/* Samples before i belong to others, and are passed over. That of i may have been taken already,
 * for another level of its gain. */
static tare_status feed_read(void *const state, const int64_t i, tarei_slot *const out,
                             tare_error *const err) {
  const tarei_data_spec *const spec = state;
  tarei_feed *const f = spec->feed;
  if (f->begins_again && !f->failed) {
    feed_begin_again(f);
  }
  while (f->taken <= i && !f->ended && !f->failed) {
    feed_advance(f);
  }
  out->fatal = f->failed;
  out->ended = f->ended && !f->failed;
  if (f->fault.status != TARE_OK) {
    return tarei_fail(err, f->fault.status, "%s", f->fault.message);
  }
  return f->ended ? TARE_OK : feed_take_sample(spec, out, err);
}

static const char *const NO_EXTENSIONS[] = {NULL};

const tarei_reader_ops tarei_reader_feed = {
    .name = "feed",
    .kind = {"a feed", true},
    .extensions = NO_EXTENSIONS,
    .many = true,
    .labels = true,
    .heeds = TAREI_HEEDS_ALL,
    .recognises = recognises_none,
    .open = feed_open,
    .count = feed_count,
    .describe = feed_describe,
    .read = feed_read,
    .close = feed_close,
};
