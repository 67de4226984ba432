// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/rule_dot_product.h"

#include "models/protocol/ports/tensor_if.h"
#include "models/tensor_core/synchronous/fragment_layout.h"

namespace spica::tensor_core {

namespace {

constexpr unsigned kLanes = protocol::kTensorLanes;
constexpr unsigned kStepWords = 2, kTileWords = 4;  // of each operand in a dot product
constexpr unsigned kMostProducts = kTileWords * 8;

}  // namespace

void RuleDotProduct::step(unsigned step, const std::uint32_t* a, const std::uint32_t* b,
                          std::uint32_t* c) const {
  for (unsigned substep = 0; substep < 2; ++substep) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      std::uint32_t& sum = c[substep * kLanes + lane];
      sum = dot(a + accumulator_row(lane, step), b + accumulator_column(lane, step, substep), kStepWords,
                kLanes, sum);
    }
  }
}

void RuleDotProduct::tile(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c) const {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    c[lane] = dot(a + lane % 4 * kTileWords, b + lane / 4 * kTileWords, kTileWords, 1, c[lane]);
}

std::uint32_t RuleDotProduct::dot(const std::uint32_t* a, const std::uint32_t* b, unsigned words,
                                  unsigned distance, std::uint32_t c) const {
  const numeric::FormatInfo& format = numeric::info(operand_);
  const unsigned bits = format.stored_bits, per_word = 32 / bits;
  numeric::Number left[kMostProducts], right[kMostProducts];
  unsigned count = 0;
  for (unsigned word = 0; word < words; ++word) {
    for (unsigned i = 0; i < per_word; ++i, ++count) {
      left[count] = numeric::number_of(format, a[word * distance] >> i * bits);
      right[count] = numeric::number_of(format, b[word * distance] >> i * bits);
    }
  }
  return sum_(left, right, count, c);
}

}  // namespace spica::tensor_core
