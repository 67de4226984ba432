// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::barrier {

/// Which warps wait, and for which others, in both modes.
class BarrierView {
 public:
  virtual unsigned ids() const = 0;
  /// Cores waiting at barrier `id`, one bit per core of the cluster.
  virtual std::uint32_t arrived(unsigned id) const = 0;

 protected:
  ~BarrierView() = default;
};

}  // namespace spica::barrier
