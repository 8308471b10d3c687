#include "graph/loop_lists.h"

#include "graph/ir/internal_attrs.h"

tarei_loop_list tarei_loop_list_of(const tarei_node *const node, const int i) {
  int n = 0;
  const int64_t *const pairs = tarei_attr_ints(node, TAREI_ATTR_LISTS, &n);
  return i < n / 2 ? (tarei_loop_list){pairs[2 * i], pairs[2 * i + 1] != 0}
                   : (tarei_loop_list){.stacks = true};
}

int tarei_loop_list_axis(const tarei_loop_list list, const int rank) {
  const int all = rank + list.stacks;
  const int64_t axis = list.axis < 0 ? list.axis + all : list.axis;
  return all <= TARE_MAX_RANK && axis >= 0 && axis < all ? (int)axis : -1;
}
