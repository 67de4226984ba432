// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/blocks.h"

namespace spica::network {

Blocks find_blocks(const std::vector<std::string>& keys) {
  constexpr std::size_t kShortest = 3;
  Blocks best;
  std::size_t saved = 0;
  for (std::size_t length = kShortest; 3 * length <= keys.size(); ++length) {
    std::size_t same = 0;  // operators up to here that are equal to those `length` before them
    for (std::size_t i = length; i < keys.size(); ++i) {
      same = keys[i] == keys[i - length] ? same + 1 : 0;
      const std::size_t count = same / length + 1;
      if (count < 3 || (count - 2) * length <= saved) continue;
      saved = (count - 2) * length;
      best = {i + 1 - count * length, length, count};
    }
  }
  return best;
}

}  // namespace spica::network
