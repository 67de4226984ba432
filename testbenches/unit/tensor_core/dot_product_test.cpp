// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/dot_product.h"

#include <catch2/catch.hpp>

#include "models/base/host_dispatch.h"
#include "models/tensor_core/fragment_layout.h"
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

TEST_CASE("only the v1 tree turns a sum of -0 into +0") {
  FragmentRegisters f{};
  f[0].fill(0x80000000);   // -0 * 1 + -0 * 1 + -0, in all sets
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
