// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/host_queues/cluster_set.h"

namespace spica::protocol {

std::string ClusterSet::text() const {
  if (all()) return "all";
  std::string text;
  for (unsigned first = 0; first < kMost; ++first) {
    if (!contains(first)) continue;
    unsigned last = first;
    while (last + 1 < kMost && contains(last + 1)) ++last;
    text +=
        (text.empty() ? "" : ",") + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
    first = last;
  }
  return text;
}

}  // namespace spica::protocol
