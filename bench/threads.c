#include "bench/threads.h"

#include "tools/cli.h"

void bench_threads_take(bench_threads *const t, char *const text,
                        const struct argp_state *const state) {
  cli_list parts = {0};
  cli_list_split(&parts, text);
  t->n = 0;
  for (int i = 0; i < parts.n && i < MOST_THREADS; i++) {
    t->counts[t->n++] = (int)cli_int(state, "--threads", parts.items[i], 1, 64);
  }
  cli_list_fini(&parts);
}
