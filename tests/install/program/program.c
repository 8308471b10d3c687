/* What places.sh builds: prints the version of the library, and the length of the first sample. */
#include <inttypes.h>
#include <stdio.h>
#include <tare/tare.h>

int main(const int argc, char **const argv) {
  tare_model *model = NULL;
  tare_dataset *data = NULL;
  tare_dataset_options options;
  const tare_sample *sample = NULL;
  tare_error err = {0};
  if (argc != 3 || tare_model_load(argv[1], &model, &err) != TARE_OK) {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
    return 1;
  }
  const char *const path = argv[2];
  tare_dataset_options_init(&options);
  options.n_inputs = tare_model_inputs(model, &options.inputs);
  tare_status status = tare_dataset_open(&path, 1, &options, &data, &err);
  if (status == TARE_OK) {
    status = tare_dataset_next(data, &sample, &err);
  }
  if (status == TARE_OK && sample) {
    printf("%s %" PRId64 "\n", tare_version(), tare_tensor_count(&sample->tensors[0]));
  } else {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
  }
  tare_dataset_close(&data);
  tare_model_free(&model);
  return tare_status_exit_code(status);
}
