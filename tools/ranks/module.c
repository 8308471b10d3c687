#include "tools/ranks/module.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct rank_variables {
  const char *rank, *size;
  bool mpi;
} rank_variables;

/* Of launchers that start all ranks of one job. Those of arrays are separate jobs, and are left to
 * --shard. */
static const rank_variables VARIABLES[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true},
    {"PMI_RANK", "PMI_SIZE", false},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", false},
};

launched ranks_launched(void) {
  for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++) {
    const rank_variables *const v = &VARIABLES[i];
    const char *const rank = getenv(v->rank), *const size = getenv(v->size);
    const int64_t n = rank && size ? strtoll(size, NULL, 10) : 1;
    if (n > 1) {
      const bool mpi = v->mpi || getenv("PMIX_RANK");
      return (launched){.rank = strtoll(rank, NULL, 10), .size = n, .by = v->size, .mpi = mpi};
    }
  }
  return (launched){.size = 1};
}

bool ranks_survive(void) {
  const char *const recovery = getenv("OMPI_MCA_orte_enable_recovery");
  return recovery && strcmp(recovery, "0") != 0;
}

static tare_status module_missing(const launched *const by, const char *const why,
                                  tare_error *const err) {
  return cli_fail(err, TARE_E_USAGE,
                  "%s is %" PRId64
                  ", but %s: ranks would all count the same samples (use --shard "
                  "auto and tare merge, or%s)",
                  by->by, by->size, why,
                  by->mpi ? " install the package tare-mpi" : " mpirun of Open MPI");
}

/* Beside the command, as it is built, or where it is installed. */
static const transport *module_find(void) {
  static const char *const FOLDERS[] = {"", TARE_MODULE_FOLDER "/"};
  char command[PATH_MAX] = "";
  const ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
  const transport *found = NULL;
  for (size_t i = 0; length > 0 && !found && i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
    const int folder = *FOLDERS[i] == '/' ? 0 : (int)(strrchr(command, '/') + 1 - command);
    char *const path = cli_format("%.*s%stare_mpi.so", folder, command, FOLDERS[i]);
    /* Open MPI loads components that need its names */
    void *const module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    found = module ? dlsym(module, TRANSPORT_SYMBOL) : NULL;
    free(path);
  }
  return found;
}

tare_status ranks_load_module(const launched *const by, const transport **const out,
                              tare_error *const err) {
  if (!by->mpi) {
    return module_missing(by, "its launcher is not that of Open MPI", err);
  }
  const transport *const found = module_find();
  if (!found) {
    char *const why = cli_format("this tare has no module for MPI (%s)", dlerror());
    (void)module_missing(by, why, err);
    free(why);
    return TARE_E_USAGE;
  }
  if (found->version != TRANSPORT_VERSION) {
    return module_missing(by, "the module for MPI is one of another version of tare", err);
  }
  *out = found;
  return TARE_OK;
}
