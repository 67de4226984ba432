// SPDX-License-Identifier: Apache-2.0
// An example of docs/howto/find-a-memory-error.md: each thread adds up its list by recursion. That of thread 5
// has 600 nodes, the others 10. With -DFIXED a loop does it.
#include <simt.h>
#include <spawn.h>

struct Node {
  unsigned value;
  const Node* next;
};
static Node nodes[600];

#ifdef FIXED
static unsigned sum(const Node* node) {
  unsigned result = 0;
  SIMT_WHILE(node != nullptr)
    result += node->value;
    node = node->next;
  SIMT_END_WHILE
  return result;
}
#else
static unsigned __attribute__((noinline)) sum(const Node* node) {
  unsigned below = 0;
  SIMT_IF(node->next != nullptr)
    below = sum(node->next);
  SIMT_END_IF
  return node->value + below;
}
#endif

static const Node* lists[64];
static unsigned sums[64];

static void add_up(unsigned thread, void*) { sums[thread] = sum(lists[thread]); }

int main() {
  for (unsigned i = 0; i < 600; ++i) nodes[i] = {i, i + 1 < 600 ? &nodes[i + 1] : nullptr};
  for (unsigned i = 0; i < 64; ++i) lists[i] = &nodes[i == 5 ? 0 : 590];
  simt_barrier(0, 1);
  spawn_tasks(64, add_up, nullptr);
  return 0;
}
