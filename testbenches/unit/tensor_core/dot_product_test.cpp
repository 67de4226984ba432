// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/dot_product.h"

#include <cstring>
#include <random>
#include <vector>

#include "models/base/host_dispatch.h"
#include "models/numeric/convert.h"
#include "models/tensor_core/synchronous/fragment_layout.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/wmma_model.h"

using namespace spica;
using namespace spica::tensor_core;
using spica::base::HostCode;
using namespace spica::testbench;

namespace {

struct alignas(32) Registers {
  FragmentRegisters f;
};

void run_wmma(FragmentRegisters& registers, const DotProductKernels& kernels, unsigned bank) {
  Registers aligned{registers};
  auto& f = aligned.f;
  const unsigned c = 16 + 8 * bank;
  for (unsigned set = 0; set < 4; ++set)
    for (unsigned step = 0; step < 4; ++step)
      kernels.step[step](f[2 * set].data(), f[8 + 2 * set].data(), f[c + 2 * step].data());
  registers = f;
}

void check_against_model(Operand operand, WmmaMode mode, HostCode code) {
  const DotProductKernels& kernels = dot_product_kernels(operand, code);
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const bool special = round % 2 == 1;
    FragmentRegisters expected = random_fragments(random, mode == WmmaMode::kFp16, special);
    FragmentRegisters actual = expected;
    const unsigned bank = random() % 2;
    wmma_reference(expected, mode, bank);
    run_wmma(actual, kernels, bank);
    if (actual != expected) {
      for (unsigned reg = 0; reg < 32; ++reg)
        for (unsigned lane = 0; lane < 8; ++lane) {
          CAPTURE(round, reg, lane);
          REQUIRE(actual[reg][lane] == expected[reg][lane]);
        }
    }
  }
  SUCCEED();
}

void check_all_hosts(Operand operand, WmmaMode mode) {
  check_against_model(operand, mode, HostCode::kBaseline);
  if (spica::base::host_runs(HostCode::kAvx2)) check_against_model(operand, mode, HostCode::kAvx2);
}

}  // namespace

TEST_CASE("an FP32 wmma of the v1 unit equals the scalar model in every bit") {
  check_all_hosts(Operand::kFp32V1, WmmaMode::kFp32V1);
}

TEST_CASE("an FP32 wmma equals the scalar model in every bit") {
  check_all_hosts(Operand::kFp32, WmmaMode::kFp32);
}

TEST_CASE("an FP16 wmma equals the scalar model in every bit") {
  check_all_hosts(Operand::kFp16, WmmaMode::kFp16);
}

namespace {

/// The sum that one result gets, of `words` words of k: products and a binary tree over neighbours, all in FP32.
float tree(numeric::Format format, const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  const unsigned bits = numeric::info(format).stored_bits;
  std::vector<float> terms;
  for (std::size_t w = 0; w < a.size(); ++w)
    for (unsigned at = 0; at < 32; at += bits)
      terms.push_back(numeric::value_of(format, a[w] >> at) * numeric::value_of(format, b[w] >> at));
  while (terms.size() > 1) {
    for (std::size_t i = 0; i < terms.size() / 2; ++i) terms[i] = terms[2 * i] + terms[2 * i + 1];
    terms.resize(terms.size() / 2);
  }
  return terms.front();
}

std::uint32_t added(numeric::Format format, float sum, std::uint32_t c) {
  if (!numeric::info(format).is_float) return c + static_cast<std::uint32_t>(static_cast<std::int32_t>(sum));
  float value;
  std::memcpy(&value, &c, 4);
  value = sum + value;
  std::uint32_t word;
  std::memcpy(&word, &value, 4);
  return value != value ? 0x7FC0'0000 : word;
}

}  // namespace

TEST_CASE("a step in any format that fills words equals the scalar model in every bit") {
  std::mt19937 random(9);
  for (unsigned number = static_cast<unsigned>(Operand::kTf32);
       number <= static_cast<unsigned>(Operand::kInt4); ++number) {
    const auto operand = static_cast<Operand>(number);
    const numeric::Format format = format_of(operand);
    for (const HostCode code : {HostCode::kBaseline, HostCode::kAvx2}) {
      if (!spica::base::host_runs(code)) continue;
      const DotProductKernels& kernels = dot_product_kernels(operand, code);
      for (int round = 0; round < 200; ++round) {
        alignas(32) std::uint32_t a[16], b[16], c[16], before[16], tile_a[16], tile_b[8], tile_c[8];
        // Any bits: subnormal numbers, infinities and NaN among them; of wide formats mostly of like size.
        const std::uint32_t mask = round % 2 == 0 ? ~0u : 0xBFFF'BFFF;
        for (std::uint32_t* const words : {a, b, c, tile_a})
          for (unsigned i = 0; i < 16; ++i) words[i] = static_cast<std::uint32_t>(random()) & mask;
        for (std::uint32_t& word : tile_b) word = static_cast<std::uint32_t>(random()) & mask;
        std::memcpy(before, c, sizeof c);
        const auto step = static_cast<unsigned>(round % 4);
        kernels.step[step](a, b, c);
        unsigned wrong = 0;
        for (unsigned substep = 0; substep < 2; ++substep)
          for (unsigned lane = 0; lane < 8; ++lane) {
            const unsigned row = accumulator_row(lane, step),
                           column = accumulator_column(lane, step, substep);
            const float sum = tree(format, {a[row], a[8 + row]}, {b[column], b[8 + column]});
            wrong += c[8 * substep + lane] != added(format, sum, before[8 * substep + lane]);
          }
        std::memcpy(tile_c, before, sizeof tile_c);
        kernels.tile(tile_a, tile_b, tile_c);
        for (unsigned lane = 0; lane < 8; ++lane) {
          const std::uint32_t *row = tile_a + lane % 4 * 4, *column = tile_b + lane / 4 * 4;
          const float sum = tree(format, {row, row + 4}, {column, column + 4});
          wrong += tile_c[lane] != added(format, sum, before[lane]);
        }
        CAPTURE(numeric::info(format).key, round);
        REQUIRE(wrong == 0);
      }
    }
  }
}

TEST_CASE("only the v1 tree turns a sum of -0 into +0") {
  FragmentRegisters f{};
  f[0].fill(0x80000000);  // -0 * 1 + -0 * 1 + -0, in all sets
  f[1].fill(0x80000000);
  for (unsigned i = 2; i < 8; ++i) f[i].fill(0x80000000);
  for (unsigned i = 8; i < 16; ++i) f[i].fill(0x3F800000);
  for (unsigned i = 16; i < 24; ++i) f[i].fill(0x80000000);
  FragmentRegisters v1 = f, v2 = f;
  run_wmma(v1, dot_product_kernels(Operand::kFp32V1), 0);
  run_wmma(v2, dot_product_kernels(Operand::kFp32), 0);
  CHECK(v1[16][0] == 0);
  CHECK(v2[16][0] == 0x80000000);
}

TEST_CASE("the accumulator layout covers each element of the tile exactly once") {
  unsigned seen[8][8] = {};
  for (unsigned lane = 0; lane < 8; ++lane)
    for (unsigned step = 0; step < 4; ++step)
      for (unsigned substep = 0; substep < 2; ++substep) {
        const unsigned row = accumulator_row(lane, step);
        const unsigned column = accumulator_column(lane, step, substep);
        ++seen[row][column];
        const auto place = wmma_model::accumulator_place(lane, 2 * step + substep);
        CHECK(row == place.row);
        CHECK(column == place.column);
      }
  for (const auto& row : seen)
    for (const unsigned count : row) CHECK(count == 1);
}
