#include "datasets/text/text_ports.h"

#include <string.h>

#include "datasets/port_shape.h"
#include "datasets/names/spare_check.h"
#include "shapes/number.h"

enum { PORT_IDS, PORT_MASK, PORT_TYPES, N_PORTS };
static const char *const NAMES[N_PORTS] = {"input_ids", "attention_mask", "token_type_ids"};

/* What feeds an input: by its mapping, or its name. A single input gets the tokens. -1: nothing. */
static int text_port(const tarei_data_spec *const spec, const int input) {
  const char *const name = spec->inputs[input].name;
  const tare_mapping *const mapping = tarei_data_spec_mapping(spec, name);
  for (int i = 0; i < N_PORTS; i++) {
    if (strcmp(NAMES[i], mapping ? mapping->path : name) == 0) {
      return i;
    }
  }
  return spec->n_inputs == 1 && !mapping ? PORT_IDS : -1;
}

/* Masks and types are there whether a model takes them or not; tokens are there to be taken. */
static tare_status check_tokens_taken(const tarei_data_spec *const spec, tare_error *const err) {
  bool taken = spec->states.n_inputs == 0;
  for (int i = 0; i < spec->n_inputs; i++) {
    taken = taken || text_port(spec, i) == PORT_IDS;
  }
  tarei_spares spares = {0};
  tarei_spare *spare = NULL;
  tare_status status =
      taken ? TARE_OK : tarei_spares_add(&spares, spec, NAMES[PORT_IDS], &spare, err);
  if (status == TARE_OK) {
    status = tarei_spares_check(&spares, spec, err);
  }
  tarei_spares_fini(&spares);
  return status;
}

tare_status tarei_text_ports_check(const char *const path, const tarei_data_spec *const spec,
                                   tare_error *const err) {
  for (int i = 0; i < spec->n_inputs; i++) {
    const tare_port *const port = &spec->inputs[i];
    if (port->dtype != TARE_I64 && port->dtype != TARE_I32) {
      return tarei_fail(err, TARE_E_USAGE, "%s: input '%s' is %s: tokens are int64 or int32", path,
                        port->name, tare_dtype_name(port->dtype));
    }
    if (text_port(spec, i) < 0) {
      return tarei_fail(err, TARE_E_USAGE,
                        "%s: a tokenizer does not feed input '%s' (name what does: --map "
                        "%s=input_ids, attention_mask or token_type_ids)",
                        path, port->name, port->name);
    }
  }
  const tare_status status = check_tokens_taken(spec, err);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "%s", path);
}

tare_status tarei_text_ports_fill(const tarei_data_spec *const spec,
                                  const tarei_encoding *const encoding, tarei_slot *const out,
                                  tare_error *const err) {
  const int64_t n = (int64_t)encoding->n;
  if (n == 0) {
    return tarei_fail(err, TARE_E_INPUT, "the text has no tokens");
  }
  for (int i = 0; i < spec->n_inputs; i++) {
    const int port = text_port(spec, i);
    tare_tensor *const tensor = &out->tensors[i];
    const tare_status status = tarei_port_shape(&spec->inputs[i], 1, &n, tensor, err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "input '%s'", spec->inputs[i].name);
    }
    TAREI_TRY(tarei_slot_allocate(out, tensor, spec->limits.elements, err));
    char *to = tensor->data;
    for (int64_t t = 0; t < n; t++, to += tare_dtype_size(tensor->dtype)) {
      tarei_write_number(tensor->dtype,
                         port == PORT_IDS    ? encoding->ids[t]
                         : port == PORT_MASK ? 1
                                             : encoding->types[t],
                         to);
    }
  }
  return TARE_OK;
}
