// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include "models/protocol/ports/tensor_if.h"
#include "models/tensor_core/dot_product.h"
#include "models/tensor_core/rule_dot_product.h"
#include "models/tensor_core/tensor_core_params.h"
#include "models/tensor_core/tile_layout.h"

namespace spica::tensor_core {

/// The effect of tensor instructions on registers, without timing, for both modes.
class Arithmetic {
 public:
  explicit Arithmetic(const TensorCoreParams& params) : kernels_(dot_product_kernels(params.operand)) {
    if (const auto rule = params.sum_rule()) rule_.emplace(*rule, params.format());
  }

  /// wmma: the active lanes of both accumulator rows are replaced by the results; operands of all lanes are used.
  void multiply_pair(unsigned step, std::uint32_t lanes, const protocol::TensorPair& rows) const {
    if (lanes == kAllLanes) return multiply_step(step, rows.a, rows.b, rows.c);
    PairOfRows results;
    std::memcpy(results.words, rows.c, sizeof results);
    multiply_step(step, rows.a, rows.b, results.words);
    for (std::uint32_t rest = lanes & kAllLanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      rows.c[lane] = results.words[lane];
      rows.c[protocol::kTensorLanes + lane] = results.words[protocol::kTensorLanes + lane];
    }
  }

  /// hgmma: accumulator row `c` of one position; `a`, `b`: its blocks (tile_layout.h).
  void multiply_row(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c) const {
    if (rule_) rule_->tile(a, b, c);
    else kernels_.tile(a, b, c);
  }
  /// A whole hgmma: `c` are the 32 floating-point rows, `a` and `b` the tiles in shared memory.
  void multiply_tiles(const unsigned char* a, const unsigned char* b, std::uint32_t* c) const {
    Tile tile_a, tile_b;
    std::memcpy(tile_a.words, a, sizeof tile_a);
    std::memcpy(tile_b.words, b, sizeof tile_b);
    for (unsigned position = 0; position < tile::kPositions; ++position)
      multiply_row(tile_a.words + tile::a_offset(position) / 4, tile_b.words + tile::b_offset(position) / 4,
                   c + protocol::kTensorLanes * (position % tile::kRegisters));
  }

 private:
  static constexpr std::uint32_t kAllLanes = (1u << protocol::kTensorLanes) - 1;
  struct alignas(32) PairOfRows {
    std::uint32_t words[2 * protocol::kTensorLanes];
  };
  struct alignas(32) Tile {
    std::uint32_t words[tile::kBytes / 4];
  };

  void multiply_step(unsigned step, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c) const {
    if (rule_) rule_->step(step, a, b, c);
    else kernels_.step[step](a, b, c);
  }

  const DotProductKernels& kernels_;
  std::optional<RuleDotProduct> rule_;  // instead of the kernels
};

}  // namespace spica::tensor_core
