#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "tools/show/build_info.h"
#include "tools/options/parse.h"
#include "tools/json_out.h"
#include "tools/report.h"
#include "tools/options/options.h"

typedef struct doctor_arguments {
  opt_common common;
} doctor_arguments;

typedef struct machine {
  int cores;       /* online */
  int allowed;     /* that this process may use */
  const char *smt; /* "on", "off" or "unknown" */
  int64_t memory, free_memory;
  cli_list libraries;
} machine;

static error_t doctor_parse(const int key, char *const arg, struct argp_state *const state) {
  doctor_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->common;
      return 0;
    case ARGP_KEY_ARG:
      argp_error(state, "unexpected argument '%s'", arg);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_common_argp, 0, "Common:", 1}, {0}};

static const struct argp ARGP = {
    .parser = doctor_parse,
    .doc =
        "Shows CPU features, the kernel selected for each family, and the limits of this machine "
        "and build.\vExamples:\n  tare doctor\n  tare doctor --isa avx2",
    .children = CHILDREN};

static const char *smt_state(void) {
  FILE *const file = fopen("/sys/devices/system/cpu/smt/active", "re");
  if (!file) {
    return "unknown";
  }
  const int c = fgetc(file);
  (void)fclose(file); /* read only */
  return c == '1' ? "on" : c == '0' ? "off" : "unknown";
}

/* Keeps the outside libraries that tare is built on. */
static int take_library(struct dl_phdr_info *const info, const size_t size, void *const user) {
  static const char *const KNOWN[] = {"libtare",       "libhdf5",       "libsndfile", "libarchive",
                                      "libsamplerate", "libprotobuf-c", "libxxhash",  "libcjson",
                                      "libkissfft",    "libz"};
  (void)size;
  const char *const slash = strrchr(info->dlpi_name, '/');
  const char *const name = slash ? slash + 1 : info->dlpi_name;
  for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
    if (strncmp(name, KNOWN[i], strlen(KNOWN[i])) == 0) {
      cli_list_add(user, name);
    }
  }
  return 0;
}

static machine doctor_look(void) {
  struct sysinfo info = {0};
  (void)sysinfo(&info); /* cannot fail with a valid address */
  machine m = {.cores = (int)sysconf(_SC_NPROCESSORS_ONLN),
               .allowed = tare_cores(),
               .smt = smt_state(),
               .memory = (int64_t)info.totalram * info.mem_unit,
               .free_memory = (int64_t)info.freeram * info.mem_unit};
  dl_iterate_phdr(take_library, &m.libraries);
  return m;
}

static void doctor_print_text(const machine *const m, const char *const report_text) {
  char *const memory = report_bytes(m->memory), *const free_memory = report_bytes(m->free_memory);
  printf("tare       %s\n", tare_version());
  printf("threads    %d cores online, %d allowed, SMT %s\n", m->cores, m->allowed, m->smt);
  printf("memory     %s, %s free\n", memory, free_memory);
  for (int i = 0; i < m->libraries.n; i++) {
    printf("%-10s %s\n", i ? "" : "libraries", m->libraries.items[i]);
  }
  printf("%s", report_text);
  free(memory);
  free(free_memory);
}

/* The report's lines as they are: "features ...", "kernel FAMILY ROW". */
static void report_json(cJSON *const object, const char *const report_text) {
  cJSON *const lines = json_add(object, "cpu", json_array());
  char *const copy = cli_format("%s", report_text);
  char *place = NULL;
  for (char *line = strtok_r(copy, "\n", &place); line; line = strtok_r(NULL, "\n", &place)) {
    json_text(lines, NULL, line);
  }
  free(copy);
}

static void doctor_print_json(const machine *const m, const char *const report_text) {
  cJSON *const object = json_begin("doctor");
  json_text(object, "tare_version", tare_version());
  build_info_json(object);
  json_int(object, "cores", m->cores);
  json_int(object, "allowed", m->allowed);
  json_text(object, "smt", m->smt);
  json_int(object, "memory_bytes", m->memory);
  json_int(object, "free_bytes", m->free_memory);
  cJSON *const libraries = json_add(object, "libraries", json_array());
  for (int i = 0; i < m->libraries.n; i++) {
    json_text(libraries, NULL, m->libraries.items[i]);
  }
  report_json(object, report_text);
  json_print(object);
}

int cmd_doctor(const int argc, char **const argv) {
  doctor_arguments a = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  char *report_text = NULL;
  const tare_status status = tare_cpu_report(a.common.isa, &report_text, &err);
  if (status != TARE_OK) {
    return opt_end(argv[0], &a.common, status, &err);
  }
  machine m = doctor_look();
  (a.common.json ? doctor_print_json : doctor_print_text)(&m, report_text);
  tare_free(report_text);
  cli_list_fini(&m.libraries);
  return 0;
}
