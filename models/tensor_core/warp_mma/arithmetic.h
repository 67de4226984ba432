// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/tensor_core/warp_mma/operation.h"

namespace spica::tensor_core::warp_mma {

/// What an operation does to fragments, without time.
///
/// Fragments  register rows of kLanes words, one behind the other; elements of less than 32 bits fill a word from its low
///            end
/// Operands   a step takes the copies of A and B that the lanes of its own part of C work with (Volta: those of their
///            workgroup); when all copies are equal, as loads leave them, that makes no difference
class Arithmetic {
 public:
  Arithmetic(const Operation& operation, numeric::SumRule rule);

  /// All steps: C += A * B.
  void multiply(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c) const;
  /// One of them.
  void multiply_step(unsigned step, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c) const;

 private:
  /// A part of C whose lanes use the same copies of A and B. All are dense matrices of indices into the fragments, in
  /// elements.
  struct Block {
    unsigned rows = 0, columns = 0;
    std::vector<std::uint16_t> a, b, c;
    std::vector<std::uint8_t> part;  // of the elements of c
  };
  static constexpr unsigned kAll = ~0u;
  void run(const Block& block, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c,
           unsigned step) const;
  void add_floats(const Block& block, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* sums,
                  unsigned first_set, unsigned last_set) const;
  void add_integers(const Block& block, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* sums,
                    unsigned first_set, unsigned last_set) const;

  const Operation& operation_;
  const numeric::SumRule rule_;
  std::vector<Block> blocks_;
};

}  // namespace spica::tensor_core::warp_mma
