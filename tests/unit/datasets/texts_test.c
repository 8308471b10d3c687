/* Texts through a tokenizer: what files with texts give, and how they can be wrong. */
#include <sys/stat.h>
#include <zlib.h>

#include "data_helper.h"

#define TOKENIZER(name) TARE_SOURCE_DIR "/tests/fixtures/tokenizers/" name
#define BOM "\xef\xbb\xbf"

enum { UNK = 1, CLS, SEP, MY = 5, CARD = 9, IS = 11, LOST, TRANSFER, COMMA, PLEASE, CANCEL, QUOTE };

static tare_port ports[3];
static tare_dataset_options options;

static int set_up(void **state) {
  ports[0] = port("input_ids", TARE_I64, 2);
  ports[1] = port("attention_mask", TARE_I64, 2);
  ports[2] = port("token_type_ids", TARE_I32, 2);
  options = options_for(ports, 3);
  options.tokenizer = TOKENIZER("words.json");
  return make_scratch(state);
}

static void put_file(const char *const name, const char *const text, const size_t bytes) {
  FILE *const f = fopen(at(name), "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, bytes, f), bytes);
  assert_int_equal(fclose(f), 0);
}

static void put_text(const char *const name, const char *const text) {
  put_file(name, text, strlen(text));
}

/* A sample: tokens up to a zero; the text to which each belongs; a label or NULL. */
typedef struct expected {
  int64_t ids[12];
  int32_t types[12];
  const char *label;
} expected;

static void expect_sample(const tare_sample *const sample, const expected *const wanted) {
  const int64_t *const ids = sample->tensors[0].data, *const mask = sample->tensors[1].data;
  const int32_t *const types = sample->tensors[2].data;
  int64_t n = 0;
  for (; wanted->ids[n]; n++) {
    assert_true(n < tare_tensor_count(&sample->tensors[0]));
    assert_int_equal(ids[n], wanted->ids[n]);
    assert_int_equal(mask[n], 1);
    assert_int_equal(types[n], wanted->types[n]);
  }
  for (int i = 0; i < 3; i++) {
    assert_int_equal(tare_tensor_count(&sample->tensors[i]), n);
    assert_int_equal(sample->tensors[i].rank, 1);
  }
  assert_int_equal(sample->label_text != NULL, wanted->label != NULL);
  assert_true(!wanted->label || strcmp(sample->label_text, wanted->label) == 0);
}

/* With one thread and with three, which finish samples in any order. */
static void expect(const char *const path, const tare_dataset_options *const given, const int n,
                   const expected *const all) {
  for (int threads = 1; threads <= 3; threads += 2) {
    tare_dataset_options o = *given;
    o.threads = threads;
    tare_dataset *data = open_data(path, &o);
    assert_int_equal(tare_dataset_count(data), n);
    for (int i = 0; i < n; i++) {
      expect_sample(next_sample(data), &all[i]);
    }
    assert_null(next_sample(data));
    tare_dataset_close(&data);
  }
}

static const expected MY_CARD = {{MY, CARD}, {0}, NULL}, IS_LOST = {{IS, LOST}, {0}, NULL};

static void lines_are_samples(void **state) {
  (void)state;
  put_text("a.txt", BOM "My card\r\n\r\n\nis  lost");
  expect(at("a.txt"), &options, 2, (const expected[]){MY_CARD, IS_LOST});
  gzFile f = gzopen(at("a.txt.gz"), "wb");
  assert_non_null(f);
  assert_int_equal(gzputs(f, BOM "My card\r\n\r\n\nis  lost"), 23);
  assert_int_equal(gzclose(f), Z_OK);
  expect(at("a.txt.gz"), &options, 2, (const expected[]){MY_CARD, IS_LOST});
}

static void files_are_samples(void **state) {
  (void)state;
  tare_dataset_options o = options;
  o.text_files = true;
  put_text("whole.txt", BOM "My card\r\n\r\nis lost\n");
  expect(at("whole.txt"), &o, 1, (const expected[]){{{MY, CARD, IS, LOST}, {0}, NULL}});
  put_text("empty.txt", "");
  refuse_sample(at("empty.txt"), o, 0, 1, "empty.txt[0]: the text has no tokens");
}

static void tables_have_quotes_and_labels(void **state) {
  (void)state;
  tare_dataset_options o = options;
  o.labels = "why";
  put_text("a.csv", BOM
           "why,text,x\r\nlost,\"My card, "
           "\"\"lost\"\"\",1\r\n\r\n\"a\nb\",\"is\r\nlost\",\r\n\"\",please "
           "cancel,\"\"");
  expect(at("a.csv"), &o, 3,
         (const expected[]){{{MY, CARD, COMMA, QUOTE, LOST, QUOTE}, {0}, "lost"},
                            {{IS, LOST}, {0}, "a\nb"},
                            {{PLEASE, CANCEL}, {0}, ""}});
  put_text("a.tsv", "x\ttext\twhy\n1\tmy card, please\t\"a\tb\"\n");
  expect(at("a.tsv"), &o, 1, (const expected[]){{{MY, CARD, COMMA, PLEASE}, {0}, "a\tb"}});
}

static void columns_are_chosen(void **state) {
  (void)state;
  tare_dataset_options o = options;
  o.text = "body";
  put_text("b.csv", "text,body\ncancel,my card\n");
  expect(at("b.csv"), &o, 1, &MY_CARD);
  put_text("b.jsonl", BOM
           "{\"text\": \"cancel\", \"body\": \"my card\", \"why\": 3}\r\n\r\n"
           "{\"body\":\"\\u0069s \\ud83d\\ude00\\nlost\", \"why\": \"x\"}");
  o.labels = "why";
  expect(at("b.jsonl"), &o, 2,
         (const expected[]){{{MY, CARD}, {0}, "3"}, {{IS, UNK, LOST}, {0}, "x"}});
}

static void pairs_have_types(void **state) {
  (void)state;
  tare_dataset_options o = options;
  o.tokenizer = TOKENIZER("words_pairs.json");
  o.text_pair = "reply";
  const expected both = {{CLS, MY, CARD, SEP, IS, LOST, SEP}, {0, 0, 0, 0, 1, 1, 1}, NULL};
  put_text("p.csv", "text,reply\nmy card,is lost\n");
  expect(at("p.csv"), &o, 1, &both);
  put_text("p.jsonl", "{\"reply\": \"is lost\", \"text\": \"my card\"}\n");
  expect(at("p.jsonl"), &o, 1, &both);
  o.max_tokens = 5;
  expect(at("p.csv"), &o, 1, (const expected[]){{{CLS, MY, SEP, IS, SEP}, {0, 0, 0, 1, 1}, NULL}});
}

/* Special tokens alone are a sample. */
static void texts_without_words(void **state) {
  (void)state;
  tare_dataset_options o = options;
  put_text("none.txt", "my card\n \t \nis lost\n");
  refuse_sample(at("none.txt"), o, 1, 1, "none.txt[1]: line 2: the text has no tokens");
  o.tokenizer = TOKENIZER("words_pairs.json");
  expect(at("none.txt"), &o, 3,
         (const expected[]){{{CLS, MY, CARD, SEP}, {0}, NULL},
                            {{CLS, SEP}, {0}, NULL},
                            {{CLS, IS, LOST, SEP}, {0}, NULL}});
}

static void folders_and_manifests_name_texts(void **state) {
  (void)state;
  tare_dataset_options o = options;
  assert_int_equal(mkdir(at("in"), 0700), 0);
  put_text("in/1.txt", "my card\n");
  put_text("in/2.csv", "text\nis lost\n");
  put_text("in/3.md", "not data");
  expect(at("in"), &o, 2, (const expected[]){MY_CARD, IS_LOST});
  put_text("list.csv", "path,why\nin/1.txt,x\n");
  o.labels = "why";
  expect(at("list.csv"), &o, 1, (const expected[]){{{MY, CARD}, {0}, "x"}});
  put_text("both.csv", "path,text,why\nin/1.txt,is lost,y\n"); /* holds texts itself */
  expect(at("both.csv"), &o, 1, (const expected[]){{{IS, LOST}, {0}, "y"}});
}

/* Reading goes back to an earlier sample by beginning anew. */
static void data_are_read_again(void **state) {
  (void)state;
  put_text("again.csv", "text\nmy card\nis lost\n");
  tare_dataset *data = open_data(at("again.csv"), &options);
  for (int pass = 0; pass < 3; pass++) {
    expect_sample(next_sample(data), &MY_CARD);
    tare_error err;
    assert_int_equal(tare_dataset_rewind(data, &err), TARE_OK);
  }
  expect_sample(next_sample(data), &MY_CARD);
  expect_sample(next_sample(data), &IS_LOST);
  assert_null(next_sample(data));
  tare_dataset_close(&data);
}

static void bad_samples_name_their_line(void **state) {
  (void)state;
  static const struct {
    const char *name, *text, *message;
    int good;
  } CASES[] = {
      {"u.txt", "my card\nmy \xff\n", "u.txt[1]: line 2: the text is not UTF-8 at byte 3", 1},
      {"n.csv", "text,x\nmy,1\nmy,1,2\nis,3\n", "n.csv[1]: line 3: has 3 fields, the header has 2",
       1},
      {"e.csv", "text,x\n,1\nmy,1\n", "e.csv[0]: line 2: the text has no tokens", 0},
      {"k.jsonl", "\n{\"x\": \"my\"}\n{\"text\": \"my\"}\n",
       "k.jsonl[0]: line 2: no 'text' in the object (--text names", 0},
      {"s.jsonl", "{\"text\": 5}\n", "s.jsonl[0]: line 1: 'text' is not a string", 0},
      {"o.jsonl", "[1]\n{\"text\": \"my\"}\n", "o.jsonl[0]: line 1: not a JSON object", 0},
      {"b.jsonl", "{\"text\": \"my\"} {\"text\": \"card\"}\n",
       "b.jsonl[0]: line 1: text behind the JSON object", 0},
      {"c.jsonl", "{\"text\": \"my\"\n", "c.jsonl[0]: line 1: not a JSON object", 0},
      {"z.jsonl", "{\"text\": \"my\\u0000card\"}\n", "line 1: strings with \\u0000", 0},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    put_text(CASES[i].name, CASES[i].text);
    refuse_sample(at(CASES[i].name), options, CASES[i].good, 1, CASES[i].message);
  }
  tare_dataset_options o = options;
  o.text_pair = "reply";
  put_text("p.jsonl", "{\"text\": \"my\"}\n");
  refuse_sample(at("p.jsonl"), o, 0, 1, "line 1: no 'reply' in the object");
  put_text("q.csv", "text,reply\nmy,\xc3\n");
  refuse_sample(at("q.csv"), o, 0, 1, "line 2: second text: the text is not UTF-8 at byte 0");
  o = options;
  o.labels = "why";
  put_text("l.jsonl", "{\"text\": \"my\"}\n");
  refuse_sample(at("l.jsonl"), o, 0, 1, "line 1: ");
}

static void files_without_texts(void **state) {
  (void)state;
  static const struct {
    const char *name, *text, *message;
  } CASES[] = {
      {"e.txt", "", "e.txt: holds no samples"},
      {"lines.txt", "\r\n\n", "lines.txt: holds no samples"},
      {"e.csv", "", "e.csv: has no header"},
      {"h.csv", "text\n", "h.csv: holds no samples"},
      {"q.csv", "text\n\"my card\n", "q.csv line 2: unterminated quote"},
      {"s.tsv", "text\nmy \"card\"\n", "s.tsv line 2: stray quote inside an unquoted field"},
      {"e.jsonl", "\n", "e.jsonl: holds no samples"},
      {"cut.txt.gz", "\x1f\x8b\x08", "cut.txt.gz: "},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    put_text(CASES[i].name, CASES[i].text);
    refuse_open(at(CASES[i].name), &options, TARE_E_INPUT, CASES[i].message);
  }
  put_file("nul.txt", "my\0card\n", 8);
  refuse_open(at("nul.txt"), &options, TARE_E_INPUT, "nul.txt line 1: holds a NUL byte");
  put_file("nul.csv", "text\nmy\0card\n", 13);
  refuse_open(at("nul.csv"), &options, TARE_E_INPUT, "nul.csv line 2: holds a NUL byte");
}

static void options_that_files_cannot_meet(void **state) {
  (void)state;
  put_text("t.txt", "my card\n");
  put_text("t.csv", "text,why\nmy card,1\n");
  put_text("t.jsonl", "{\"text\": \"my\"}\n");
  tare_dataset_options o = options;
  o.text = "body";
  refuse_open(at("t.txt"), &o, TARE_E_USAGE, "no column 'body': plain text has no columns");
  refuse_open(at("t.csv"), &o, TARE_E_USAGE, "unknown column 'body', expected one of text, why");
  o = options;
  o.text_pair = "reply";
  refuse_open(at("t.txt"), &o, TARE_E_USAGE, "no column 'reply': plain text has no columns");
  refuse_open(at("t.csv"), &o, TARE_E_USAGE, "unknown column 'reply'");
  o = options;
  o.labels = "label";
  refuse_open(at("t.txt"), &o, TARE_E_USAGE, "no labels 'label': plain text has labels only");
  refuse_open(at("t.csv"), &o, TARE_E_USAGE, "unknown column 'label'");
  o = options;
  o.text_files = true;
  refuse_open(at("t.csv"), &o, TARE_E_USAGE, "--text-files is for plain text (.txt)");
  refuse_open(at("t.jsonl"), &o, TARE_E_USAGE, "--text-files is for plain text (.txt)");
  o = options;
  o.special_tokens = "bos";
  refuse_open(at("t.txt"), &o, TARE_E_USAGE, "special tokens follow from its post-processor");
  o.special_tokens = "both";
  refuse_open(at("t.txt"), &o, TARE_E_USAGE, "unknown special tokens 'both'");
  o = options;
  o.max_tokens = -1;
  refuse_open(at("t.txt"), &o, TARE_E_USAGE, "must not be negative");
}

static void inputs_that_tokens_do_not_feed(void **state) {
  (void)state;
  put_text("i.txt", "my card\n");
  tare_port other[2] = {port("tokens", TARE_I64, 2), port("x", TARE_I64, 2)};
  tare_dataset_options o = options;
  o.inputs = other;
  o.n_inputs = 1; /* the only one gets the tokens, whatever its name */
  tare_dataset *data = open_data(at("i.txt"), &o);
  assert_int_equal(((const int64_t *)next_sample(data)->tensors[0].data)[1], CARD);
  tare_dataset_close(&data);
  o.n_inputs = 2;
  refuse_open(at("i.txt"), &o, TARE_E_USAGE, "a tokenizer does not feed input 'tokens'");
  const tare_mapping maps[] = {{.input = "tokens", .path = "input_ids"},
                               {.input = "x", .path = "attention_mask"}};
  o.mappings = maps;
  o.n_mappings = 2;
  data = open_data(at("i.txt"), &o);
  assert_int_equal(((const int64_t *)next_sample(data)->tensors[1].data)[1], 1);
  tare_dataset_close(&data);
  other[0].dtype = TARE_F32;
  refuse_open(at("i.txt"), &o, TARE_E_USAGE,
              "input 'tokens' is float32: tokens are int64 or int32");
}

/* Without a tokenizer the same files are lists and manifests: a hint where texts may be meant. */
static void hints_at_the_tokenizer(void **state) {
  (void)state;
  tare_dataset_options o = options;
  o.tokenizer = NULL;
  put_text("h.csv", "text\nmy card\n");
  put_text("h.txt", "my card\n");
  put_text("h.jsonl", "{\"text\": \"my card\"}\n");
  refuse_open(at("h.csv"), &o, TARE_E_INPUT, "only 'text' (texts need --tokenizer)");
  refuse_open(at("h.txt"), &o, TARE_E_USAGE, "(texts need --tokenizer)");
  refuse_open(at("h.jsonl"), &o, TARE_E_INPUT, "(texts need --tokenizer)");
  assert_int_equal(mkdir(at("texts"), 0700), 0);
  put_text("texts/1.txt", "my card\n");
  refuse_open(at("texts"), &o, TARE_E_INPUT, "(texts need --tokenizer)");
  const tare_port audio = port("audio", TARE_F32, 2);
  o = options_for(&audio, 1);
  tare_dataset *data = NULL;
  tare_error err = {0};
  const char *const path = at("h.csv");
  assert_int_equal(tare_dataset_open(&path, 1, &o, &data, &err), TARE_E_INPUT);
  assert_null(strstr(err.message, "tokenizer"));
}

int texts_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_samples),
      cmocka_unit_test(files_are_samples),
      cmocka_unit_test(tables_have_quotes_and_labels),
      cmocka_unit_test(columns_are_chosen),
      cmocka_unit_test(pairs_have_types),
      cmocka_unit_test(texts_without_words),
      cmocka_unit_test(folders_and_manifests_name_texts),
      cmocka_unit_test(data_are_read_again),
      cmocka_unit_test(bad_samples_name_their_line),
      cmocka_unit_test(files_without_texts),
      cmocka_unit_test(options_that_files_cannot_meet),
      cmocka_unit_test(inputs_that_tokens_do_not_feed),
      cmocka_unit_test(hints_at_the_tokenizer),
  };
  return cmocka_run_group_tests_name("datasets/texts", tests, set_up, remove_scratch);
}
