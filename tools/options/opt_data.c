#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/families.h"
#include "tools/options/judge.h"
#include "tools/options/options.h"

enum {
  OPT_RATE = KEYS_DATA,
  OPT_CHANNEL,
  OPT_FEATURES,
  OPT_GAIN_RANGE,
  OPT_WAVEFORM,
  OPT_LABELS,
  OPT_MAP,
  OPT_ROWS,
  OPT_SKIP_BAD,
  OPT_LIMIT,
  OPT_MIN_LENGTH,
  OPT_MAX_LENGTH,
  OPT_TOKENIZER,
  OPT_TEXT,
  OPT_TEXT_PAIR,
  OPT_TEXT_FILES,
  OPT_MAX_TOKENS,
  OPT_SPECIAL_TOKENS
};

enum { MOST_CHANNELS = 1024 }; /* as in libsndfile */

static const struct argp_option OPTIONS[] = {
    {"rate", OPT_RATE, "HZ", 0, "Resample audio to this rate (default: each file's own)", 0},
    {"channel", OPT_CHANNEL, "N|mix", 0,
     "Take channel N of audio, counted from 1, or the mean of all channels (default)", 0},
    {"features", OPT_FEATURES, "PRESET[,KEY=VALUE...]", 0,
     "Feed log-mel features of the audio: ", 0},
    {"gain-range", OPT_GAIN_RANGE, "LOW:HIGH[:STEP]dB", 0,
     "Take each sample at several levels: its own, LOW and HIGH, and those between in steps of "
     "STEP (default 10), e.g. -20:+20dB",
     0},
    {"waveform", OPT_WAVEFORM, "INPUT", 0,
     "Apply --gain-range to INPUT of data that are not audio files; repeat for more", 0},
    {"labels", OPT_LABELS, "NAME", 0,
     "HDF5 data set, NumPy array, CSV column, JSON key, tar member or Kaldi table with the labels",
     0},
    {"map", OPT_MAP, "INPUT=PATH", 0,
     "Read INPUT from PATH in an HDF5 file or an .npz, optionally with :offsets=PATH or "
     ":lengths=PATH, e.g. input_ids=/tok/values:offsets=/tok/offsets",
     0},
    {"rows", OPT_ROWS, NULL, 0,
     "The first axis of .npy and .npz arrays counts samples (default: only if nothing else fits)",
     0},
    {"skip-bad", OPT_SKIP_BAD, NULL, 0, "Skip and list bad samples instead of failing", 0},
    {"tokenizer", OPT_TOKENIZER, "FILE", 0,
     "Read texts (.txt, .csv, .tsv, .jsonl) through a tokenizer.json or a SentencePiece .model", 0},
    {"text", OPT_TEXT, "NAME", 0, "Column or key of the texts (default: text)", 0},
    {"text-pair", OPT_TEXT_PAIR, "NAME", 0, "Column or key of second texts, for pairs", 0},
    {"text-files", OPT_TEXT_FILES, NULL, 0, "Each .txt file is one sample (default: each line)", 0},
    {"max-tokens", OPT_MAX_TOKENS, "N", 0,
     "Cut texts at N tokens, with special ones (default: as the tokenizer says)", 0},
    {"special-tokens", OPT_SPECIAL_TOKENS, "bos|eos|bos:eos", 0,
     "Special tokens that a SentencePiece .model adds (default: none)", 0},
    {"limit", OPT_LIMIT, "N", 0, "Use at most N samples", 0},
    {"min-length", OPT_MIN_LENGTH, "[SYMBOL=]N", 0,
     "Leave out samples in which SYMBOL is below N elements, before padding, cutting and --chunk; "
     "without it, the symbol that is no batch. Ns or Nms are seconds of audio, as in 0.5s; repeat "
     "for more symbols",
     0},
    {"max-length", OPT_MAX_LENGTH, "[SYMBOL=]N", 0,
     "Leave out samples in which SYMBOL is above N, as --min-length", 0},
    {0}};

/* "INPUT=PATH[:offsets=PATH|:lengths=PATH]", taken apart in place. */
static void take_map(opt_data *const o, char *const arg, const struct argp_state *const state) {
  char *const path = strchr(arg, '=');
  if (!path || path == arg || !path[1]) {
    argp_error(state, "--map: expected INPUT=PATH, got '%s'", arg);
    return;
  }
  *path = '\0';
  tare_mapping map = {.input = arg, .path = path + 1};
  char *const offsets = strstr(path + 1, ":offsets=");
  char *const lengths = strstr(path + 1, ":lengths=");
  if (offsets && lengths) {
    argp_error(state, "--map %s: offsets and lengths are mutually exclusive", arg);
  }
  if (offsets) {
    *offsets = '\0';
    map.offsets = offsets + strlen(":offsets=");
  }
  if (lengths) {
    *lengths = '\0';
    map.lengths = lengths + strlen(":lengths=");
  }
  o->maps = cli_realloc(o->maps, (size_t)o->n_maps + 1, sizeof *o->maps);
  o->maps[o->n_maps++] = map;
}

/* The bounds that an option is about: those of its symbol, or of seconds. */
static tare_length_bounds *data_bounds(opt_data *const o, const char *const symbol,
                                       const bool seconds) {
  for (int i = 0; i < o->n_lengths; i++) {
    tare_length_bounds *const b = &o->lengths[i];
    const bool is_seconds = b->min_seconds > 0 || b->max_seconds > 0;
    if (is_seconds == seconds && !b->symbol == !symbol &&
        (!symbol || strcmp(b->symbol, symbol) == 0)) {
      return b;
    }
  }
  o->lengths = cli_realloc(o->lengths, (size_t)o->n_lengths + 1, sizeof *o->lengths);
  o->lengths[o->n_lengths] = (tare_length_bounds){.symbol = symbol};
  return &o->lengths[o->n_lengths++];
}

/* Cuts a unit off the end of a number; what a second is in it, or 0. */
static double data_take_unit(char *const number) {
  static const struct {
    const char *name;
    double seconds;
  } UNITS[] = {{"ms", 1e-3}, {"s", 1}};
  for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
    if (cli_ends_with(number, UNITS[i].name)) {
      number[strlen(number) - strlen(UNITS[i].name)] = '\0';
      return UNITS[i].seconds;
    }
  }
  return 0;
}

/* "[SYMBOL=]N", "Ns" or "Nms", taken apart in place. */
static void take_bound(opt_data *const o, const bool is_max, char *const arg,
                       const struct argp_state *const state) {
  const char *const option = is_max ? "--max-length" : "--min-length";
  char *const equals = strrchr(arg, '=');
  char *const number = equals ? equals + 1 : arg;
  const double unit = data_take_unit(number);
  if (equals == arg || (equals && unit > 0)) {
    argp_error(state, "%s: expected [SYMBOL=]N or Ns, got '%s%s'", option, arg,
               unit > 0 ? "s" : "");
    return;
  }
  if (equals) {
    *equals = '\0';
  }
  if (unit > 0) {
    const double seconds = unit * cli_real(state, option, number, 1e-6, 1e9);
    tare_length_bounds *const b = data_bounds(o, NULL, true);
    *(is_max ? &b->max_seconds : &b->min_seconds) = seconds;
  } else {
    const int64_t n = cli_int(state, option, number, 1, INT64_MAX);
    tare_length_bounds *const b = data_bounds(o, equals ? arg : NULL, false);
    *(is_max ? &b->max : &b->min) = n;
  }
}

/* An option that only texts take, or NULL. */
static const char *data_texts(const opt_data *const o) {
  return o->text             ? "--text"
         : o->text_pair      ? "--text-pair"
         : o->text_files     ? "--text-files"
         : o->max_tokens     ? "--max-tokens"
         : o->special_tokens ? "--special-tokens"
                             : NULL;
}

static void note_given(opt_data *const o, const int key) {
  for (int i = 0; !o->given && OPTIONS[i].name; i++) {
    o->given = OPTIONS[i].key == key ? OPTIONS[i].name : NULL;
  }
}

/* What audio is made into. */
static error_t data_parse_audio(opt_data *const o, const int key, char *const arg,
                                const struct argp_state *const state) {
  const cli_family presets = family_presets();
  switch (key) {
    case OPT_RATE:
      o->rate = (int)cli_int(state, "--rate", arg, 1, 10000000);
      return 0;
    case OPT_CHANNEL:
      o->channel =
          strcmp(arg, "mix") == 0 ? 0 : (int)cli_int(state, "--channel", arg, 1, MOST_CHANNELS);
      return 0;
    case OPT_FEATURES:
      cli_offer(&presets, arg);
      o->features = arg;
      return 0;
    case OPT_GAIN_RANGE:
      o->gain_range = arg;
      return 0;
    case OPT_WAVEFORM:
      cli_list_add(&o->waveforms, arg);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

/* Texts, and how they become tokens. */
static error_t data_parse_text(opt_data *const o, const int key, char *const arg,
                               const struct argp_state *const state) {
  switch (key) {
    case OPT_TOKENIZER:
      o->tokenizer = arg;
      return 0;
    case OPT_TEXT:
      o->text = arg;
      return 0;
    case OPT_TEXT_PAIR:
      o->text_pair = arg;
      return 0;
    case OPT_TEXT_FILES:
      o->text_files = true;
      return 0;
    case OPT_MAX_TOKENS:
      o->max_tokens = cli_int(state, "--max-tokens", arg, 1, INT32_MAX);
      return 0;
    case OPT_SPECIAL_TOKENS:
      o->special_tokens = arg;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

/* Which samples there are, and what belongs to which input. */
static error_t data_parse_samples(opt_data *const o, const int key, char *const arg,
                                  const struct argp_state *const state) {
  switch (key) {
    case OPT_LABELS:
      o->labels = arg;
      return 0;
    case OPT_MAP:
      take_map(o, arg, state);
      return 0;
    case OPT_ROWS:
      o->rows = true;
      return 0;
    case OPT_SKIP_BAD:
      o->skip_bad = true;
      return 0;
    case OPT_LIMIT:
      o->limit = cli_int(state, "--limit", arg, 1, INT64_MAX);
      return 0;
    case OPT_MIN_LENGTH:
    case OPT_MAX_LENGTH:
      take_bound(o, key == OPT_MAX_LENGTH, arg, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static void data_check_complete(const opt_data *const o, const struct argp_state *const state) {
  if (!o->tokenizer && data_texts(o)) {
    argp_error(state, "%s needs --tokenizer", data_texts(o));
  }
  if (o->waveforms.n && !o->gain_range) {
    argp_error(state, "--waveform needs --gain-range");
  }
}

static error_t data_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_data *const o = state->input;
  note_given(o, key);
  if (key == ARGP_KEY_INIT) {
    o->judge = o->judge ? o->judge : cli_realloc(NULL, 1, sizeof *o->judge);
    *o->judge = (judge){.check = NULL};
    return 0;
  }
  if (key == ARGP_KEY_END) {
    data_check_complete(o, state);
    return 0;
  }
  error_t result = data_parse_audio(o, key, arg, state);
  result = result == ARGP_ERR_UNKNOWN ? data_parse_text(o, key, arg, state) : result;
  return result == ARGP_ERR_UNKNOWN ? data_parse_samples(o, key, arg, state) : result;
}

static char *data_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family presets = family_presets();
  return key != OPT_FEATURES ? (char *)text /* as it is */
                             : cli_append(family_help(text, &presets),
                                          ", e.g. %s,mels=128 (see tare(1))", presets.name(0));
}

const struct argp opt_data_argp = {
    .options = OPTIONS, .parser = data_parse, .help_filter = data_help};

void opt_data_fini(opt_data *const options) {
  free(options->maps);
  cli_list_fini(&options->waveforms);
  free(options->lengths);
  judge_free(&options->judge);
  *options = (opt_data){0};
}

/* What profiles fail for has no sample, and what is known of a sample is said with it. */
void opt_data_hint(const opt_data *const options, const tare_error *const err) {
  const bool ran = err->status == TARE_E_SHAPE && strstr(err->message, " at this length") &&
                   !strstr(err->message, "profile ") && !strstr(err->message, "--skip-bad");
  if (ran && !options->skip_bad) {
    fputs(
        "use --skip-bad to skip samples that the model cannot run, or --min-length and "
        "--max-length to leave samples out by their lengths\n",
        stderr);
  }
}

/* An option that changes nothing is a mistake. */
static tare_status data_check_heeded(tare_dataset **const data, tare_error *const err) {
  const char *const option = tare_dataset_unheeded(*data);
  if (!option) {
    return TARE_OK;
  }
  (void)cli_fail(err, TARE_E_USAGE, "--%s has no effect on %s: leave it out", option,
                 tare_dataset_describe(*data));
  tare_dataset_close(data);
  return TARE_E_USAGE;
}

tare_status opt_data_open(const opt_data *const options, const opt_common *const common,
                          const cli_list *const paths, const tare_port *const inputs,
                          const int n_inputs, tare_dataset **const out, tare_error *const err) {
  tare_dataset_options o;
  tare_dataset_options_init(&o);
  o.inputs = inputs;
  o.n_inputs = n_inputs;
  o.rate = options->rate;
  o.channel = options->channel;
  o.threads = common->threads;
  o.features = options->features;
  o.gain_range = options->gain_range;
  o.waveforms = options->waveforms.items;
  o.n_waveforms = options->waveforms.n;
  o.labels = options->labels;
  o.mappings = options->maps;
  o.n_mappings = options->n_maps;
  o.tokenizer = options->tokenizer;
  o.text = options->text;
  o.text_pair = options->text_pair;
  o.special_tokens = options->special_tokens;
  o.max_tokens = options->max_tokens;
  o.text_files = options->text_files;
  o.empty_symbols = options->empty.items;
  o.n_empty_symbols = options->empty.n;
  o.skip_bad = options->skip_bad;
  o.rows = options->rows;
  o.limit = options->limit;
  o.shard = options->shard;
  o.n_shards = options->n_shards;
  o.wants = options->wants;
  o.wants_user = options->wants_user;
  o.lengths = options->lengths;
  o.n_lengths = options->n_lengths;
  o.most = options->most;
  o.seed = options->seed;
  o.limits = &common->files.limits;
  o.streaming = options->streaming;
  CLI_TRY(tare_dataset_open(paths->items, paths->n, &o, out, err));
  CLI_TRY(options->judge ? judge_apply(options->judge, *out, err) : TARE_OK);
  return options->several ? TARE_OK : data_check_heeded(out, err);
}
