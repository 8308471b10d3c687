/* Decodes recordings, resamples them and computes features. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/harness.h"

static const char *audio_name(const uint8_t *const data, const size_t size) {
  static const struct {
    const char *mark, *name;
  } names[] = {{"RIFF", "data.wav"}, {"RF64", "data.wav"},  {"fLaC", "data.flac"},
               {"OggS", "data.ogg"}, {"FORM", "data.aiff"}, {".snd", "data.au"},
               {"NIST", "data.sph"}, {"riff", "data.w64"},  {"caff", "data.caf"},
               {"Crea", "data.voc"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (size >= 4 && memcmp(data, names[i].mark, 4) == 0) {
      return names[i].name;
    }
  }
  return "data.mp3";
}

static int audio_test(const uint8_t *const data, const size_t size) {
  static const tare_port ports[] = {
      {.name = "audio", .dtype = TARE_F32, .rank = 2, .dims = {{-1, "batch"}, {-1, "n"}}},
      {.name = "mel",
       .dtype = TARE_F32,
       .rank = 3,
       .dims = {{-1, "batch"}, {80, NULL}, {-1, "n"}}}};
  const uint64_t choices = fuzz_hash(data, size);
  const bool features = (choices >> 1) % 4 == 0;
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = &ports[features];
  options.n_inputs = 1;
  options.rate = (choices >> 3) & 1 ? 16000 : 0;
  options.channel = (choices >> 4) % 4 == 0 ? 2 : 0;
  options.features = features ? "whisper" : NULL;
  options.gain_range = (choices >> 6) % 4 == 0 ? "-20:+20dB" : NULL;
  fuzz_read_data(fuzz_file(audio_name(data, size), data, size), &options, choices);
  return 0;
}

/* The smallest AIFF, RF64, AU, SPHERE, W64, CAF and VOC files. */
static void audio_make(fuzz_take_fn *const take, void *const user) {
  static const char aiff[] =
      "FORM\0\0\0\x36"
      "AIFFCOMM\0\0\0\x12\0\1\0\0\0\4\0\x10\x40\x0b\xfa\0\0\0\0\0\0\0"
      "SSND\0\0\0\x10\0\0\0\0\0\0\0\0\0\1\0\2\0\3\0\4";
  static const char rf64[] =
      "RF64\xff\xff\xff\xff"
      "WAVEds64\x1c\0\0\0\x50\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0"
      "\0\0\0\0fmt "
      "\x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\xff\xff\xff\xff\1\0\2\0\3\0\4\0";
  static const char au[] = ".snd\0\0\0\x18\0\0\0\x08\0\0\0\3\0\0\x1f\x40\0\0\0\1\0\1\0\2\0\3\0\4";
  static const char sphere[1024 + 8] =
      "NIST_1A\n   1024\nchannel_count -i 1\nsample_rate -i 8000\nsample_n_bytes -i 2\n"
      "sample_byte_format -s2 01\nsample_sig_bits -i 16\nsample_coding -s3 pcm\n"
      "sample_count -i 4\nend_head\n";
  static const char w64[] =
      "riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0\x78\0\0\0\0\0\0\0"
      "wave\xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a"
      "fmt \xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a\x28\0\0\0\0\0\0\0"
      "\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
      "data\xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a\x20\0\0\0\0\0\0\0"
      "\1\0\2\0\3\0\4";
  static const char caf[] =
      "caff\0\1\0\0"
      "desc\0\0\0\0\0\0\0\x20\x40\xbf\x40\0\0\0\0\0lpcm\0\0\0\0\0\0\0\2\0\0\0\1\0\0\0\1\0\0\0\x10"
      "data\0\0\0\0\0\0\0\x0c\0\0\0\0\0\1\0\2\0\3\0\4";
  static const char voc[] =
      "Creative Voice File\x1a\x1a\0\x14\1\x1f\x11"
      "\x09\x14\0\0\x40\x1f\0\0\x10\1\4\0\0\0\0\0\1\0\2\0\3\0\4\0";
  take(user, au, sizeof au - 1);
  take(user, w64, sizeof w64);
  take(user, caf, sizeof caf - 1);
  take(user, voc, sizeof voc);
  take(user, sphere, sizeof sphere);
  take(user, aiff, sizeof aiff - 1);
  take(user, rf64, sizeof rf64 - 1);
}

static const char *const audio_seeds[] = {"tests/fixtures/archives/*.wav",
                                          "examples/digits-conv/calib/0010.flac",
                                          "examples/digits-conv/calib/0013.ogg", NULL};

static const char *const audio_words[] = {
    "RIFF", "RF64", "WAVE", "fmt ", "data", "ds64", "fact", "LIST",
    "fLaC", "OggS", "FORM", "AIFF", "COMM", "SSND", ".snd", "sample_count -i 4",
    "caff", "desc", "lpcm", NULL};

const fuzz_target fuzz_target_audio = {.name = "audio",
                                       .seeds = audio_seeds,
                                       .make = audio_make,
                                       .test = audio_test,
                                       .words = audio_words};
