// SPDX-License-Identifier: Apache-2.0
// Element-wise additions next to matrix products: kernels that are limited by memory.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/machine/session/streams.h"
#include "platform/workloads/operands.h"

namespace spica::job {
class Job;
}

namespace spica::workloads {

/// C = A + B, each with its own m x n matrices, by the kernel `add` of gemm_tile.
class ElementwiseAdditions {
 public:
  /// Throws UserError if they do not fit into memory.
  ElementwiseAdditions(const std::vector<GemmSize>& sizes, std::uint64_t seed);

  void write(job::Job& job) const;
  /// One stream per addition.
  std::vector<session::Stream> streams(unsigned rounds) const;
  /// True if all sums are right.
  bool check(job::Job& job) const;

 private:
  struct Addition {
    GemmSize size;
    std::uint64_t a = 0, b = 0, c = 0;
    std::vector<float> of_a, of_b;
  };
  std::vector<Addition> all_;
};

}  // namespace spica::workloads
