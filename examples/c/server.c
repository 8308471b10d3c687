/*
 * A server loop: several threads answer requests of any length, each with a context of one plan.
 *
 *   server PLAN WORKERS < requests       a request is a line of ids: "101 7592 102"
 *
 * Answers come in the order of the requests: the line number, the best class of the first row and
 * its value. The plan is shared, and read only; a context has the memory of one run at a time.
 *
 *   cc server.c $(pkg-config --cflags --libs tare) -pthread -o server
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/tare.h>

enum { MOST_IDS = 4096, MOST_WORKERS = 64 };

/* Requests are taken by one thread at a time, and answers wait for their turn. */
typedef struct desk {
  const tare_plan *plan;
  pthread_mutex_t lock;
  pthread_cond_t turn;
  long taken, answered;
  int at_end;
} desk;

/* Returns the number of a request, -1 at the end. */
static long take(desk *const d, int64_t *const ids, int *const n) {
  static char line[16 * MOST_IDS];
  long number = -1;
  pthread_mutex_lock(&d->lock);
  d->at_end = d->at_end || !fgets(line, sizeof line, stdin);
  if (!d->at_end) {
    number = d->taken++;
    *n = 0;
    char *end = line;
    for (char *at = line; *n < MOST_IDS; at = end) {
      const long long id = strtoll(at, &end, 10);
      if (end == at) {
        break;
      }
      ids[(*n)++] = id;
    }
  }
  pthread_mutex_unlock(&d->lock);
  return number;
}

static void answer(desk *const d, const long number, const tare_tensor *const output,
                   const tare_error *const err) {
  pthread_mutex_lock(&d->lock);
  while (d->answered != number) {
    pthread_cond_wait(&d->turn, &d->lock);
  }
  if (output) {
    const int64_t n = output->dims[output->rank - 1];
    const float *const values = output->data;
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
      best = values[i] > values[best] ? i : best;
    }
    printf("%ld\t%lld\t%.4f\n", number, (long long)best, (double)values[best]);
  } else {
    printf("%ld\t%s\n", number, err->message);
  }
  d->answered++;
  pthread_cond_broadcast(&d->turn);
  pthread_mutex_unlock(&d->lock);
}

static void *work(void *const user) {
  desk *const d = user;
  tare_context *context = NULL;
  tare_context_options options;
  tare_error err = {0};
  int64_t ids[MOST_IDS], mask[MOST_IDS];
  int n = 0;
  for (int i = 0; i < MOST_IDS; i++) {
    mask[i] = 1;
  }
  tare_context_options_init(&options);
  options.threads = 1; /* requests run beside each other, not faster one by one */
  const tare_status made = tare_context_new(d->plan, &options, &context, &err);
  for (long number; (number = take(d, ids, &n)) >= 0;) {
    const tare_tensor inputs[] = {{.dtype = TARE_I64, .rank = 1, .dims = {n}, .data = ids},
                                  {.dtype = TARE_I64, .rank = 1, .dims = {n}, .data = mask}};
    tare_tensor output;
    const tare_status status =
        made == TARE_OK ? tare_context_run(context, inputs, &output, &err) : made;
    answer(d, number, status == TARE_OK ? &output : NULL, &err);
  }
  tare_context_free(&context);
  return NULL;
}

/* Whether the plan takes ids, and perhaps their mask, and gives one float output. */
static int fits(const tare_plan *const plan) {
  const tare_port *inputs, *outputs;
  const int n = tare_plan_inputs(plan, &inputs);
  int good = (n == 1 || n == 2) && tare_plan_outputs(plan, &outputs) == 1 &&
             outputs[0].dtype == TARE_F32 && outputs[0].rank > 0;
  for (int i = 0; i < n; i++) {
    good = good && inputs[i].dtype == TARE_I64 && inputs[i].rank == 2;
  }
  return good;
}

static int serve(const tare_plan *const plan, const int workers) {
  desk d = {.plan = plan, .lock = PTHREAD_MUTEX_INITIALIZER, .turn = PTHREAD_COND_INITIALIZER};
  pthread_t threads[MOST_WORKERS];
  int started = 0;
  while (started < workers && pthread_create(&threads[started], NULL, work, &d) == 0) {
    started++;
  }
  for (int i = 0; i < started; i++) {
    pthread_join(threads[i], NULL);
  }
  return started > 0 ? 0 : 5;
}

int main(const int argc, char **const argv) {
  const int workers = argc == 3 ? atoi(argv[2]) : 0;
  if (workers < 1 || workers > MOST_WORKERS) {
    fprintf(stderr, "usage: %s PLAN WORKERS < requests\n", argv[0]);
    return 2;
  }
  tare_plan *plan = NULL;
  tare_error err = {0};
  const tare_status status = tare_plan_load(argv[1], &plan, &err);
  int code = tare_status_exit_code(status);
  if (status != TARE_OK) {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
  } else if (!fits(plan)) {
    fprintf(stderr, "%s: expected token ids, perhaps a mask, and one float32 output\n", argv[1]);
    code = 2;
  } else {
    code = serve(plan, workers);
  }
  tare_plan_free(&plan);
  return code;
}
