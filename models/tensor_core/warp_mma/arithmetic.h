// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "models/tensor_core/warp_mma/operation.h"

namespace spica::tensor_core::warp_mma {

/// What an operation does to fragments, without time.
///
/// Fragments  consecutive register rows of kLanes words; elements of less than 32 bits fill a word from its low
///            end
/// Operands   a step takes the copies of A and B that the lanes of its own part of C work with (Volta: those of their
///            workgroup); when all copies are equal, as loads leave them, that makes no difference
class Arithmetic {
 public:
  Arithmetic(const Operation& operation, numeric::SumRule rule);

  /// All steps: D = A * B + C. D may be any of the others.
  void multiply(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                std::uint32_t* d) const;
  /// One of them: C += A * B.
  void multiply_step(unsigned step, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c) const;

 private:
  using Indices = std::vector<std::uint32_t>;
  /// A part of C whose lanes use the same copies of A and B. All are dense matrices of places in the fragments, in
  /// elements.
  struct Block {
    unsigned rows = 0, columns = 0;
    Indices a, b, c;
    std::vector<std::uint8_t> part;  // of the elements of c
  };
  static constexpr unsigned kAll = ~0u;
  Block block(const std::set<unsigned>& rows, const std::set<unsigned>& columns, unsigned copy) const;
  void run(const Block& block, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
           std::uint32_t* d, unsigned step) const;
  void put_all(const std::uint32_t* sums, std::uint32_t* d) const;
  void put_some(const Block& block, const std::uint32_t* sums, std::uint32_t* d, unsigned step) const;
  void add_floats(const Block& block, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* sums,
                  unsigned first_set, unsigned last_set) const;
  void add_integers(const Block& block, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* sums,
                    unsigned first_set, unsigned last_set) const;

  const Operation& operation_;
  const numeric::SumRule rule_;
  const unsigned a_copies_, b_copies_;  // bits of the lane that tell the copies apart
  std::vector<Block> blocks_;  // by copy
  Block whole_;  // for when the copies are equal
  std::array<Indices, 2>
      sources_;  // by place in a word of D: where in `whole_` the element of each word comes from
};

}  // namespace spica::tensor_core::warp_mma
