#include "tools/debug/reduce_show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/options/lengths.h"
#include "tools/source.h"

enum { MOST_COMMANDS = 2 };

/* --- commands --------------------------------------------------------------------------------- */

/* Adds an option whose value is one word of a shell; none for NULL and "". */
static char *add_option(char *const line, const char *const option, const char *const value) {
  char *const quoted = value && *value ? cli_quoted(value) : NULL;
  char *const longer = quoted ? cli_append(line, " %s %s", option, quoted) : line;
  free(quoted);
  return longer;
}

static bool has_input(const tare_model *const model, const char *const name) {
  return tare_model_tensor_type(model, name) != TARE_DTYPE_NONE;
}

static char *add_sets(char *line, const reduce_results *const x) {
  const opt_model *const sets = &x->r->all.in->model;
  for (int i = 0; i < sets->n_sets; i++) {
    if (x->last->model && has_input(x->last->model, sets->sets[i].input)) {
      char *const value = cli_format("%s=%s", sets->sets[i].input, sets->sets[i].text);
      line = add_option(line, "--set", value);
      free(value);
    }
  }
  return line;
}

static char *add_profiles(char *line, const reduce_results *const x) {
  const tare_profiles *const profiles = x->last->profiles;
  const int n = profiles && tare_profiles_n_symbols(profiles) ? tare_profiles_count(profiles) : 0;
  for (int p = 0; p < n; p++) {
    char *const text = profile_spec(profiles, p);
    line = add_option(line, "--profile", text);
    free(text);
  }
  return line;
}

static char *first_command(const reduce_results *const x) {
  static const char *const CONSTRAINTS[] = {[TARE_CONSTRAINTS_PREFER] = NULL,
                                            [TARE_CONSTRAINTS_OBEY] = "obey",
                                            [TARE_CONSTRAINTS_NONE] = "none"};
  char *const model = cli_quoted(x->files->model);
  char *line = cli_format("tare build %s", model);
  free(model);
  line = add_option(line, "--calib", x->files->table);
  if (!x->files->table && !(x->last->model && tare_model_get_info(x->last->model).n_stated)) {
    line = cli_append(line, " --fp32");
  }
  line = add_profiles(line, x);
  line = add_option(line, "--layer-precisions", x->requests->layer_precisions);
  line = add_option(line, "--layer-weight-types", x->requests->layer_weight_types);
  line = add_option(line, "--layer-output-types", x->requests->layer_output_types);
  line = add_option(line, "--precision-constraints", CONSTRAINTS[x->requests->constraints]);
  if (x->requests->weight_rounding == TARE_ROUNDING_NEAREST) {
    line = add_option(line, "--weight-rounding", tare_rounding_name(TARE_ROUNDING_NEAREST));
  }
  line = x->requests->no_smoothing ? add_option(line, "--smoothing", "none") : line;
  line = x->requests->int8_when_small ? add_option(line, "--small-layers", "int8") : line;
  line = x->requests->symmetric ? cli_append(line, " --symmetric") : line;
  line = add_sets(line, x);
  return cli_append(line, " -o reduced.plan");
}

static char *second_command(const reduce_results *const x) {
  char *const model = cli_quoted(x->files->model), *const data = cli_quoted(x->files->data);
  char *const line =
      x->r->goal.kind == FAILS_RUN
          ? cli_format("tare run reduced.plan %s", data)
          : cli_format("tare debug compare reduced.plan %s --against %s --min-sqnr %g", data, model,
                       x->r->all.min_sqnr);
  free(model);
  free(data);
  return line;
}

static int list_commands(const reduce_results *const x, char *commands[MOST_COMMANDS]) {
  const failure_kind kind = x->r->goal.kind;
  int n = 0;
  if (kind == FAILS_LOAD) {
    char *const model = cli_quoted(x->files->model);
    commands[n++] = cli_format("tare inspect %s", model);
    free(model);
    return n;
  }
  commands[n++] = first_command(x);
  if (kind != FAILS_BUILD) {
    commands[n++] = second_command(x);
  }
  return n;
}

/* --- text ------------------------------------------------------------------------------------- */

static char *describe_failure(const reduce_results *const x, const failure *const f) {
  switch (f->kind) {
    case FAILS_NAN:
      return cli_format("'%s' has values that are not a number", f->tensor);
    case FAILS_SQNR:
      return cli_format("'%s' has an SQNR of %.2f dB, expected %g or more", f->tensor, f->sqnr_db,
                        x->r->all.min_sqnr);
    default:
      return cli_format("%s", failure_sentence(f));
  }
}

static void print_port(const tare_port *const port, const char *const what) {
  if (port->dtype == TARE_DTYPE_NONE) {
    printf("%-10s %s\n", what, port->name);
    return;
  }
  printf("%-10s %s %s [", what, port->name, tare_dtype_name(port->dtype));
  for (int i = 0; i < port->rank; i++) {
    if (port->dims[i].symbol) {
      printf("%s%s", i ? ", " : "", port->dims[i].symbol);
    } else {
      printf("%s%" PRId64, i ? ", " : "", port->dims[i].value);
    }
  }
  printf("]\n");
}

static void print_ports(const reduce_results *const x) {
  const ports p =
      x->last->model ? ports_of_model(x->last->model) : (ports){.n_inputs = 0, .n_outputs = 0};
  for (int i = 0; i < p.n_inputs; i++) {
    print_port(&p.inputs[i], i ? "" : "inputs");
  }
  for (int i = 0; i < p.n_outputs; i++) {
    print_port(&p.outputs[i], i ? "" : "outputs");
  }
  for (int i = 0; !x->last->model && i < x->r->part.inputs.n; i++) {
    printf("%-10s %s\n", i ? "" : "inputs", x->r->part.inputs.items[i]);
  }
  for (int i = 0; !x->last->model && i < x->r->part.outputs.n; i++) {
    printf("%-10s %s\n", i ? "" : "outputs", x->r->part.outputs.items[i]);
  }
}

static void print_part_nodes(const reduce_results *const x) {
  enum { SHOWN = 12 };
  const model_part *const part = &x->r->part;
  const int n = part_count(part);
  printf("nodes      %d of %d\n", n, part->whole->n_nodes);
  for (int i = 0, shown = 0; i < part->whole->n_nodes && shown < SHOWN; i++) {
    if (part->needed[i]) {
      const tare_extract_node node = tare_extract_node_at(part->whole->extract, i);
      printf("           %s (%s)\n", node.name, node.op);
      shown++;
    }
  }
  if (n > SHOWN) {
    printf("           and %d more\n", n - SHOWN);
  }
}

void reduce_print(const reduce_results *const x) {
  char *const whole = describe_failure(x, &x->r->goal), *const part =
                                                            describe_failure(x, &x->r->found);
  char *commands[MOST_COMMANDS];
  const int n = list_commands(x, commands);
  printf("model      %s\npart       %s\n", whole, part);
  print_part_nodes(x);
  print_ports(x);
  printf("trials     %d\n", x->r->all.n);
  printf("written    %s%s%s%s%s\n", x->files->model, x->files->data ? ", " : "",
         x->files->data ? x->files->data : "", x->files->table ? ", " : "",
         x->files->table ? x->files->table : "");
  printf("\nto see it fail:\n");
  for (int i = 0; i < n; i++) {
    printf("  %s\n", commands[i]);
    free(commands[i]);
  }
  free(whole);
  free(part);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void text_or_null(cJSON *const object, const char *const name, const char *const text) {
  if (text) {
    json_text(object, name, text);
  } else {
    json_real(object, name, NAN);
  }
}

static void failure_json(cJSON *const parent, const char *const name, const failure *const f) {
  static const char *const KINDS[] = {
      [FAILS_NOT] = "none", [FAILS_BEFORE] = "none", [FAILS_LOAD] = "load", [FAILS_BUILD] = "build",
      [FAILS_RUN] = "run",  [FAILS_NAN] = "nan",     [FAILS_SQNR] = "sqnr"};
  cJSON *const object = json_add(parent, name, json_object());
  const bool compared = f->kind == FAILS_NAN || f->kind == FAILS_SQNR;
  json_text(object, "kind", KINDS[f->kind]);
  text_or_null(object, "tensor", f->tensor);
  json_real(object, "sqnr_db", compared ? f->sqnr_db : NAN);
  text_or_null(object, "message", compared ? NULL : failure_sentence(f));
  json_int(object, "exit_code", compared ? 1 : tare_status_exit_code(f->error.status));
}

static void names_json(cJSON *const object, const char *const name, const cli_list *const names) {
  cJSON *const list = json_add(object, name, json_array());
  for (int i = 0; i < names->n; i++) {
    json_text(list, NULL, names->items[i]);
  }
}

void reduce_json(cJSON *const object, const reduce_results *const x) {
  const model_part *const part = &x->r->part;
  char *commands[MOST_COMMANDS];
  const int n = list_commands(x, commands);
  failure_json(object, "failure", &x->r->goal);
  failure_json(object, "reduced", &x->r->found);
  json_int(object, "model_nodes", part->whole->n_nodes);
  cJSON *const nodes = json_add(object, "nodes", json_array());
  for (int i = 0; i < part->whole->n_nodes; i++) {
    if (part->needed[i]) {
      json_text(nodes, NULL, tare_extract_node_at(part->whole->extract, i).name);
    }
  }
  names_json(object, "recorded", &part->inputs);
  names_json(object, "outputs", &part->outputs);
  json_int(object, "trials", x->r->all.n);
  json_bool(object, "minimal", !x->r->stopped);
  json_text(object, "model", x->files->model);
  text_or_null(object, "data", x->files->data);
  text_or_null(object, "table", x->files->table);
  cJSON *const list = json_add(object, "commands", json_array());
  for (int i = 0; i < n; i++) {
    json_text(list, NULL, commands[i]);
    free(commands[i]);
  }
}
