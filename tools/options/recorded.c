#include "tools/options/recorded.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

/* A copy of a group that records instead of parsing. */
typedef struct recorded_group {
  struct argp argp;
  const struct argp *original;
  struct recorded_group *children;
  struct argp_child *argp_children; /* ends with zeros */
  int n;
  recorded *out;
} recorded_group;

static const struct argp_option *recorded_find(const struct argp *const group, const int key) {
  const struct argp_option *o = group->options;
  for (; o && (o->name || o->key || o->doc); o++) {
    if (o->name && o->key == key && !(o->flags & OPTION_ALIAS)) {
      return o;
    }
  }
  return NULL;
}

static error_t recorded_parse(const int key, char *const arg, struct argp_state *const state) {
  const recorded_group *const g = state->input;
  for (int i = 0; key == ARGP_KEY_INIT && i < g->n; i++) {
    state->child_inputs[i] = &g->children[i];
  }
  const struct argp_option *const o = recorded_find(g->original, key);
  if (!o) {
    return 0; /* arguments that are not options, and argp's own events */
  }
  char *const quoted = arg ? cli_quoted(arg) : NULL;
  recorded *const out = g->out;
  out->items = cli_realloc(out->items, (size_t)out->n + 1, sizeof *out->items);
  out->items[out->n++] = (recorded_option){
      .group = g->original,
      .name = o->name,
      .text = cli_format("--%s%s%s", o->name, quoted ? " " : "", quoted ? quoted : "")};
  free(quoted);
  return 0;
}

static int recorded_n_children(const struct argp *const argp) {
  int n = 0;
  while (argp->children && argp->children[n].argp) {
    n++;
  }
  return n;
}

static void recorded_copy(const struct argp *const argp, recorded *const out,
                          recorded_group *const into) {
  const int n = recorded_n_children(argp);
  *into = (recorded_group){
      .argp = {.options = argp->options, .parser = recorded_parse},
      .original = argp,
      .children = cli_realloc(NULL, (size_t)n + 1, sizeof *into->children),
      .argp_children = cli_realloc(NULL, (size_t)n + 1, sizeof *into->argp_children),
      .n = n,
      .out = out};
  for (int i = 0; i < n; i++) {
    recorded_copy(argp->children[i].argp, out, &into->children[i]);
    into->argp_children[i] = (struct argp_child){.argp = &into->children[i].argp};
  }
  into->argp_children[n] = (struct argp_child){0};
  into->argp.children = into->argp_children;
}

static void recorded_free_copy(recorded_group *const group) {
  for (int i = 0; i < group->n; i++) {
    recorded_free_copy(&group->children[i]);
  }
  free(group->children);
  free(group->argp_children);
}

void recorded_take(const struct argp *const argp, const int argc, char *const *const argv,
                   recorded *const out) {
  recorded_group root;
  char **const words = cli_realloc(NULL, (size_t)argc + 1, sizeof *words);
  memcpy(words, argv, (size_t)argc * sizeof *words); /* argp moves them */
  words[argc] = NULL;
  *out = (recorded){0};
  recorded_copy(argp, out, &root);
  (void)argp_parse(&root.argp, argc, words, ARGP_SILENT, NULL, &root); /* mistakes are said later */
  recorded_free_copy(&root);
  free(words);
}

void recorded_fini(recorded *const options) {
  for (int i = 0; i < options->n; i++) {
    free(options->items[i].text);
  }
  free(options->items);
  *options = (recorded){0};
}

char *recorded_append(char *text, const recorded *const options, const struct argp *const group,
                      const char *const except) {
  for (int i = 0; i < options->n; i++) {
    const recorded_option *const o = &options->items[i];
    if (o->group == group && !(except && strcmp(o->name, except) == 0)) {
      text = cli_append(text, " %s", o->text);
    }
  }
  return text;
}
