#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/ir/ir_internal.h"
#include "graph/onnx/importer.h"
#include "graph/ops/bodies/body_names.h"

typedef struct reader {
  tarei_importer *importer;
  int node;
  tare_error *err;
} reader;

typedef tare_status (*onnx_attr_read_fn)(const reader *r, Onnx__AttributeProto *proto,
                                         tarei_attr *attr);

static tare_status out_of_memory(const reader *const r, const size_t bytes) {
  return tarei_fail_memory(r->err, "attribute", bytes);
}

static char *bytes_to_string(const ProtobufCBinaryData bytes) {
  char *const s = tarei_calloc(bytes.len + 1, 1);
  if (s && bytes.len) {
    memcpy(s, bytes.data, bytes.len);
  }
  return s;
}

static tare_status read_float(const reader *const r, Onnx__AttributeProto *const proto,
                              tarei_attr *const attr) {
  (void)r;
  attr->f = proto->f;
  return TARE_OK;
}

static tare_status onnx_attr_read_int(const reader *const r, Onnx__AttributeProto *const proto,
                                      tarei_attr *const attr) {
  (void)r;
  attr->i = proto->i;
  return TARE_OK;
}

static tare_status read_string(const reader *const r, Onnx__AttributeProto *const proto,
                               tarei_attr *const attr) {
  attr->s = bytes_to_string(proto->s);
  return attr->s ? TARE_OK : out_of_memory(r, proto->s.len);
}

static tare_status onnx_attr_read_tensor(const reader *const r, Onnx__AttributeProto *const proto,
                                         tarei_attr *const attr) {
  if (!proto->t) {
    return tarei_fail(r->err, TARE_E_MODEL, "has no tensor");
  }
  return tarei_onnx_tensor(r->importer->externals, proto->t, "tensor", &attr->tensor, &attr->buffer,
                           r->err);
}

static tare_status read_graph(const reader *const r, Onnx__AttributeProto *const proto,
                              tarei_attr *const attr) {
  if (r->node < 0) {
    return tarei_fail(r->err, TARE_E_MODEL, "is a graph; expected a value");
  }
  const tarei_op *const op = r->importer->graph->nodes[r->node].op;
  return tarei_op_has_body(op, attr->name)
             ? r->importer->body(r->importer, proto, r->node, &attr->graph, r->err)
             : tarei_fail(r->err, TARE_E_MODEL,
                          "is a graph, but operator %s has none of this name (remove it)",
                          op->name);
}

static tare_status read_floats(const reader *const r, Onnx__AttributeProto *const proto,
                               tarei_attr *const attr) {
  attr->floats = tarei_memdup(proto->floats, proto->n_floats * sizeof *attr->floats);
  attr->n = (int)proto->n_floats;
  return attr->floats ? TARE_OK : out_of_memory(r, proto->n_floats * sizeof *attr->floats);
}

static tare_status read_ints(const reader *const r, Onnx__AttributeProto *const proto,
                             tarei_attr *const attr) {
  attr->ints = tarei_memdup(proto->ints, proto->n_ints * sizeof *attr->ints);
  attr->n = (int)proto->n_ints;
  return attr->ints ? TARE_OK : out_of_memory(r, proto->n_ints * sizeof *attr->ints);
}

static tare_status read_strings(const reader *const r, Onnx__AttributeProto *const proto,
                                tarei_attr *const attr) {
  attr->strings = tarei_calloc(proto->n_strings, sizeof *attr->strings);
  if (!attr->strings) {
    return out_of_memory(r, proto->n_strings * sizeof *attr->strings);
  }
  while ((size_t)attr->n < proto->n_strings) {
    attr->strings[attr->n] = bytes_to_string(proto->strings[attr->n]);
    if (!attr->strings[attr->n]) {
      return out_of_memory(r, proto->strings[attr->n].len);
    }
    attr->n++;
  }
  return TARE_OK;
}

/* By AttributeProto.AttributeType. */
static const onnx_attr_read_fn readers[] = {
    [TAREI_ATTR_FLOAT] = read_float,   [TAREI_ATTR_INT] = onnx_attr_read_int,
    [TAREI_ATTR_STRING] = read_string, [TAREI_ATTR_TENSOR] = onnx_attr_read_tensor,
    [TAREI_ATTR_GRAPH] = read_graph,   [TAREI_ATTR_FLOATS] = read_floats,
    [TAREI_ATTR_INTS] = read_ints,     [TAREI_ATTR_STRINGS] = read_strings,
};

tare_status tarei_onnx_attr(tarei_importer *const importer, Onnx__AttributeProto *const proto,
                            const int node, tarei_attr *const attr, tare_error *const err) {
  const reader r = {.importer = importer, .node = node, .err = err};
  const char *const name = tarei_onnx_text(proto->name);
  const unsigned kind = (unsigned)proto->type;
  *attr = (tarei_attr){.name = tarei_strdup(name), .kind = (tarei_attr_kind)kind};
  if (!attr->name) {
    return out_of_memory(&r, strlen(name));
  }
  tare_status status;
  if (*tarei_onnx_text(proto->ref_attr_name)) {
    status = tarei_fail(err, TARE_E_MODEL, "refers to attribute '%s' outside of a function",
                        proto->ref_attr_name);
  } else if (kind >= sizeof readers / sizeof *readers || !readers[kind]) {
    status = tarei_fail(err, kind ? TARE_E_UNSUPPORTED : TARE_E_MODEL,
                        "attribute type %u is not supported", kind);
  } else {
    status = readers[kind](&r, proto, attr);
  }
  return status == TARE_OK ? status : tarei_fail_in(err, status, "attribute '%s'", name);
}
