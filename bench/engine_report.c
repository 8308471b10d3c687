#include "bench/engine_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void engine_report_point_text(const plans *const p, const int point, char *const out,
                                     const size_t size) {
  const tare_profiles *const symbols = tare_plan_profiles(plans_any(p));
  size_t at = 0;
  *out = '\0';
  for (int s = 0; s < tare_profiles_n_symbols(symbols) && at < size; s++) {
    at += (size_t)snprintf(out + at, size - at, "%s%s=%" PRId64, s ? ", " : "",
                           tare_profiles_symbol(symbols, s), p->points.values[point][s]);
  }
}

static double operations(const plans *const p, const int point) {
  const tare_plan *const plan = plans_any(p);
  double sum = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    double layer;
    tare_error err;
    if (tare_plan_layer_operations(plan, i, p->points.values[point], &layer, &err) != TARE_OK) {
      fprintf(stderr, "%s\n", err.message);
      exit(1);
    }
    sum += layer;
  }
  return sum;
}

static double best_ms(const runner *const x) {
  return x->times.ms[0];
}

static double engine_report_share(const runners *const r, const runner *const x, const double gop) {
  const double peak = (x->bytes ? r->peak_i8 : r->peak_f32) * 1e-9;
  return peak > 0 ? gop / (best_ms(x) * 1e-3) / peak : 0;
}

static const runner *best_peer(const runners *const r, const bool bytes) {
  const runner *best = NULL;
  for (int i = 0; i < r->n; i++) {
    const runner *const x = &r->items[i];
    if (x->peer && x->bytes == bytes && (!best || best_ms(x) < best_ms(best))) {
      best = x;
    }
  }
  return best;
}

static const runner *engine_report_own(const runners *const r, const bool bytes) {
  for (int i = 0; i < r->n; i++) {
    if (!r->items[i].peer && r->items[i].bytes == bytes) {
      return &r->items[i];
    }
  }
  return NULL;
}

static int name_length(const char *const name) {
  return (int)strcspn(name, "=");
}

static void print_runner(const runners *const r, const runner *const x, const double gop) {
  const runner *const tare =
      engine_report_own(r, true) ? engine_report_own(r, true) : engine_report_own(r, false);
  printf("| %s%.*s | %.3f (%.3f) | %.0f | %.1f | ", x->peer ? "ort " : "", name_length(x->name),
         x->name, best_ms(x), timing_median(&x->times), gop / (best_ms(x) * 1e-3),
         100 * engine_report_share(r, x, gop));
  if (x == tare) {
    printf("%.2f x its repeated run when new |\n", x->first);
  } else {
    printf("%.2f |\n", best_ms(x) / best_ms(tare));
  }
}

void report_point(const plans *const p, const runners *const r, const int point,
                  summary *const out) {
  const double gop = operations(p, point) * 1e-9;
  const runner *const int8 = engine_report_own(r, true), *const fp32 = engine_report_own(r, false);
  const runner *const peer = best_peer(r, true), *const slow = best_peer(r, false);
  *out = (summary){.threads = r->threads, .gop = gop};
  engine_report_point_text(p, point, out->point, sizeof out->point);
  if (int8) {
    out->int8 = best_ms(int8);
    out->int8_median = timing_median(&int8->times);
    out->int8_share = engine_report_share(r, int8, gop);
    out->first = int8->first;
  }
  if (fp32) {
    out->fp32 = best_ms(fp32);
    out->fp32_median = timing_median(&fp32->times);
    out->fp32_share = engine_report_share(r, fp32, gop);
  }
  if (peer) {
    out->int8_name = peer->name;
    out->peer_int8 = best_ms(peer);
    out->peer_int8_median = timing_median(&peer->times);
  }
  if (slow) {
    out->f32_name = slow->name;
    out->peer_f32 = best_ms(slow);
    out->peer_f32_median = timing_median(&slow->times);
  }
  printf("\n%s, %d thread%s, %.3f GOP; peaks %s %.0f, %s %.0f GOP/s\n\n", out->point, r->threads,
         r->threads > 1 ? "s" : "", gop, r->peak_i8_name, r->peak_i8 * 1e-9, r->peak_f32_name,
         r->peak_f32 * 1e-9);
  printf(
      "| run | ms best (median) | GOP/s | %% of its peak | its time over tare's |\n"
      "|---|---|---|---|---|\n");
  for (int i = 0; i < r->n; i++) {
    print_runner(r, &r->items[i], gop);
  }
  fflush(stdout);
}

/* "-" where either time is missing. */
static void engine_report_print_ratio(const double peer, const double tare) {
  if (peer > 0 && tare > 0) {
    printf(" %.2f |", peer / tare);
  } else {
    printf(" - |");
  }
}

static void engine_report_print_times(const double best, const double median) {
  if (best > 0) {
    printf(" %.3f (%.3f) |", best, median);
  } else {
    printf(" - |");
  }
}

static void engine_report_print_name(const char *const name) {
  printf(" %.*s |", name ? name_length(name) : 1, name ? name : "-");
}

static void print_int8(const summary *const s) {
  printf("| %s | %d | %.2f |", s->point, s->threads, s->gop);
  engine_report_print_times(s->int8, s->int8_median);
  printf(" %.0f |", 100 * s->int8_share);
  engine_report_print_name(s->int8_name);
  engine_report_print_times(s->peer_int8, s->peer_int8_median);
  engine_report_print_ratio(s->peer_int8, s->int8);
  printf(" %.2f |\n", s->first);
}

static void print_float(const summary *const s) {
  printf("| %s | %d |", s->point, s->threads);
  engine_report_print_times(s->fp32, s->fp32_median);
  printf(" %.0f |", 100 * s->fp32_share);
  engine_report_print_name(s->f32_name);
  engine_report_print_times(s->peer_f32, s->peer_f32_median);
  engine_report_print_ratio(s->peer_f32, s->fp32);
  engine_report_print_ratio(s->peer_f32, s->int8);
  printf("\n");
}

void report_summaries(const summary *const items, const int n) {
  printf(
      "\n| length | threads | GOP | int8 ms (median) | %% of peak | best peer | ms (median) "
      "| tare over it | new length |\n|---|---|---|---|---|---|---|---|---|\n");
  bool floats = false;
  for (int i = 0; i < n; i++) {
    print_int8(&items[i]);
    floats |= items[i].fp32 > 0 || items[i].peer_f32 > 0;
  }
  if (floats) {
    printf(
        "\n| length | threads | float ms (median) | %% of peak | best float peer | ms (median) "
        "| float over it | int8 over it |\n|---|---|---|---|---|---|---|---|\n");
  }
  for (int i = 0; i < n && floats; i++) {
    print_float(&items[i]);
  }
}
