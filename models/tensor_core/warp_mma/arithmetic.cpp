// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/warp_mma/arithmetic.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "models/numeric/fused_parts.h"
#include "models/numeric/mma.h"

namespace spica::tensor_core::warp_mma {

namespace {

using numeric::Format;

constexpr unsigned kMost = 32 * 32;  // elements of a block of A, B or C

/// Where element x of a lane lies, in elements from the start of the fragment.
std::uint32_t index_of(FragmentMap::Holder holder, Format format) {
  const unsigned per_word = 32 / numeric::info(format).stored_bits;
  return (holder.x / per_word * kLanes + holder.lane) * per_word + holder.x % per_word;
}

/// Bits of the lane's number that tell copies of an element apart.
unsigned copy_bits(const FragmentMap& map) {
  unsigned bits = 0;
  for (unsigned bit = 1; bit < kLanes; bit *= 2)
    if (map.place(bit, 0) == map.place(0, 0)) bits |= bit;
  return bits;
}

/// Lanes that differ in `bit` hold the same.
template <unsigned bit>
bool agree(const std::uint32_t* words, unsigned registers) {
  using Words [[gnu::vector_size(16)]] = std::uint32_t;
  const auto load = [&](unsigned i) {
    Words four;
    std::memcpy(&four, words + i, sizeof four);
    return four;
  };
  Words different{};
  for (unsigned first = 0; first < registers * kLanes; first += 2 * bit)
    for (unsigned i = first; i < first + bit; i += 4) different |= load(i) ^ load(i + bit);
  return (different[0] | different[1] | different[2] | different[3]) == 0;
}
bool agree(const std::uint32_t* words, unsigned registers, unsigned bits) {
  switch (bits) {
    case 0: return true;
    case 4: return agree<4>(words, registers);  // Volta's B,
    case 8: return agree<8>(words, registers);  // and A
    default: return false;
  }
}

}  // namespace

Arithmetic::Arithmetic(const Operation& operation, const numeric::SumRule& rule)
    : operation_(operation),
      rule_(rule),
      a_copies_(copy_bits(operation.a)),
      b_copies_(copy_bits(operation.b)) {
  struct Region {
    std::set<unsigned> rows, columns;  // of C
  };
  std::map<unsigned, Region> regions;  // by copy
  Region all;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned x = 0; x < operation.c.elements(); ++x) {
      const Place place = operation.c.place(lane, x);
      for (Region* region : {&regions[lane & (a_copies_ | b_copies_)], &all}) {
        region->rows.insert(place.row);
        region->columns.insert(place.column);
      }
    }
  }
  for (const auto& [copy, region] : regions) blocks_.push_back(block(region.rows, region.columns, copy));
  whole_ = block(all.rows, all.columns, 0);
  const unsigned per_word = 32 / numeric::bits(operation.shape().accumulate);
  for (Indices& sources : sources_) sources.resize(whole_.c.size() / per_word);
  for (std::uint32_t i = 0; i < whole_.c.size(); ++i)
    sources_[whole_.c[i] % per_word][whole_.c[i] / per_word] = i;
}

Arithmetic::Block Arithmetic::block(const std::set<unsigned>& rows, const std::set<unsigned>& columns,
                                    unsigned copy) const {
  const isa::MmaForm& form = operation_.shape();
  Block block;
  block.rows = static_cast<unsigned>(rows.size());
  block.columns = static_cast<unsigned>(columns.size());
  for (const unsigned row : rows)
    for (unsigned k = 0; k < form.k; ++k)
      block.a.push_back(index_of(operation_.a.holder({row, k}, copy), form.operand));
  for (unsigned k = 0; k < form.k; ++k)
    for (const unsigned column : columns)
      block.b.push_back(index_of(operation_.b.holder({k, column}, copy), form.operand));
  for (const unsigned row : rows) {
    for (const unsigned column : columns) {
      const auto holder = operation_.c.holder({row, column}, 0);
      block.c.push_back(index_of(holder, form.accumulate));
      block.part.push_back(static_cast<std::uint8_t>(holder.x / operation_.part_elements));
    }
  }
  return block;
}

void Arithmetic::multiply(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                          std::uint32_t* d) const {
  if (agree(a, operation_.a_registers(), a_copies_) && agree(b, operation_.b_registers(), b_copies_))
    return run(whole_, a, b, c, d, kAll);
  std::array<std::uint32_t, kMost> sums;
  const std::size_t words = std::size_t{operation_.c_registers()} * kLanes;
  std::copy_n(c, words, sums.begin());
  for (const Block& block : blocks_) run(block, a, b, sums.data(), sums.data(), kAll);
  std::copy_n(sums.begin(), words, d);
}

void Arithmetic::multiply_step(unsigned step, const std::uint32_t* a, const std::uint32_t* b,
                               std::uint32_t* c) const {
  for (const Block& block : blocks_) run(block, a, b, c, c, step);
}

void Arithmetic::run(const Block& block, const std::uint32_t* a, const std::uint32_t* b,
                     const std::uint32_t* c, std::uint32_t* d, unsigned step) const {
  alignas(32) std::uint32_t sums[kMost];
  const auto count = static_cast<std::uint32_t>(block.c.size());
  if (operation_.shape().accumulate == Format::kFp16) numeric::gather_halves(c, block.c.data(), count, sums);
  else numeric::gather(c, block.c.data(), count, sums);
  const unsigned first = step == kAll ? 0 : step / operation_.parts();
  const unsigned last = step == kAll ? operation_.sets() : first + 1;
  if (operation_.has_scales()) add_scaled(block, a, b, sums);
  else if (numeric::info(operation_.shape().operand).is_float) add_floats(block, a, b, sums, first, last);
  else add_integers(block, a, b, sums, first, last);
  if (&block == &whole_) put_all(sums, d);
  else put_some(block, sums, d, step);
}

void Arithmetic::put_all(const std::uint32_t* sums, std::uint32_t* d) const {
  const auto count = static_cast<std::uint32_t>(sources_[0].size());
  numeric::gather(sums, sources_[0].data(), count, d);
  if (operation_.shape().accumulate != Format::kFp16) return;
  std::uint32_t upper[kMost / 2];
  numeric::gather(sums, sources_[1].data(), count, upper);
  for (std::uint32_t i = 0; i < count; ++i) d[i] |= upper[i] << 16;
}

void Arithmetic::put_some(const Block& block, const std::uint32_t* sums, std::uint32_t* d,
                          unsigned step) const {
  const bool halves = operation_.shape().accumulate == Format::kFp16;
  for (std::size_t i = 0; i < block.c.size(); ++i) {
    if (step != kAll && block.part[i] != step % operation_.parts()) continue;
    const unsigned at = block.c[i];
    if (!halves) {
      d[at] = sums[i];
    } else {
      const unsigned shift = 16 * (at % 2);
      d[at / 2] = (d[at / 2] & ~(0xFFFFu << shift)) | sums[i] << shift;
    }
  }
}

void Arithmetic::add_floats(const Block& block, const std::uint32_t* a, const std::uint32_t* b,
                            std::uint32_t* sums, unsigned first_set, unsigned last_set) const {
  struct alignas(32) Numbers {
    float values[kMost];
    std::int32_t exponents[kMost];
  };
  Numbers left, right;
  const isa::MmaForm& form = operation_.shape();
  const auto take_apart = [&form](const std::uint32_t* words, const Indices& indices, Numbers& numbers) {
    const auto count = static_cast<std::uint32_t>(indices.size());
    if (form.operand == Format::kFp16)
      return numeric::take_apart(words, indices.data(), count, numbers.values, numbers.exponents);
    return numeric::take_apart(form.operand, words, indices.data(), count, numbers.values, numbers.exponents);
  };
  const bool a_finite = take_apart(a, block.a, left), b_finite = take_apart(b, block.b, right);
  const unsigned k = first_set * operation_.terms;
  numeric::add_fused_dot(
      rule_, {{left.values + k, left.exponents + k, form.k},
              {right.values + k * block.columns, right.exponents + k * block.columns, block.columns},
              a_finite && b_finite,
              sums,
              block.columns,
              block.rows,
              block.columns / 8,
              (last_set - first_set) * operation_.terms});
}

/// Of a whole operation: its only step along k.
void Arithmetic::add_scaled(const Block& block, const std::uint32_t* a, const std::uint32_t* b,
                            std::uint32_t* sums) const {
  const isa::MmaForm& form = operation_.shape();
  const numeric::OperandInfo& operands = numeric::operand_info(form.operand, form.scale);
  const unsigned bits = numeric::bits(form.operand), per_word = 32 / numeric::info(form.operand).stored_bits;
  const auto codes = [&](const std::uint32_t* words, const Indices& indices, std::uint32_t* to) {
    for (const std::uint32_t i : indices)
      *to++ = words[i / per_word] >> i % per_word * (32 / per_word) & ((1u << bits) - 1);
  };
  std::uint32_t left[kMost], right[kMost];
  codes(a, block.a, left);
  codes(b, block.b, right);
  const unsigned blocks = form.k / operands.scale_block;
  std::uint8_t of_rows[kLanes * 4], of_columns[kLanes * 4];
  const std::uint32_t* const scales_a = a + isa::kScaleRegister * kLanes;
  const std::uint32_t* const scales_b = b + isa::kScaleRegister * kLanes;
  for (unsigned i = 0; i < blocks; ++i) {
    for (unsigned row = 0; row < block.rows; ++row)
      of_rows[row * blocks + i] = static_cast<std::uint8_t>(scales_a[row] >> 8 * i);
    for (unsigned column = 0; column < block.columns; ++column)
      of_columns[i * block.columns + column] = static_cast<std::uint8_t>(scales_b[column] >> 8 * i);
  }
  numeric::Mma(rule_, operands)(left, right, of_rows, of_columns, sums, sums, block.rows, block.columns,
                                form.k);
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
