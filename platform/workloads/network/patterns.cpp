// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/patterns.h"

#include <algorithm>

namespace spica::network {

std::vector<Draft> find_patterns(Matcher& matcher) {
  std::vector<Draft> drafts;
  // Each node is the anchor of at most one pattern of this list, except Sigmoid: GELU and SiLU exclude each other.
  const auto patterns = {match_layer_norm, match_rms_norm, match_group_norm, match_gelu,
                         match_silu,       match_rotary,   match_softmax};
  for (std::size_t i = 0; i < matcher.graph().nodes.size(); ++i) {
    for (const auto match : patterns) {
      if (!matcher.live(i) || matcher.claimed(i)) break;
      std::optional<Draft> draft = match(matcher, i);
      // A constant with more axes than x would add axes to the result.
      if (!draft || matcher.extents(draft->outputs[0]) != matcher.extents(draft->inputs[0])) continue;
      std::sort(draft->nodes.begin(), draft->nodes.end());
      matcher.claim(draft->nodes);
      drafts.push_back(std::move(*draft));
    }
  }
  return drafts;
}

}  // namespace spica::network
