#include "datasets/audio/decode.h"

#include <math.h>

#include "base/mem.h"
#include "datasets/audio/audio_file.h"
#include "datasets/audio/container.h"

enum { BLOCK_VALUES = 1 << 14 };
enum { OVERSHOOT_PARTS = 2, ROUNDED_PARTS = 100 }; /* of a second, at the end of a recording */

/* The frames that are wanted. */
typedef struct decode_window {
  int64_t first, count; /* count -1: up to the end */
} decode_window;

static tare_status decode_reserve(tarei_mono *const m, const int64_t more, tare_error *const err) {
  while (m->capacity < (size_t)(m->n + more)) {
    if (!TAREI_GROW(m->frames, m->capacity, m->capacity)) {
      return tarei_fail_memory(err, "audio", m->capacity * 2 * sizeof *m->frames);
    }
  }
  return TARE_OK;
}

/* One channel, counted from 1; 0: means over channels, as sums that begin at 0: there is no -0
 * among them. */
static void mix_channels(const float *const in, const int64_t n, const int channels,
                         const int channel, float *const out) {
  const int from = channels > 1 && channel ? channel - 1 : 0;
  for (int64_t i = 0; (channels == 1 || channel) && i < n; i++) {
    out[i] = in[i * channels + from] + 0.0f;
  }
  for (int64_t i = 0; channels > 1 && !channel && i < n; i++) {
    double sum = 0;
    for (int c = 0; c < channels; c++) {
      sum += (double)in[i * channels + c];
    }
    out[i] = (float)(sum / channels);
  }
}

static bool length_is_known(const int64_t frames) {
  return frames != SF_COUNT_MAX;
}

static tare_status decode_check_info(const SF_INFO *const info, const tarei_decode *const decode,
                                     tare_error *const err) {
  if (info->samplerate < 1) {
    return tarei_fail(err, TARE_E_INPUT, "has a sample rate of %d Hz", info->samplerate);
  }
  if (info->channels < 1 || info->channels > BLOCK_VALUES) {
    return tarei_fail(err, TARE_E_INPUT, "has %d channels", info->channels);
  }
  if (decode->segment.channel > info->channels) {
    return tarei_fail(err, TARE_E_INPUT, "has %d channel%s: there is no channel %d", info->channels,
                      info->channels == 1 ? "" : "s", decode->segment.channel);
  }
  if (!decode->segment.cut && length_is_known(info->frames) && info->frames > decode->max_frames) {
    return tarei_fail(err, TARE_E_INPUT,
                      "has %lld frames, more than the %lld that max-elements allows",
                      (long long)info->frames, (long long)decode->max_frames);
  }
  return TARE_OK;
}

static tare_status fail_beyond(const tarei_segment *const segment, const int64_t frames,
                               const int rate, tare_error *const err) {
  const double seconds = (double)frames / rate;
  return segment->length > 0
             ? tarei_fail(err, TARE_E_INPUT,
                          "the part from %g s to %g s is beyond the end of the recording at %g s",
                          segment->start, segment->start + segment->length, seconds)
             : tarei_fail(err, TARE_E_INPUT,
                          "the part from %g s is beyond the end of the recording at %g s",
                          segment->start, seconds);
}

/* An end up to half a second after that of the recording means the latter, as with Kaldi. */
static tare_status find_window(const tarei_segment *const segment, const SF_INFO *const info,
                               decode_window *const out, tare_error *const err) {
  const int rate = info->samplerate;
  *out = (decode_window){0, -1};
  if (!segment->cut) {
    return TARE_OK;
  }
  out->first = llround(segment->start * rate);
  if (segment->length > 0) {
    out->count = llround(segment->length * rate);
  }
  if (!length_is_known(info->frames)) {
    return TARE_OK;
  }
  const int64_t rest = info->frames - out->first;
  if (rest < 1 || out->count - rest > rate / OVERSHOOT_PARTS) {
    return fail_beyond(segment, info->frames, rate, err);
  }
  if (out->count > rest || (segment->rounded && rest - out->count <= rate / ROUNDED_PARTS)) {
    out->count = -1;
  }
  return TARE_OK;
}

static bool seeks_exactly(const SF_INFO *const info) {
  const int format = info->format & SF_FORMAT_TYPEMASK;
  return info->seekable && (format == SF_FORMAT_WAV || format == SF_FORMAT_FLAC ||
                            format == SF_FORMAT_AIFF || format == SF_FORMAT_W64);
}

static tare_status decode_skip(SNDFILE *const file, const SF_INFO *const info, const int64_t frames,
                               tare_error *const err) {
  float block[BLOCK_VALUES];
  int64_t left = frames;
  if (left && seeks_exactly(info)) {
    return sf_seek(file, left, SEEK_SET) == left
               ? TARE_OK
               : tarei_fail(err, TARE_E_INPUT, "cannot go to frame %lld: %s", (long long)frames,
                            sf_strerror(file));
  }
  while (left > 0) {
    const sf_count_t step = BLOCK_VALUES / info->channels;
    const sf_count_t n = sf_readf_float(file, block, left < step ? left : step);
    if (n <= 0) {
      return tarei_fail(err, TARE_E_INPUT, "ends at frame %lld: the part begins at frame %lld",
                        (long long)(frames - left), (long long)frames);
    }
    left -= n;
  }
  return TARE_OK;
}

/* Reads to the end in blocks: the length in the header is a promise, not a size to allocate. One
 * channel is read to where it stays. */
static tare_status decode_read(SNDFILE *const file, const SF_INFO *const info, const int64_t count,
                               const tarei_decode *const decode, tarei_mono *const out,
                               tare_error *const err) {
  float block[BLOCK_VALUES];
  const sf_count_t step = BLOCK_VALUES / info->channels;
  while (out->n != count) {
    TAREI_TRY(decode_reserve(out, step, err));
    float *const to = out->frames + out->n;
    float *const read = info->channels == 1 ? to : block;
    const bool last = count >= 0 && count - out->n < step;
    const sf_count_t n = sf_readf_float(file, read, last ? count - out->n : step);
    if (n <= 0) {
      break;
    }
    mix_channels(read, n, info->channels, decode->segment.channel, to);
    out->n += n;
    if (out->n > decode->max_frames) {
      return tarei_fail(err, TARE_E_INPUT, "has more frames than the %lld that max-elements allows",
                        (long long)decode->max_frames);
    }
  }
  if (sf_error(file) != SF_ERR_NO_ERROR) {
    return tarei_fail(err, TARE_E_INPUT, "cannot read past frame %lld: %s", (long long)out->n,
                      sf_strerror(file));
  }
  return TARE_OK;
}

/* Frames that the header declares and the file does not have. */
static tare_status decode_check_end(const SF_INFO *const info, const decode_window *const w,
                                    const tarei_mono *const m, tare_error *const err) {
  const int64_t end = w->first + m->n;
  if (length_is_known(info->frames) && end < (w->count < 0 ? info->frames : w->first + w->count)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "truncated: the header declares %lld frames, the file has %lld",
                      (long long)info->frames, (long long)end);
  }
  return m->n ? TARE_OK : tarei_fail(err, TARE_E_INPUT, "is empty (0 frames)");
}

static tare_status decode_opened(const tarei_audio_file *const file,
                                 const tarei_decode *const decode, tarei_mono *const out,
                                 tare_error *const err) {
  const SF_INFO *const info = &file->info;
  decode_window w;
  TAREI_TRY(decode_check_info(info, decode, err));
  TAREI_TRY(find_window(&decode->segment, info, &w, err));
  TAREI_TRY(decode_skip(file->sound, info, w.first, err));
  TAREI_TRY(decode_read(file->sound, info, w.count, decode, out, err));
  TAREI_TRY(tarei_audio_file_check(file, err));
  return decode_check_end(info, &w, out, err);
}

tare_status tarei_decode_recording(const tarei_decode *const decode, int *const rate,
                                   tarei_mono *const out, tare_error *const err) {
  tarei_audio_file file;
  if (decode->memory) {
    TAREI_TRY(tarei_container_check(decode->memory, err));
    TAREI_TRY(tarei_audio_file_open_memory(decode->memory, &file, err));
  } else {
    TAREI_TRY(tarei_container_check_file(decode->path, err));
    TAREI_TRY(tarei_audio_file_open(decode->path, &file, err));
  }
  const tare_status status = tarei_audio_file_judge(decode_opened(&file, decode, out, err), err);
  *rate = file.info.samplerate;
  tarei_audio_file_close(&file);
  return status;
}
