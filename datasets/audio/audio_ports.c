#include "datasets/audio/audio_ports.h"

#include <string.h>

#include "datasets/convert.h"
#include "datasets/port_shape.h"
#include "shapes/number.h"

static bool audio_ports_is_one_of(const tare_dtype dtype, const tare_dtype *const list,
                                  const size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (list[i] == dtype) {
      return true;
    }
  }
  return false;
}

/* int [batch] or a scalar, named for a length, as encoders have it: length, x_lens, ... */
static bool is_length(const tare_port *const port) {
  static const tare_dtype WHOLE[] = {TARE_I64, TARE_I32};
  return audio_ports_is_one_of(port->dtype, WHOLE, sizeof WHOLE / sizeof *WHOLE) &&
         port->rank <= 1 && strstr(port->name, "len") != NULL;
}

tare_status tarei_signal_ports_find(const char *const path, const char *const noun,
                                    const tarei_data_spec *const spec, tarei_audio_ports *const out,
                                    tare_error *const err) {
  const tare_port *const ports = spec->inputs;
  *out = (tarei_audio_ports){.signal = 0, .length = -1};
  if (spec->n_inputs == 2 && is_length(&ports[0]) != is_length(&ports[1])) {
    out->length = is_length(&ports[1]);
    out->signal = 1 - out->length;
  } else if (spec->n_inputs != 1) {
    return tarei_fail(err, TARE_E_USAGE,
                      "%s: %s feeds one input, but the model has %d ('%s', '%s', ...): put the "
                      "tensors into an HDF5 file%s",
                      path, noun, spec->n_inputs, ports[0].name, ports[1].name,
                      tarei_data_spec_hint(spec));
  }
  const tare_port *const signal = &ports[out->signal];
  return tarei_is_float(signal->dtype)
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE, "%s: %s needs a float input, but '%s' is %s%s", path,
                          noun, signal->name, tare_dtype_name(signal->dtype),
                          tarei_data_spec_hint(spec));
}

/* [batch, samples, 1], as Keras has it. */
static bool has_channel_last(const tare_port *const port) {
  return port->rank >= 3 && tarei_dim_is_one(&port->dims[port->rank - 1]) &&
         !tarei_dim_is_one(&port->dims[port->rank - 2]);
}

/* Dims between the batch and the last `own` ones must be 1. */
static tare_status audio_ports_check_dims(const char *const path, const tare_port *const port,
                                          const int own, const bool features,
                                          tare_error *const err) {
  for (int d = 1; d < port->rank - own; d++) {
    if (!tarei_dim_is_one(&port->dims[d])) {
      return tarei_fail(err, TARE_E_USAGE,
                        features ? "%s: features need an input of shape [batch, mels, frames], "
                                   "with dims of 1 between at most, but dim %d of '%s' is not 1"
                                 : "%s: audio needs an input of shape [samples], [batch, samples], "
                                   "[batch, 1, samples] or [batch, samples, 1], but dim %d of '%s' "
                                   "is not 1",
                        path, d, port->name);
    }
  }
  if (port->rank < own) {
    return features
               ? tarei_fail(err, TARE_E_USAGE,
                            "%s: features need an input of rank 2 or more, but '%s' has rank %d",
                            path, port->name, port->rank)
               : tarei_fail(err, TARE_E_USAGE, "%s: audio cannot feed the scalar input '%s'", path,
                            port->name);
  }
  return TARE_OK;
}

/* The size that the model fixes, or -1. */
static int64_t fixed_at(const tare_dim *const dim) {
  return dim->symbol ? -1 : dim->value;
}

/* Where no option says how features lie, the dim that the model fixes does: mels are as many in
 * each sample. */
static tare_status choose_layout(const char *const path, const tare_port *const port,
                                 const tarei_feature_spec *const spec, bool *const mels_first,
                                 tare_error *const err) {
  const tare_dim *const last = &port->dims[port->rank - 2];
  const int64_t sizes[] = {fixed_at(&last[0]), fixed_at(&last[1])};
  *mels_first = spec->layout == TAREI_LAYOUT_CT;
  if (!spec->layout_given && (sizes[0] < 0) != (sizes[1] < 0)) {
    *mels_first = sizes[0] >= 0;
  } else if (!spec->layout_given && (sizes[0] == spec->mels) != (sizes[1] == spec->mels)) {
    *mels_first = sizes[0] == spec->mels;
  }
  const int64_t takes = sizes[*mels_first ? 0 : 1];
  if (takes >= 0 && takes != spec->mels) {
    return tarei_fail(err, TARE_E_USAGE,
                      "%s: %s features have %lld mels, but dim %d of '%s' is %lld (set the feature "
                      "options mels or layout)",
                      path, spec->name, (long long)spec->mels, port->rank - (*mels_first ? 2 : 1),
                      port->name, (long long)takes);
  }
  return TARE_OK;
}

tare_status tarei_audio_ports_find(const char *const path, const tarei_data_spec *const spec,
                                   tarei_audio_ports *const out, tare_error *const err) {
  TAREI_TRY(tarei_signal_ports_find(path, "audio", spec, out, err));
  const tare_port *const port = &spec->inputs[out->signal];
  const bool features = spec->features != NULL;
  out->channel_last = !features && has_channel_last(port);
  const int own = features || out->channel_last ? 2 : 1;
  TAREI_TRY(audio_ports_check_dims(path, port, own, features, err));
  return features
             ? choose_layout(path, port, tarei_features_spec(spec->features), &out->mels_first, err)
             : TARE_OK;
}

tare_status tarei_signal_length(const tarei_audio_ports *const ports,
                                const tarei_data_spec *const spec, const int64_t length,
                                tarei_slot *const out, tare_error *const err) {
  if (ports->length < 0) {
    return TARE_OK;
  }
  tare_tensor *const tensor = &out->tensors[ports->length];
  TAREI_TRY(tarei_port_shape(&spec->inputs[ports->length], 0 /* rank */, NULL, tensor, err));
  TAREI_TRY(tarei_slot_allocate(out, tensor, spec->limits.elements, err));
  return tarei_convert(TAREI_NUMBER_I64, &length, 1, tensor->dtype, tensor->data, err);
}
