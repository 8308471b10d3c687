/* A walk over the wire format, led by the message descriptors, before the unpacker sees it. */
#include "base/limits.h"
#include "graph/onnx/importer.h"

/* Messages that stand one in another: a graph inside of a node is three below the graph around it,
 * and the deepest thing in a graph seven below the model. */
enum { GRAPH_DEPTH = 3, LEAF_DEPTH = 10 };

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

typedef struct onnx_scanner {
  const uint8_t *start;
  const tare_limits *limits;
  tare_error *err;
} onnx_scanner;

static tare_status onnx_scan_broken(const onnx_scanner *const s, const uint8_t *const at) {
  return tarei_fail(s->err, TARE_E_INPUT, "not an ONNX model, or truncated: malformed at byte %zu",
                    (size_t)(at - s->start));
}

static bool read_varint(const uint8_t **const p, const uint8_t *const end, uint64_t *const out) {
  *out = 0;
  for (int shift = 0; shift < 64 && *p < end; shift += 7) {
    const uint8_t byte = *(*p)++;
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) {
      return true;
    }
  }
  return false;
}

/* Length of a field's content; for WIRE_BYTES, p is moved to its first byte. */
static bool content_length(const unsigned wire, const uint8_t **const p, const uint8_t *const end,
                           uint64_t *const length) {
  const uint8_t *probe = *p;
  uint64_t ignored;
  *length = wire == WIRE_64 ? 8 : 4;
  if (wire == WIRE_VARINT) {
    if (!read_varint(&probe, end, &ignored)) {
      return false;
    }
    *length = (uint64_t)(probe - *p);
  } else if (wire == WIRE_BYTES) {
    if (!read_varint(p, end, length)) {
      return false;
    }
  } else if (wire != WIRE_64 && wire != WIRE_32) {
    return false;
  }
  return *length <= (uint64_t)(end - *p);
}

static tare_status scan_message(const onnx_scanner *const s,
                                const ProtobufCMessageDescriptor *const descriptor,
                                const uint8_t *p, const uint8_t *const end, const int depth) {
  if (depth > GRAPH_DEPTH * s->limits->nesting + LEAF_DEPTH) {
    return tarei_fail_limit(s->err, s->limits, TAREI_LIMIT_nesting, -1,
                            "the graphs inside of nodes nest, at byte %zu,",
                            (size_t)(p - s->start));
  }
  while (p < end) {
    const uint8_t *const at = p;
    uint64_t tag, length;
    if (!read_varint(&p, end, &tag) || tag > UINT32_MAX ||
        !content_length((unsigned)(tag & 7), &p, end, &length)) {
      return onnx_scan_broken(s, at);
    }
    const ProtobufCFieldDescriptor *const field =
        protobuf_c_message_descriptor_get_field(descriptor, (unsigned)(tag >> 3));
    if (field && field->type == PROTOBUF_C_TYPE_MESSAGE && (tag & 7) == WIRE_BYTES) {
      TAREI_TRY(scan_message(s, field->descriptor, p, p + length, depth + 1));
    }
    p += length;
  }
  return TARE_OK;
}

tare_status tarei_onnx_scan(const uint8_t *const data, const size_t size,
                            const tare_limits *const limits, tare_error *const err) {
  const onnx_scanner s = {.start = data, .limits = limits, .err = err};
  return scan_message(&s, &onnx__model_proto__descriptor, data, data + size, 0);
}
