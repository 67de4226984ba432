// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/warp_mma/arithmetic.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace spica::tensor_core::warp_mma {

namespace {

using numeric::Format;

constexpr unsigned kMost = 32 * 32;  // elements of a block of A, B or C

/// Where element x of a lane lies, in elements from the start of the fragment.
std::uint16_t index_of(FragmentMap::Holder holder, Format format) {
  const unsigned per_word = 32 / numeric::bits(format);
  return static_cast<std::uint16_t>((holder.x / per_word * kLanes + holder.lane) * per_word +
                                    holder.x % per_word);
}

/// Bits of the lane's number that tell copies of an element apart.
unsigned copy_bits(const FragmentMap& map) {
  unsigned bits = 0;
  for (unsigned bit = 1; bit < kLanes; bit *= 2)
    if (map.place(bit, 0) == map.place(0, 0)) bits |= bit;
  return bits;
}

std::uint16_t half_at(const std::uint32_t* words, unsigned index) {
  return static_cast<std::uint16_t>(words[index / 2] >> 16 * (index % 2));
}

}  // namespace

Arithmetic::Arithmetic(const Operation& operation, numeric::SumRule rule)
    : operation_(operation), rule_(rule) {
  const isa::MmaForm& form = operation.shape();
  const unsigned copies = copy_bits(operation.a) | copy_bits(operation.b);
  std::map<unsigned, std::pair<std::set<unsigned>, std::set<unsigned>>>
      regions;  // rows and columns of C, by copy
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned x = 0; x < operation.c.elements(); ++x) {
      const Place place = operation.c.place(lane, x);
      regions[lane & copies].first.insert(place.row);
      regions[lane & copies].second.insert(place.column);
    }
  }
  for (const auto& [copy, region] : regions) {
    Block block;
    block.rows = static_cast<unsigned>(region.first.size());
    block.columns = static_cast<unsigned>(region.second.size());
    for (const unsigned row : region.first)
      for (unsigned k = 0; k < form.k; ++k)
        block.a.push_back(index_of(operation.a.holder({row, k}, copy), form.operand));
    for (unsigned k = 0; k < form.k; ++k)
      for (const unsigned column : region.second)
        block.b.push_back(index_of(operation.b.holder({k, column}, copy), form.operand));
    for (const unsigned row : region.first) {
      for (const unsigned column : region.second) {
        const auto holder = operation.c.holder({row, column}, 0);
        block.c.push_back(index_of(holder, form.accumulate));
        block.part.push_back(static_cast<std::uint8_t>(holder.x / operation.part_elements));
      }
    }
    blocks_.push_back(std::move(block));
  }
}

void Arithmetic::multiply(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c) const {
  for (const Block& block : blocks_) run(block, a, b, c, kAll);
}

void Arithmetic::multiply_step(unsigned step, const std::uint32_t* a, const std::uint32_t* b,
                               std::uint32_t* c) const {
  for (const Block& block : blocks_) run(block, a, b, c, step);
}

void Arithmetic::run(const Block& block, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c,
                     unsigned step) const {
  alignas(32) std::uint32_t sums[kMost];
  const bool halves = operation_.shape().accumulate == Format::kFp16;
  for (std::size_t i = 0; i < block.c.size(); ++i) sums[i] = halves ? half_at(c, block.c[i]) : c[block.c[i]];
  const unsigned first = step == kAll ? 0 : step / operation_.parts();
  const unsigned last = step == kAll ? operation_.sets() : first + 1;
  if (numeric::info(operation_.shape().operand).is_float) add_floats(block, a, b, sums, first, last);
  else add_integers(block, a, b, sums, first, last);
  for (std::size_t i = 0; i < block.c.size(); ++i) {
    if (step != kAll && block.part[i] != step % operation_.parts()) continue;
    const unsigned at = block.c[i];
    if (!halves) {
      c[at] = sums[i];
    } else {
      const unsigned shift = 16 * (at % 2);
      c[at / 2] = (c[at / 2] & ~(0xFFFFu << shift)) | sums[i] << shift;
    }
  }
}

void Arithmetic::add_floats(const Block& block, const std::uint32_t* a, const std::uint32_t* b,
                            std::uint32_t* sums, unsigned first_set, unsigned last_set) const {
  struct alignas(32) Numbers {
    std::int32_t significands[kMost], exponents[kMost];
  };
  const auto gather = [](const std::vector<std::uint16_t>& indices, const std::uint32_t* words,
                         Numbers& numbers) {
    std::uint16_t halves[kMost];
    for (std::size_t i = 0; i < indices.size(); ++i) halves[i] = half_at(words, indices[i]);
    numeric::take_apart(halves, static_cast<std::uint32_t>(indices.size()), numbers.significands,
                        numbers.exponents);
  };
  Numbers left, right;
  gather(block.a, a, left);
  gather(block.b, b, right);
  const isa::MmaForm& form = operation_.shape();
  const auto accumulator =
      form.accumulate == Format::kFp16 ? numeric::Accumulator::kFp16 : numeric::Accumulator::kFp32;
  for (unsigned k = first_set * operation_.terms; k < last_set * operation_.terms;
       k += operation_.sum_terms) {
    numeric::add_fused_dot(
        rule_, accumulator,
        {{left.significands + k, left.exponents + k, form.k},
         {right.significands + k * block.columns, right.exponents + k * block.columns, block.columns},
         sums,
         block.columns,
         block.rows,
         block.columns / 8,
         operation_.sum_terms});
  }
}

void Arithmetic::add_integers(const Block& block, const std::uint32_t* a, const std::uint32_t* b,
                              std::uint32_t* sums, unsigned first_set, unsigned last_set) const {
  const isa::MmaForm& form = operation_.shape();
  std::int32_t left[kMost], right[kMost];
  for (std::size_t i = 0; i < block.a.size(); ++i) left[i] = numeric::integer_at(a, block.a[i], form.operand);
  for (std::size_t i = 0; i < block.b.size(); ++i)
    right[i] = numeric::integer_at(b, block.b[i], form.operand);
  for (unsigned row = 0; row < block.rows; ++row)
    for (unsigned k = first_set * operation_.terms; k < last_set * operation_.terms; ++k)
      for (unsigned column = 0; column < block.columns; ++column)
        sums[row * block.columns + column] +=
            static_cast<std::uint32_t>(left[row * form.k + k] * right[k * block.columns + column]);
}

}  // namespace spica::tensor_core::warp_mma
