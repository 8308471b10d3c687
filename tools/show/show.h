/* What `tare inspect` can show. One file a kind, one row in shows.inc. */
#ifndef TAREI_TOOLS_SHOW_SHOW_H
#define TAREI_TOOLS_SHOW_SHOW_H

#include "tools/json_out.h"
#include "tools/options/options.h"

/* What is printed of a plan instead of its text or JSON. */
typedef enum show_form { SHOW_PLAIN, SHOW_DOT, SHOW_LAYER_INFO } show_form;

typedef struct show_options {
  opt_common common;
  opt_data data;
  const char *model;     /* for data: the model whose inputs it feeds, or NULL */
  cli_list find_samples; /* for statistics: data whose samples are to be named */
  bool graph;            /* for a model: print its nodes */
  bool optimized;        /* and those after the engine's passes */
  const char *layers;    /* for a plan: describe the layers that match in full; NULL: list all */
  const char *times;     /* for a plan: a file with the times of its layers, or NULL */
  show_form form;        /* for a plan */
} show_options;

typedef struct show_kind {
  const char *name;
  bool (*probe)(const char *path);
  /* "a plan" for names that end as those of such files do, else NULL. */
  const char *(*noun)(const char *path);
  /* Prints text, or fills `object` where it is not NULL. */
  tare_status (*show)(const char *path, const show_options *options, cJSON *object,
                      tare_error *err);
} show_kind;

#define TAREI_SHOW(id) extern const show_kind show_##id;
#include "tools/show/shows.inc"
#undef TAREI_SHOW

/* The kind of a file by its content and name. */
const show_kind *show_kind_of(const char *path);

/* TARE_E_INPUT where a file is there and is of another kind: "x is a plan file, expected WHAT", or
 * is a folder. What is a pipe or device, or of no kind, is left to whoever reads it. */
tare_status show_want(const char *path, const show_kind *wanted, const char *what, tare_error *err);

/* What a file of this name is, e.g. "an ONNX model"; NULL for names of none. */
const char *show_noun_of(const char *path);

/* Kind and path, before the text of a file that could be read. */
void show_title(const show_kind *kind, const char *path);

/* Ports as text, and as JSON under a name. */
void show_print_ports(const char *title, const tare_port *ports, int n);
/* Which axes have a symbol, of those that axes with other names have, or whose names say little. */
void show_print_symbols(const tare_port *inputs, int n);
void show_json_ports(cJSON *object, const char *name, const tare_port *ports, int n);
/* How many nodes draw random numbers, where any does. */
void show_print_random(int n);
void show_json_random(cJSON *object, int n);

#endif
