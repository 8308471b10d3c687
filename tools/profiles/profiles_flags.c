#include <stdio.h>
#include <stdlib.h>

#include "tools/profiles/profiles.h"

void profiles_print_flags(const cli_list *const specs) {
  puts("");
  for (int i = 0; i < specs->n; i++) {
    char *const word = cli_quoted(specs->items[i]);
    printf("--profile %s%s\n", word, i + 1 < specs->n ? " \\" : "");
    free(word);
  }
}

void profiles_json_flags(cJSON *const object, const cli_list *const specs) {
  cJSON *const list = json_add(object, "chosen", json_array());
  for (int i = 0; i < specs->n; i++) {
    json_text(list, NULL, specs->items[i]);
  }
}
