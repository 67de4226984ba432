// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "models/numeric/fused_dot.h"
#include "models/tensor_core/warp_mma/operation.h"

namespace spica::tensor_core::warp_mma {

/// The effect of an operation on fragments, without timing.
///
/// Fragments  consecutive register rows of kLanes words; elements of less than 32 bits fill a word from its low
///            end
/// Operands   a step uses the copies of A and B in the lanes that hold its part of C (Volta: in their workgroup). If
///            all copies are equal, as loads leave them, this makes no difference
class Arithmetic {
 public:
  /// `rule`: of floating-point products, in the format of the operation's sums.
  Arithmetic(const Operation& operation, const numeric::SumRule& rule);

  /// All steps: D = A * B + C. D may be the same fragment as any operand.
  void multiply(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                std::uint32_t* d) const;
  /// One step: C += A * B.
  void multiply_step(unsigned step, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c) const;

 private:
  using Indices = std::vector<std::uint32_t>;
  /// A part of C whose lanes use the same copies of A and B. All members are dense matrices of positions in the
  /// fragments, counted in elements.
  struct Block {
    unsigned rows = 0, columns = 0;
    Indices a, b, c;
    std::vector<std::uint8_t> part;  // parts of the elements of c
  };
  static constexpr unsigned kAll = ~0u;
  Block block(const std::set<unsigned>& rows, const std::set<unsigned>& columns, unsigned copy) const;
  void run(const Block& block, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
           std::uint32_t* d, unsigned step) const;
  void put_all(const std::uint32_t* sums, std::uint32_t* d) const;
  void put_some(const Block& block, const std::uint32_t* sums, std::uint32_t* d, unsigned step) const;
  void add_floats(const Block& block, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* sums,
                  unsigned first_set, unsigned last_set) const;
  void add_scaled(const Block& block, const std::uint32_t* a, const std::uint32_t* b,
                  std::uint32_t* sums) const;
  void add_integers(const Block& block, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* sums,
                    unsigned first_set, unsigned last_set) const;

  const Operation& operation_;
  const numeric::SumRule rule_;
  const unsigned a_copies_, b_copies_;  // lane bits that distinguish the copies
  std::vector<Block> blocks_;  // by copy
  Block whole_;  // used if the copies are equal
  std::array<Indices, 2> sources_;  // by word of D: the positions in `whole_` of its elements
};

}  // namespace spica::tensor_core::warp_mma
