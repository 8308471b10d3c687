#include "calib/eval/command_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/shell.h"
#include "base/unfinished.h"
#include "calib/eval/eval_save.h"
#include "calib/metrics/printed.h"

/* A path that is removed at the end, or by a signal. */
typedef struct command_path {
  char text[PATH_MAX];
  int mark;
  bool named; /* it is there */
} command_path;

struct tarei_command_files {
  tarei_command_case about;
  command_path folder, outputs, reference, labels;
  tarei_eval_save **sides;
  tarei_eval_save *labelled; /* NULL before the first label */
  bool has_labels;
};

static tare_status command_files_folder(tarei_command_files *const f, tare_error *const err) {
  const char *const set = getenv("TMPDIR");
  const char *const parent = set && *set ? set : "/tmp";
  const size_t room = sizeof f->folder.text - sizeof "/reference.h5";
  const int length = snprintf(f->folder.text, room, "%s/tare-metric-XXXXXX", parent);
  if (length < 0 || (size_t)length >= room ||
      !tarei_unfinished_folder(f->folder.text, &f->folder.mark)) {
    return tarei_fail(err, TARE_E_IO, "%s: cannot make a temporary folder: %s", parent,
                      (size_t)length >= room ? strerror(ENAMETOOLONG) : strerror(errno));
  }
  f->folder.named = true;
  const struct {
    command_path *path;
    const char *name;
  } files[] = {{&f->outputs, "outputs"}, {&f->reference, "reference"}, {&f->labels, "labels"}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    memcpy(files[i].path->text, f->folder.text, (size_t)length);
    (void)snprintf(files[i].path->text + length, PATH_MAX - (size_t)length, "/%s.h5",
                   files[i].name);
  }
  return TARE_OK;
}

tare_status tarei_command_files_new(const tarei_command_case *const about,
                                    tarei_command_files **const out, tare_error *const err) {
  tarei_command_files *f = tarei_calloc(1, sizeof *f);
  *out = f;
  if (!f) {
    return tarei_fail_memory(err, "metric command", sizeof *f);
  }
  f->about = *about;
  f->sides = tarei_calloc((size_t)about->n_sides, sizeof *f->sides);
  if (!f->sides) {
    return tarei_fail_memory(err, "metric command", (size_t)about->n_sides * sizeof *f->sides);
  }
  TAREI_TRY(command_files_folder(f, err));
  for (int s = 0; s < about->n_sides; s++) {
    const char *const path = s == about->reference ? f->reference.text : f->outputs.text;
    TAREI_TRY(tarei_eval_save_new(path, about->count, &f->sides[s], err));
  }
  return TARE_OK;
}

static tare_status command_files_label(tarei_command_files *const f, const int64_t number,
                                       const tare_sample *const sample, tare_error *const err) {
  static const char NAME[] = "label";
  if (!sample->label && !sample->label_text) {
    return TARE_OK;
  }
  if (!f->labelled) {
    TAREI_TRY(tarei_eval_save_new(f->labels.text, f->about.count, &f->labelled, err));
    f->has_labels = true;
  }
  TAREI_TRY(tarei_eval_save_sample(f->labelled, number, sample->name, err));
  return sample->label_text /* as it is: a number would lose the zeros before it */
             ? tarei_eval_save_text(f->labelled, number, NAME, sample->label_text, err)
             : tarei_eval_save_output(f->labelled, number, NAME, sample->label, sample->label->dims,
                                      err);
}

tare_status tarei_command_files_begin(tarei_command_files *const files, const int64_t number,
                                      const tare_sample *const sample, tare_error *const err) {
  for (int s = 0; s < files->about.n_sides; s++) {
    TAREI_TRY(tarei_eval_save_sample(files->sides[s], number, sample->name, err));
  }
  return command_files_label(files, number, sample, err);
}

tare_status tarei_command_files_output(tarei_command_files *const files, const int side,
                                       const int64_t number, const char *const output,
                                       const tare_tensor *const tensor,
                                       const int64_t *const extents, tare_error *const err) {
  return tarei_eval_save_output(files->sides[side], number, output, tensor, extents, err);
}

tare_status tarei_command_files_drop(tarei_command_files *const files, const int64_t sample,
                                     tare_error *const err) {
  for (int l = 0; l < files->about.n_levels; l++) {
    const int64_t number = sample * files->about.n_levels + l;
    for (int s = 0; s < files->about.n_sides; s++) {
      TAREI_TRY(tarei_eval_save_drop(files->sides[s], number, err));
    }
    TAREI_TRY(files->labelled ? tarei_eval_save_drop(files->labelled, number, err) : TARE_OK);
  }
  return TARE_OK;
}

/* The mark comes first, so that a signal finds the name as soon as it is there. */
static tare_status command_files_name(command_path *const path, tarei_eval_save **const save,
                                      tare_error *const err) {
  path->mark = tarei_unfinished_add(path->text);
  const tare_status status = tarei_eval_save_commit(*save, err);
  path->named = status == TARE_OK;
  tarei_eval_save_free(save);
  return status;
}

static void command_files_remove(command_path *const path) {
  if (path->named) {
    (void)unlink(path->text); /* nobody needs it */
  }
  path->named = false;
  tarei_unfinished_remove(path->mark);
  path->mark = 0;
}

tare_status tarei_command_files_finish(tarei_command_files *const files, tare_error *const err) {
  const int reference = files->about.reference;
  if (reference >= 0) {
    TAREI_TRY(command_files_name(&files->reference, &files->sides[reference], err));
  }
  return files->labelled ? command_files_name(&files->labels, &files->labelled, err) : TARE_OK;
}

static tare_status command_files_ask(const tarei_command_files *const f, const char *const outputs,
                                     const char *const command, const char *const output,
                                     tare_metric_states *const states, tare_error *const err) {
  const tarei_shell_variable variables[] = {
      {"TARE_OUTPUTS", outputs},
      {"TARE_REFERENCE", f->about.reference >= 0 ? f->reference.text : NULL},
      {"TARE_LABELS", f->has_labels ? f->labels.text : NULL},
      {"TARE_OUTPUT", output}};
  tarei_str text = {0};
  const tarei_shell_command run = {.what = "metric command",
                                   .text = command,
                                   .variables = variables,
                                   .n_variables = sizeof variables / sizeof *variables,
                                   .most = tarei_printed_most(states->n_rows),
                                   .seconds = states->settings.timeout,
                                   .option = "--metric-timeout"};
  tare_status status = tarei_shell_run(&run, &text, err);
  if (status == TARE_OK) {
    status = tarei_printed_read(command, tarei_str_get(&text), f->about.n_levels, states, err);
  }
  tarei_str_free(&text);
  return status;
}

tare_status tarei_command_files_run(tarei_command_files *const files, const int side,
                                    const char *const command, const char *const output,
                                    tare_metric_states *const states, tare_error *const err) {
  if (side == files->about.reference) {
    return command_files_ask(files, files->reference.text, command, output, states, err);
  }
  tare_status status = command_files_name(&files->outputs, &files->sides[side], err);
  if (status == TARE_OK) {
    status = command_files_ask(files, files->outputs.text, command, output, states, err);
  }
  command_files_remove(&files->outputs);
  return status;
}

void tarei_command_files_free(tarei_command_files **const files) {
  tarei_command_files *const f = *files;
  if (!f) {
    return;
  }
  for (int s = 0; f->sides && s < f->about.n_sides; s++) {
    tarei_eval_save_free(&f->sides[s]);
  }
  free(f->sides);
  tarei_eval_save_free(&f->labelled);
  command_files_remove(&f->outputs);
  command_files_remove(&f->reference);
  command_files_remove(&f->labels);
  if (f->folder.named) {
    (void)rmdir(f->folder.text); /* nobody needs it */
  }
  tarei_unfinished_remove(f->folder.mark);
  free(f);
  *files = NULL;
}
