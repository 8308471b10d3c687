#include "tests/unit/kernels/checkkern.h"

#include <ctype.h>

static const char *const families[] = {
#define FAMILY(family, type) #family,
    TAREI_KERNEL_FAMILIES(FAMILY)
#undef FAMILY
};
enum { N_FAMILIES = sizeof families / sizeof *families };

/* letters and digits, at least one, a letter first */
static const char *skip_types(const char *p) {
  assert_true(islower((unsigned char)*p));
  while (islower((unsigned char)*p) || isdigit((unsigned char)*p)) {
    p++;
  }
  return p;
}

static const char *skip_number(const char *p) {
  assert_true(isdigit((unsigned char)*p) && *p != '0');
  while (isdigit((unsigned char)*p)) {
    p++;
  }
  return p;
}

/* tarei_k_<family>_<types>_<tile>__<isa>, the tile N or NxM */
static void names_follow_the_grammar(void **state) {
  (void)state;
  const tarei_kernel_row *rows;
  const int n = tarei_kernel_rows(&rows);
  for (int i = 0; i < n; i++) {
    char prefix[64];
    snprintf(prefix, sizeof prefix, "tarei_k_%s_", rows[i].family);
    assert_memory_equal(rows[i].name, prefix, strlen(prefix));
    const char *p = skip_types(rows[i].name + strlen(prefix));
    assert_int_equal(*p, '_');
    p = skip_number(p + 1);
    p = *p == 'x' ? skip_number(p + 1) : p;
    assert_memory_equal(p, "__", 2);
    unsigned mask;
    assert_true(tarei_isa_parse(p + 2, &mask));
    assert_int_equal(mask, rows[i].isa);
  }
}

static void each_family_ends_with_its_only_scalar_row(void **state) {
  (void)state;
  const tarei_kernel_row *rows;
  const int n = tarei_kernel_rows(&rows);
  for (int f = 0; f < N_FAMILIES; f++) {
    int scalars = 0, last = -1;
    for (int i = 0; i < n; i++) {
      if (!strcmp(rows[i].family, families[f])) {
        scalars += rows[i].isa == TAREI_ISA_SCALAR;
        last = i;
      }
    }
    assert_int_equal(scalars, 1);
    assert_int_equal(rows[last].isa, TAREI_ISA_SCALAR);
  }
}

static void selection_keeps_to_the_allowed_features(void **state) {
  (void)state;
  tarei_kernels k;
  tarei_kernels_select(TAREI_ISA_SCALAR, &k);
#define IS_SCALAR(family, type) \
  assert_non_null(k.family);    \
  assert_non_null(strstr(k.family##_name, "__scalar"));
  TAREI_KERNEL_FAMILIES(IS_SCALAR)
#undef IS_SCALAR
  unsigned avx2;
  assert_true(tarei_isa_parse("avx2", &avx2));
  tarei_kernels_select(avx2, &k);
  const bool has_avx2 = tarei_isa_detect() & TAREI_ISA_AVX2;
  assert_non_null(strstr(k.i8_gemm_name, has_avx2 ? "__avx2" : "__scalar"));
  unsigned vnni;
  assert_true(tarei_isa_parse("avx512vnni", &vnni));
  tarei_kernels_select(vnni, &k);
  const bool has_vnni = tarei_isa_detect() & TAREI_ISA_AVX512VNNI;
  assert_true(!has_vnni || strstr(k.i8_gemm_name, "__avx512vnni"));
}

static void isa_lists_are_parsed(void **state) {
  (void)state;
  unsigned mask = 77;
  assert_true(tarei_isa_parse("scalar", &mask));
  assert_int_equal(mask, 0);
  assert_true(tarei_isa_parse("avx512vnni,avxvnni", &mask));
  assert_int_equal(mask, TAREI_ISA_AVX2 | TAREI_ISA_AVXVNNI | TAREI_ISA_AVX512 |
                             TAREI_ISA_AVX512VNNI);
  assert_true(tarei_isa_parse("native", &mask));
  assert_int_equal(mask, TAREI_ISA_ALL);
  assert_true(tarei_isa_parse("any", &mask));
  assert_int_equal(mask, TAREI_ISA_ANY);
  mask = 5;
  static const char *const wrong[] = {"", "avx", "avx2,", ",avx2", "AVX2", "avx2 ", "avx5122"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_false(tarei_isa_parse(wrong[i], &mask));
    assert_int_equal(mask, 5);
  }
  assert_string_equal(tarei_isa_name(0), "scalar");
  assert_memory_equal(tarei_isa_choices(), "scalar, avx2, ", 14);
  assert_true(tarei_isa_parse("amxint8", &mask));
  assert_int_equal(mask, TAREI_ISA_AVX2 | TAREI_ISA_AVX512 | TAREI_ISA_AVX512VNNI |
                             TAREI_ISA_AVX512VBMI | TAREI_ISA_AMXINT8);
  assert_string_equal(tarei_isa_name(TAREI_ISA_AVX512VNNI), "avx512vnni");
}

static void activations_have_names(void **state) {
  (void)state;
  for (int i = 0; i < TAREI_ACT_COUNT; i++) {
    tarei_act act = TAREI_ACT_COUNT;
    assert_true(tarei_act_parse(tarei_act_name((tarei_act)i), &act));
    assert_int_equal(act, i);
  }
  tarei_act act;
  assert_false(tarei_act_parse("swish", &act));
  assert_string_equal(tarei_act_name(TAREI_ACT_COUNT), "unknown");
}

/* AVX2 without VNNI does, whatever this machine is; all features are those of this machine. */
static void some_instruction_sets_widen_bytes(void **state) {
  (void)state;
  static const struct {
    const char *list;
    bool widens;
  } cases[] = {{"scalar", false},     {"avx2", true},     {"avx512", true},   {"avxvnni", false},
               {"avx512vnni", false}, {"amxint8", false}, {"amxbf16", true},  {"neon", false},
               {"neondot", false},    {"any", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned mask;
    assert_true(tarei_isa_parse(cases[i].list, &mask));
    assert_int_equal(tarei_isa_widens_bytes(mask), cases[i].widens);
  }
  assert_int_equal(tarei_isa_widens_bytes(TAREI_ISA_ALL),
                   tarei_isa_widens_bytes(tarei_isa_detect()));
}

int names_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_follow_the_grammar),
      cmocka_unit_test(each_family_ends_with_its_only_scalar_row),
      cmocka_unit_test(selection_keeps_to_the_allowed_features),
      cmocka_unit_test(isa_lists_are_parsed),
      cmocka_unit_test(some_instruction_sets_widen_bytes),
      cmocka_unit_test(activations_have_names),
  };
  return cmocka_run_group_tests_name("kernels.names", tests, ck_seed, NULL);
}
