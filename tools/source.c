#include "tools/source.h"

#include <stdlib.h>

#include "tools/say.h"

ports ports_of_model(const tare_model *const model) {
  ports p = {0};
  p.n_inputs = tare_model_inputs(model, &p.inputs);
  p.n_outputs = tare_model_outputs(model, &p.outputs);
  return p;
}

ports ports_of_plan(const tare_plan *const plan) {
  ports p = {0};
  p.n_inputs = tare_plan_inputs(plan, &p.inputs);
  p.n_outputs = tare_plan_outputs(plan, &p.outputs);
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

static void say_states(const opt_common *const common, const tare_streaming *const s) {
  for (int i = 0; i < tare_streaming_n_states(s); i++) {
    say(common, "state: output '%s' feeds input '%s' of the next run",
        tare_streaming_state_output(s, i), tare_streaming_state_input(s, i));
  }
}

static tare_status open_streaming(const opt_data *const data, const opt_common *const common,
                                  const cli_list *const paths, tare_streaming *const s,
                                  tare_dataset **const out, tare_error *const err) {
  const tare_port *inputs = NULL;
  const int n = tare_streaming_ports(s, &inputs);
  return opt_data_open(data, common, paths, inputs, n, out, err);
}

/* Data that have not all inputs: those that pair with outputs may be states. The failure of the
 * first attempt is the one to be told. */
static tare_status open_with_found(const opt_data *const data, const opt_common *const common,
                                   const cli_list *const paths, const ports *const p,
                                   const tare_error *const first, tare_streaming **const streaming,
                                   tare_dataset **const out, tare_error *const err) {
  tare_error ignored = {0};
  CLI_TRY(tare_streaming_new(p->inputs, p->n_inputs, p->outputs, p->n_outputs, streaming, err));
  if (tare_streaming_find_states(*streaming) > 0 &&
      open_streaming(data, common, paths, *streaming, out, &ignored) == TARE_OK) {
    return TARE_OK;
  }
  tare_streaming_free(streaming);
  *err = *first;
  return first->status;
}

tare_status source_open(const opt_streaming *const o, const opt_data *const data,
                        const cli_list *const paths, const opt_common *const common,
                        const ports *const p, tare_streaming **const streaming,
                        tare_dataset **const out, tare_error *const err) {
  const bool again = *streaming != NULL; /* a second data set of the same model */
  if (!again) {
    CLI_TRY(streaming_new(o, p, streaming, err));
  }
  if (*streaming) {
    CLI_TRY(open_streaming(data, common, paths, *streaming, out, err));
  } else {
    tare_error first = {0};
    const tare_status status =
        opt_data_open(data, common, paths, p->inputs, p->n_inputs, out, &first);
    if (status != TARE_OK) {
      if (o->no_states) {
        *err = first;
        return status;
      }
      CLI_TRY(open_with_found(data, common, paths, p, &first, streaming, out, err));
    }
  }
  say_more(common, "data: %s", tare_dataset_describe(*out));
  if (data->rate && !tare_dataset_has_audio(*out)) {
    say(common, "warning: --rate has no effect: the data are %s", tare_dataset_describe(*out));
  }
  if (*streaming && !again) {
    say_states(common, *streaming);
  }
  return TARE_OK;
}
