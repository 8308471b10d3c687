#include "tools/compare/details/details.h"

static void details_give(cJSON *const object, const char *const name, cJSON **const member) {
  if (*member) {
    json_add(object, name, *member);
    *member = NULL;
  }
}

void details_json(cJSON *const object, compare_details *const details) {
  details_give(object, "length_histograms", &details->lengths);
  details_give(object, "tensors", &details->tensors);
  details_give(object, "ranges", &details->ranges);
  details_give(object, "plan", &details->plan);
}

void details_fini(compare_details *const details) {
  cJSON_Delete(details->lengths);
  cJSON_Delete(details->tensors);
  cJSON_Delete(details->ranges);
  cJSON_Delete(details->plan);
  *details = (compare_details){0};
}
