#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
