#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/show/show.h"

/* "[batch, samples]"; the caller frees it. */
static char *port_dims_text(const tare_port *const port) {
  char *text = cli_format("[");
  for (int a = 0; a < port->rank; a++) {
    const tare_dim dim = port->dims[a];
    char *const longer = dim.symbol ? cli_format("%s%s%s", text, a ? ", " : "", dim.symbol)
                                    : cli_format("%s%s%" PRId64, text, a ? ", " : "", dim.value);
    free(text);
    text = longer;
  }
  char *const whole = cli_format("%s]", text);
  free(text);
  return whole;
}

void show_print_ports(const char *const title, const tare_port *const ports, const int n) {
  for (int i = 0; i < n; i++) {
    const bool known = ports[i].dtype != TARE_DTYPE_NONE;
    char *const dims = known ? port_dims_text(&ports[i]) : cli_format("undecided");
    printf("%-10s %s %s%s%s\n", i ? "" : title, ports[i].name,
           known ? tare_dtype_name(ports[i].dtype) : "", known ? " " : "", dims);
    free(dims);
  }
}

/* Whether axes with other names have the symbol, or its name says little. */
static bool needs_axes(const tare_profiles *const set, const tare_port *const inputs, const int n,
                       const int symbol) {
  const char *const name = tare_profiles_symbol(set, symbol);
  bool needs = strcmp(name, tare_profiles_label(set, symbol)) != 0;
  for (int i = 0; i < n && !needs; i++) {
    for (int a = 0; a < inputs[i].rank && !needs; a++) {
      const tare_dim dim = inputs[i].dims[a];
      needs = dim.declared && dim.symbol && strcmp(dim.symbol, name) == 0;
    }
  }
  return needs;
}

void show_print_symbols(const tare_port *const inputs, const int n) {
  tare_profiles *set = NULL;
  if (tare_profiles_new(inputs, n, &set, NULL) != TARE_OK) {
    return; /* profiles that do not fit are refused where they are needed */
  }
  for (int s = 0, shown = 0; s < tare_profiles_n_symbols(set); s++) {
    if (needs_axes(set, inputs, n, s)) {
      printf("%-10s %s: %s\n", shown++ ? "" : "symbols", tare_profiles_symbol(set, s),
             tare_profiles_axes(set, s));
    }
  }
  tare_profiles_free(&set);
}

static bool has_declared(const tare_port *const port) {
  bool has = false;
  for (int a = 0; a < port->rank; a++) {
    has |= port->dims[a].declared != NULL;
  }
  return has;
}

/* The names of axes in the model where they are not those in `dims`, else null. */
static void add_declared(cJSON *const port, const tare_port *const from) {
  cJSON *const list = json_add(port, "declared", json_array());
  for (int a = 0; a < from->rank; a++) {
    if (from->dims[a].declared) {
      json_text(list, NULL, from->dims[a].declared);
    } else {
      json_real(list, NULL, NAN);
    }
  }
}

void show_json_ports(cJSON *const object, const char *const name, const tare_port *const ports,
                     const int n) {
  cJSON *const list = json_add(object, name, json_array());
  for (int i = 0; i < n; i++) {
    cJSON *const port = json_add(list, NULL, json_object());
    json_text(port, "name", ports[i].name);
    json_text(port, "dtype", tare_dtype_name(ports[i].dtype));
    cJSON *const dims = json_add(port, "dims", json_array());
    for (int a = 0; a < ports[i].rank; a++) {
      const tare_dim dim = ports[i].dims[a];
      if (dim.symbol) {
        json_text(dims, NULL, dim.symbol);
      } else {
        json_int(dims, NULL, dim.value);
      }
    }
    if (has_declared(&ports[i])) {
      add_declared(port, &ports[i]);
    }
  }
}

void show_print_random(const int n) {
  if (n > 0) {
    printf("random     %d node%s random numbers, by --seed\n", n, n == 1 ? " draws" : "s draw");
  }
}

void show_json_random(cJSON *const object, const int n) {
  if (n > 0) {
    json_int(object, "random_nodes", n);
  }
}
