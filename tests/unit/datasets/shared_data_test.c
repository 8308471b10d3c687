/* The data that the project's models are tested with, where it is there. */
#include "data_helper.h"

static const char *const LAYOUTS[] = {"vlen", "ragged", "padded", "groups"};

static tare_dataset *open_intents(const char *const layout) {
  char path[PATH_CAPACITY];
  snprintf(path, sizeof path, "%s/calib-%s.h5", SHARED("data/intents"), layout);
  const tare_port ports[] = {port("input_ids", TARE_I64, 2), port("attention_mask", TARE_I64, 2)};
  const tare_dataset_options options = options_for(ports, 2);
  return open_data(path, &options);
}

static void four_layouts_give_the_same_samples(void **state) {
  (void)state;
  NEED_SHARED("data/intents");
  tare_dataset *data[4];
  for (int l = 0; l < 4; l++) {
    data[l] = open_intents(LAYOUTS[l]);
    assert_int_equal(tare_dataset_count(data[l]), 200);
  }
  for (int i = 0; i < 200; i++) {
    const tare_sample *samples[4];
    for (int l = 0; l < 4; l++) {
      samples[l] = next_sample(data[l]);
      assert_non_null(samples[l]);
      assert_int_equal(samples[l]->index, i);
      for (int t = 0; t < 2; t++) {
        const tare_tensor *const a = &samples[0]->tensors[t], *const b = &samples[l]->tensors[t];
        assert_int_equal(b->rank, 1);
        assert_int_equal(b->dims[0], a->dims[0]);
        assert_memory_equal(b->data, a->data, (size_t)a->dims[0] * sizeof(int64_t));
      }
    }
  }
  for (int l = 0; l < 4; l++) {
    assert_null(next_sample(data[l]));
    print_message("%s\n", tare_dataset_describe(data[l]));
    tare_dataset_close(&data[l]);
  }
}

static void labels_come_with_the_samples(void **state) {
  (void)state;
  NEED_SHARED("data/intents");
  const tare_port ports[] = {port("input_ids", TARE_I64, 2), port("attention_mask", TARE_I64, 2)};
  tare_dataset_options options = options_for(ports, 2);
  options.labels = "labels";
  tare_dataset *data = open_data(SHARED("data/intents/eval-vlen.h5"), &options);
  assert_int_equal(tare_dataset_count(data), 240);
  const tare_sample *sample;
  while ((sample = next_sample(data))) {
    assert_non_null(sample->label);
    assert_int_equal(sample->label->dtype, TARE_I64);
    assert_int_equal(sample->label->dims[0], sample->tensors[0].dims[0]);
  }
  tare_dataset_close(&data);
}

static void golden_cases_are_samples(void **state) {
  (void)state;
  NEED_SHARED("golden");
  const tare_port audio = port("audio", TARE_F32, 2);
  const tare_dataset_options options = options_for(&audio, 1);
  tare_dataset *data = open_data(SHARED("golden/digits-conv.h5"), &options);
  print_message("%s\n", tare_dataset_describe(data));
  const tare_sample *sample = next_sample(data);
  assert_int_equal(sample->tensors[0].rank, 2);
  assert_int_equal(sample->tensors[0].dims[0], 3); /* "batch3" comes first by name */
  assert_int_equal(sample->tensors[0].dims[1], 9000);
  sample = next_sample(data);
  assert_int_equal(sample->tensors[0].dims[0], 1);
  assert_int_equal(sample->tensors[0].dims[1], 12345);
  tare_dataset_close(&data);
}

static void speech_folder_is_read_by_its_labels(void **state) {
  (void)state;
  NEED_SHARED("data/digits-espeak");
  const tare_port audio = port("audio", TARE_F32, 2);
  tare_dataset_options options = options_for(&audio, 1);
  options.labels = "digits";
  options.rate = 8000;
  tare_dataset *data = open_data(SHARED("data/digits-espeak/calib/"), &options);
  print_message("%s\n", tare_dataset_describe(data));
  assert_int_equal(tare_dataset_count(data), 50);
  const tare_sample *sample = next_sample(data);
  assert_string_equal(sample->label_text, "934133379951");
  assert_int_equal(sample->tensors[0].rank, 1);
  assert_int_equal(sample->tensors[0].dims[0], 46153);
  int n = 1;
  while (next_sample(data)) {
    n++;
  }
  assert_int_equal(n, 50);
  tare_dataset_close(&data);
}

static void clips_of_all_kinds_are_read(void **state) {
  (void)state;
  NEED_SHARED("data/speech-clips");
  const tare_port audio = port("audio", TARE_F32, 2);
  tare_dataset_options options = options_for(&audio, 1);
  options.rate = 16000;
  tare_dataset *data = open_data(SHARED("data/speech-clips"), &options);
  assert_int_equal(tare_dataset_count(data), 9);
  for (int i = 0; i < 9; i++) {
    assert_non_null(next_sample(data));
  }
  tare_dataset_close(&data);
}

int shared_data_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_layouts_give_the_same_samples),
      cmocka_unit_test(labels_come_with_the_samples),
      cmocka_unit_test(golden_cases_are_samples),
      cmocka_unit_test(speech_folder_is_read_by_its_labels),
      cmocka_unit_test(clips_of_all_kinds_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
