#include "tools/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/say.h"

ports ports_of_model(const tare_model *const model) {
  ports p = {0};
  p.n_inputs = tare_model_inputs(model, &p.inputs);
  p.n_outputs = tare_model_outputs(model, &p.outputs);
  p.n_random = tare_model_n_random(model);
  return p;
}

ports ports_of_plan(const tare_plan *const plan) {
  ports p = {0};
  p.n_inputs = tare_plan_inputs(plan, &p.inputs);
  p.n_outputs = tare_plan_outputs(plan, &p.outputs);
  p.n_random = tare_plan_n_random(plan);
  return p;
}

static tare_status declare(const opt_streaming *const o, tare_streaming *const s,
                           tare_error *const err) {
  for (int i = 0; i < o->states.n; i++) {
    CLI_TRY(tare_streaming_add_state(s, o->states.items[i], err));
  }
  return o->chunk ? tare_streaming_set_chunk(s, o->chunk, o->hop, err) : TARE_OK;
}

tare_status streaming_new(const opt_streaming *const o, const ports *const p,
                          tare_streaming **const out, tare_error *const err) {
  *out = NULL;
  if (!o->chunk && !o->states.n) {
    return TARE_OK;
  }
  CLI_TRY(tare_streaming_new(p->inputs, p->n_inputs, p->outputs, p->n_outputs, out, err));
  const tare_status status = declare(o, *out, err);
  if (status != TARE_OK) {
    tare_streaming_free(out);
    return status;
  }
  if (!o->states.n && !o->no_states) {
    (void)tare_streaming_find_states(*out); /* a model may have none */
  }
  return TARE_OK;
}

/* Whether a length may be 0 is for the profiles to say. */
static void list_symbols(const ports *const p, cli_list *const out) {
  for (int i = 0; i < p->n_inputs; i++) {
    for (int d = 0; d < p->inputs[i].rank; d++) {
      const char *const symbol = p->inputs[i].dims[d].symbol;
      if (symbol && !cli_list_has(out, symbol)) {
        cli_list_add(out, symbol);
      }
    }
  }
}

tare_status source_open_whole(const opt_data *const data, const opt_common *const common,
                              const cli_list *const paths, const ports *const p,
                              tare_dataset **const out, tare_error *const err) {
  opt_data own = *data;
  own.empty = (cli_list){0};
  list_symbols(p, &own.empty);
  const tare_status status = opt_data_open(&own, common, paths, p->inputs, p->n_inputs, out, err);
  cli_list_fini(&own.empty);
  return status;
}

static tare_status open_streaming(const opt_inputs *const o, tare_streaming *const s,
                                  tare_dataset **const out, tare_error *const err) {
  const tare_port *inputs = NULL;
  const int n = tare_streaming_ports(s, &inputs);
  opt_data own = o->data;
  own.streaming = s;
  return opt_data_open(&own, &o->common, &o->paths, inputs, n, out, err);
}

/* How far reading data gets. A file that is one sample is not looked into before it is read. */
typedef enum reach { REACH_NOTHING, REACH_OPENED, REACH_SAMPLE } reach;

static reach source_reach(const opt_data *const data, const opt_common *const common,
                          const cli_list *const paths, const ports *const p,
                          tare_error *const why) {
  opt_data own = *data;
  own.labels = NULL;
  own.limit = 1;
  own.skip_bad = false;
  opt_common silent = *common;
  silent.quiet = true;
  tare_dataset *dataset = NULL;
  if (source_open_whole(&own, &silent, paths, p, &dataset, why) != TARE_OK) {
    return REACH_NOTHING;
  }
  const tare_sample *sample = NULL;
  const bool reads = tare_dataset_rewind_for_dims(dataset, why) == TARE_OK &&
                     tare_dataset_next(dataset, &sample, why) == TARE_OK;
  tare_dataset_close(&dataset);
  return reads ? REACH_SAMPLE : REACH_OPENED;
}

/* Whether data that fail with all inputs get further without the states, or fail for another
 * reason, which is then in `why`. */
static bool data_lack_states(const opt_data *const data, const opt_common *const common,
                             const cli_list *const paths, const ports *const all,
                             tare_streaming *const streaming, tare_error *const why) {
  tare_error with = {0};
  const reach whole = source_reach(data, common, paths, all, &with);
  if (whole == REACH_SAMPLE) {
    return false;
  }
  opt_data own = *data;
  ports others = {0};
  own.streaming = streaming;
  others.n_inputs = tare_streaming_ports(streaming, &others.inputs);
  const reach rest = source_reach(&own, common, paths, &others, why);
  return rest > whole || (rest == whole && strcmp(with.message, why->message) != 0);
}

tare_status source_find_states(const opt_data *const data, const opt_common *const common,
                               const cli_list *const paths, const ports *const p,
                               tare_streaming **const out, tare_error *const err) {
  CLI_TRY(tare_streaming_new(p->inputs, p->n_inputs, p->outputs, p->n_outputs, out, err));
  tare_error why = {0};
  if (tare_streaming_find_states(*out) > 0 &&
      data_lack_states(data, common, paths, p, *out, &why)) {
    return why.status == TARE_OK || data->skip_bad ? TARE_OK
                                                   : cli_fail(err, why.status, "%s", why.message);
  }
  tare_streaming_free(out);
  return TARE_OK;
}

static tare_status source_open_data(const opt_inputs *const o, const ports *const p,
                                    tare_streaming **const streaming, tare_dataset **const out,
                                    tare_error *const err) {
  if (!*streaming && !o->streaming.no_states) {
    CLI_TRY(source_find_states(&o->data, &o->common, &o->paths, p, streaming, err));
  }
  return *streaming ? open_streaming(o, *streaming, out, err)
                    : source_open_whole(&o->data, &o->common, &o->paths, p, out, err);
}

/* Before options are looked at: nothing about states helps where a name of a file is wrong. */
static tare_status source_check_paths(const cli_list *const paths, tare_error *const err) {
  struct stat st;
  for (int i = 0; i < paths->n; i++) {
    if (stat(paths->items[i], &st) != 0 && errno != ENOMEM) {
      return cli_fail(err, TARE_E_INPUT, "%s: cannot open: %s", paths->items[i], strerror(errno));
    }
  }
  return TARE_OK;
}

/* An option that changes nothing is a mistake. */
static tare_status source_check_seed(const opt_data *const data, const ports *const p,
                                     tare_error *const err) {
  return !data->seeded || data->chooses || p->n_random
             ? TARE_OK
             : cli_fail(err, TARE_E_USAGE,
                        "--seed has no effect: no node of the model draws random numbers (leave it "
                        "out)");
}

tare_status source_open(const opt_inputs *const o, const ports *const p,
                        tare_streaming **const streaming, tare_dataset **const out,
                        tare_error *const err) {
  const bool again = *streaming != NULL; /* a second data set of the same model */
  CLI_TRY(source_check_paths(&o->paths, err));
  CLI_TRY(source_check_seed(&o->data, p, err));
  CLI_TRY(opt_agreement_check(o->agreement, p->outputs, p->n_outputs, err));
  if (!again) {
    CLI_TRY(streaming_new(&o->streaming, p, streaming, err));
  }
  CLI_TRY(source_open_data(o, p, streaming, out, err));
  say_data_kind(&o->common, *out);
  say_audio_options(&o->common, &o->data, *out);
  if (*streaming && !again) {
    say_states(&o->common, *streaming, true);
  }
  return TARE_OK;
}

tare_status source_open_first(const opt_inputs *const o, const ports *const p,
                              tare_streaming *const streaming, const int64_t limit,
                              tare_dataset **const out, tare_error *const err) {
  opt_inputs first = *o;
  tare_streaming *known = streaming;
  first.common.quiet = true;
  first.data.labels = NULL;
  if (o->data.skip_bad || o->data.n_lengths > 0 || o->fit.outside == TARE_OUTSIDE_SKIP) {
    first.data.most = limit; /* of those that are usable */
  } else {
    first.data.limit = o->data.limit && o->data.limit < limit ? o->data.limit : limit;
  }
  return source_open(&first, p, &known, out, err);
}

tare_calibrate_options source_calibrate_options(const opt_inputs *const options,
                                                const length_inputs *const lengths,
                                                const tare_streaming *const streaming) {
  tare_calibrate_options o;
  tare_calibrate_options_init(&o);
  o.fit = options->fit.fit;
  o.outside = options->fit.outside;
  o.pad_values = options->fit.pads;
  o.n_pad_values = options->fit.n_pads;
  o.length_inputs = lengths->items;
  o.n_length_inputs = lengths->n;
  o.streaming = streaming;
  o.threads = options->common.threads;
  o.isa = options->common.isa;
  return o;
}

tare_eval_options source_eval_options(const opt_inputs *const options,
                                      const opt_metric *const metric,
                                      const length_inputs *const lengths,
                                      const tare_streaming *const streaming) {
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.metric = tare_metric_name(metric->metric);
  o.settings = metric->settings;
  o.n_settings = metric->n_settings;
  o.output = metric->output;
  o.answers = metric->worst > 0;
  o.fit = options->fit.fit;
  o.outside = options->fit.outside;
  o.pad_values = options->fit.pads;
  o.n_pad_values = options->fit.n_pads;
  o.length_inputs = lengths->items;
  o.n_length_inputs = lengths->n;
  o.streaming = streaming;
  o.agreements = options->agreement ? options->agreement->items : NULL;
  o.n_agreements = options->agreement ? options->agreement->n : 0;
  o.threads = options->common.threads;
  return o;
}
