// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/block_operand.h"

#include <cmath>
#include <limits>

#include "platform/workloads/arithmetic.h"
#include "testbenches/support/catch.h"

using namespace spica;
using numeric::BlockFormat;
using workloads::BlockOperand;

namespace {

/// Rows of `k` numbers whose blocks of 32 differ by powers of two.
std::vector<float> uneven(std::uint32_t across, std::uint32_t k, std::uint64_t seed) {
  std::vector<float> values = workloads::make_operand(std::uint64_t{across} * k, seed);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(values[i], static_cast<int>(i / 32 % 7) * 6 - 18);
  return values;
}

}  // namespace

TEST_CASE("numbers in blocks are within half a step of the largest of their block") {
  const std::vector<float> values = uneven(3, 96, 5);
  const BlockOperand operand = workloads::in_blocks(BlockFormat::kMxFp8E4m3, values, 3, 96);
  CHECK(operand.blocks() == 3);
  CHECK(operand.scales.size() == 9);
  const std::vector<float> rounded = operand.values(BlockFormat::kMxFp8E4m3);
  for (std::size_t block = 0; block < 9; ++block) {
    float most = 0, worst = 0;
    for (std::size_t i = block * 32; i < block * 32 + 32; ++i) {
      most = std::max(most, std::fabs(values[i]));
      worst = std::max(worst, std::fabs(rounded[i] - values[i]));
    }
    CHECK(worst > 0);
    CHECK(worst <= most / 8);  // beyond the largest number: cut off
  }
}

TEST_CASE("a product of blocks is the chain of a block times both scales") {
  const BlockFormat format = BlockFormat::kMxFp4E2m1;
  const BlockOperand a = workloads::in_blocks(format, uneven(2, 64, 1), 2, 64);
  const BlockOperand b = workloads::in_blocks(format, uneven(3, 64, 2), 3, 64);
  const std::vector<float> c = workloads::exact_block_product(format, a, b, 1);
  for (unsigned i = 0; i < 2; ++i) {
    for (unsigned j = 0; j < 3; ++j) {
      float sum = 0;  // sums of 32 products of E2M1 are exact in FP32
      for (unsigned block = 0; block < 2; ++block) {
        double exact = 0;
        for (unsigned k = 32 * block; k < 32 * block + 32; ++k)
          exact += static_cast<double>(a.elements[i * 64 + k]) * static_cast<double>(b.elements[j * 64 + k]);
        const int scales = a.scales[i * 2 + block] + b.scales[j * 2 + block] - 254;
        sum += static_cast<float>(std::ldexp(exact, scales));
      }
      CHECK(c[i * 3 + j] == sum);
    }
  }
  const std::vector<float> rows = workloads::rows_of_b(format, b), columns = b.values(format);
  CHECK(rows[5 * 3 + 2] == columns[2 * 64 + 5]);
}

TEST_CASE("scales of tensor cores with fragments lie apart, operation by operation and row by row") {
  workloads::GemmDesign design;
  for (const BlockFormat format : {BlockFormat::kMxFp4E2m1, BlockFormat::kNvFp4}) {
    const BlockOperand a = workloads::in_blocks(format, uneven(3, 128, 6), 3, 128);
    const unsigned per_row = 64 / numeric::info(format).block;
    REQUIRE(a.blocks() == 2 * per_row);
    design.scale_depth = 64;
    const std::vector<unsigned char> bytes = workloads::memory_of_scales(design, a);
    REQUIRE(bytes.size() == 3 * a.blocks());
    for (unsigned step = 0; step < 2; ++step)
      for (unsigned row = 0; row < 3; ++row)
        for (unsigned i = 0; i < per_row; ++i)
          CHECK(bytes[(step * 3 + row) * per_row + i] == a.scales[row * a.blocks() + step * per_row + i]);
  }
}

TEST_CASE("a scale that is NaN makes the elements of C NaN that have its block") {
  const BlockFormat format = BlockFormat::kMxInt8;
  std::vector<float> values(64, 1.0f);
  values[40] = std::numeric_limits<float>::infinity();
  const BlockOperand a = workloads::in_blocks(format, values, 2, 32);
  const BlockOperand b = workloads::in_blocks(format, std::vector<float>(32, 0.5f), 1, 32);
  const std::vector<float> c = workloads::exact_block_product(format, a, b, 1);
  CHECK(c[0] == 16);
  CHECK(std::isnan(c[1]));
}
