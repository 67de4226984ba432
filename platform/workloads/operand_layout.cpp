// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/operand_layout.h"

namespace spica::workloads {

namespace {

/// The position of the element that is number `x` of `across` and number `k` of `depth`.
std::uint64_t place(OperandLayout layout, std::uint64_t x, std::uint64_t k, std::uint64_t across,
                    std::uint64_t depth) {
  switch (layout) {
    case OperandLayout::kAcross: return k * across + x;
    case OperandLayout::kAlongK: return x * depth + k;
    case OperandLayout::kPairsAcross: return k / 2 * 2 * across + 2 * x + k % 2;
    case OperandLayout::kSwizzledA: return (x / 8 * 8 + k / 2 % 8) * depth + k / 16 * 16 + x % 8 * 2 + k % 2;
    case OperandLayout::kSwizzledB: return (k / 2 * 2 + x / 8 % 2) * across + x / 16 * 16 + x % 8 * 2 + k % 2;
    case OperandLayout::
        kRowsOfKA: {  // a word of k of 128 rows fills a block, and a tile has 8 blocks side by side
      const std::uint64_t block = k % 128 / 2, word = x % 128;
      return (x / 128 * 128 + block / 8 * 16 + word / 8) * depth + k / 128 * 128 + block % 8 * 16 +
             word % 8 * 2 + k % 2;
    }
    case OperandLayout::
        kRowsOfKB: {  // two words of k of 64 columns fill a block, and a tile has 4 side by side
      const std::uint64_t block = k % 128 / 4, word = k / 2 % 2 * 64 + x % 64;
      return (k / 128 * 128 + block / 4 * 16 + word / 8) * across + x / 64 * 64 + block % 4 * 16 +
             word % 8 * 2 + k % 2;
    }
    case OperandLayout::kDecoupledC: {  // x: row, k: column
      const std::uint64_t lane = x % 4 + k % 2 * 4, number = k % 16 / 4 * 8 + x % 16 / 4 * 2 + k % 4 / 2;
      return (x / 16 * (depth / 16) + k / 16) * 256 + number % 16 * 16 + number / 16 * 8 + lane;
    }
    case OperandLayout::kDecoupledA:
    case OperandLayout::kDecoupledB: break;
  }
  // A row of a 16 x 16 block becomes one 32-byte block of the tensor core: two rows (or columns) with eight
  // elements of k each; eight such rows are a set of k.
  const std::uint64_t set = k % 32 / 8, row = set % 2 * 8 + x % 16 / 2, column = x % 2 * 8 + k % 8;
  if (layout == OperandLayout::kDecoupledA) return (x / 16 * 16 + row) * depth + k / 16 * 16 + column;
  const std::uint64_t block_row = k / 32 * 2 + x / 16 % 2, block_column = x / 32 * 2 + set / 2;
  return (block_row * 16 + row) * across + block_column * 16 + column;
}

/// The same of an element that is not as wide as what the layout places.
std::uint64_t place(OperandLayout layout, std::uint64_t x, std::uint64_t k, std::uint64_t across,
                    std::uint64_t depth, Packing packing) {
  const auto slots = [&](std::uint64_t elements) { return elements * packing.bits / packing.slot_bits; };
  const std::uint64_t slot = place(layout, x, slots(k), across, slots(depth));
  if (packing.bits > packing.slot_bits) return slot / slots(1);
  const std::uint64_t elements = packing.slot_bits / packing.bits;
  return slot * elements + k % elements;
}

std::vector<float> transposed(const std::vector<float>& matrix, std::uint32_t rows, std::uint32_t columns) {
  std::vector<float> result(matrix.size());
  for (std::uint64_t i = 0; i < rows; ++i)
    for (std::uint64_t j = 0; j < columns; ++j) result[j * rows + i] = matrix[i * columns + j];
  return result;
}

}  // namespace

std::vector<float> arranged_a(const std::vector<float>& a, std::uint32_t m, std::uint32_t k,
                              OperandLayout layout, Packing packing) {
  if (packing.bits == packing.slot_bits && layout == OperandLayout::kAlongK) return a;
  if (packing.bits == packing.slot_bits && layout == OperandLayout::kAcross) return transposed(a, m, k);
  std::vector<float> result(a.size());
  for (std::uint64_t i = 0; i < m; ++i)
    for (std::uint64_t l = 0; l < k; ++l) result[place(layout, i, l, m, k, packing)] = a[i * k + l];
  return result;
}

std::vector<float> arranged_b(const std::vector<float>& b, std::uint32_t k, std::uint32_t n,
                              OperandLayout layout, Packing packing) {
  if (packing.bits == packing.slot_bits && layout == OperandLayout::kAcross) return b;
  if (packing.bits == packing.slot_bits && layout == OperandLayout::kAlongK) return transposed(b, k, n);
  std::vector<float> result(b.size());
  for (std::uint64_t l = 0; l < k; ++l)
    for (std::uint64_t j = 0; j < n; ++j) result[place(layout, j, l, n, k, packing)] = b[l * n + j];
  return result;
}

template <class Number>
std::vector<Number> gathered_c(const std::vector<Number>& memory, std::uint32_t m, std::uint32_t n,
                               OperandLayout layout) {
  std::vector<Number> result(memory.size());
  for (std::uint64_t i = 0; i < m; ++i)
    for (std::uint64_t j = 0; j < n; ++j) result[i * n + j] = memory[place(layout, i, j, m, n)];
  return result;
}

template std::vector<float> gathered_c(const std::vector<float>&, std::uint32_t, std::uint32_t,
                                       OperandLayout);
template std::vector<std::int32_t> gathered_c(const std::vector<std::int32_t>&, std::uint32_t, std::uint32_t,
                                              OperandLayout);
template std::vector<std::uint16_t> gathered_c(const std::vector<std::uint16_t>&, std::uint32_t,
                                               std::uint32_t, OperandLayout);

}  // namespace spica::workloads
