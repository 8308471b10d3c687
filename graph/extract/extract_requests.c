#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "graph/extract/extract.h"
#include "graph/quantize/layer_requests.h"

static bool fits_node(const tarei_extract_node *const node, const char *const glob) {
  const Onnx__NodeProto *const proto = node->proto;
  if (*glob == '@') {
    /* Linear layers are MatMul and Gemm in files. */
    const char *const op = tarei_onnx_text(proto->op_type);
    const bool linear = strcmp(op, "MatMul") == 0 || strcmp(op, "Gemm") == 0;
    return fnmatch(glob + 1, op, 0) == 0 || (linear && fnmatch(glob + 1, "Linear", 0) == 0);
  }
  bool fits = tarei_requests_glob_fits(glob, node->name);
  for (size_t o = 0; !fits && o < proto->n_output; o++) {
    fits = fnmatch(glob, tarei_onnx_text(proto->output[o]), 0) == 0;
  }
  return fits;
}

/* A name as plans print it, "a + b", fits the nodes of its parts too. */
static bool fits_any_part(const tarei_extract_node *const node, char *const glob) {
  bool fits = fits_node(node, glob);
  for (char *part = glob; !fits && part;) {
    char *const plus = strstr(part, " + ");
    if (plus) {
      *plus = '\0';
    }
    fits = fits_node(node, part);
    if (plus) {
      *plus = ' ';
    }
    part = plus ? plus + strlen(" + ") : NULL;
  }
  return fits;
}

static bool has_body(const Onnx__NodeProto *const proto) {
  for (size_t a = 0; a < proto->n_attribute; a++) {
    if (proto->attribute[a]->g) {
      return true;
    }
  }
  return false;
}

static bool is_for_part(const tare_extract *const e, const bool *const in_part, char *const glob) {
  bool anywhere = false, bodies = false;
  for (int i = 0; i < e->n_nodes; i++) {
    const bool fits = fits_any_part(&e->nodes[i], glob);
    if (fits && in_part[i]) {
      return true;
    }
    anywhere |= fits;
    bodies |= in_part[i] && has_body(e->nodes[i].proto);
  }
  return bodies && !anywhere;
}

tare_status tare_extract_requests(const tare_extract *const e, const bool *const in_part,
                                  const char *const requests, char **const out,
                                  tare_error *const err) {
  tarei_str kept = {0};
  *out = NULL;
  if (!requests) {
    return TARE_OK;
  }
  char *const copy = tarei_strdup(requests);
  tarei_str_add(&kept, "%s", "");
  char *rest = copy;
  for (char *item = copy ? tarei_requests_next(&rest) : NULL; item;
       item = tarei_requests_next(&rest)) {
    char *const colon = strrchr(item, ':');
    if (!colon || colon == item) {
      continue;
    }
    *colon = '\0';
    if (is_for_part(e, in_part, item)) {
      tarei_str_add(&kept, "%s%s:%s", kept.length ? "," : "", item, colon + 1);
    }
  }
  free(copy);
  if (!copy || kept.failed) {
    tarei_str_free(&kept);
    return tarei_fail_memory(err, "requests", strlen(requests));
  }
  *out = kept.text;
  return TARE_OK;
}
