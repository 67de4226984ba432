// SPDX-License-Identifier: Apache-2.0
// A core of 32 lanes with the tensor core that works on fragments in registers.
#include <numeric>

#include "models/tensor_core/warp_mma/fragment_unit.h"
#include "models/tensor_core/warp_mma/warp_tensor_core.h"
#include "testbenches/block/simt_core/core_bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
namespace rv = testbench::rv;

namespace {

simt_core::Params of_32_lanes() {
  simt_core::Params p;
  p.lanes = 32;
  p.tensor_registers = 256;
  p.tensor_style = isa::TensorStyle::kVolta;
  p.load_store.lanes = simt_core::Lanes::kLockstep;
  p.load_store.response_latency = 16;
  return p;
}

tensor_core::TensorCoreParams volta() {
  tensor_core::TensorCoreParams p;
  p.style = tensor_core::Style::kVolta;
  return p;
}

/// A product of fragments 0, 1 and 2; form 0: 16x16x16, FP32 sums.
constexpr std::uint32_t product() { return 2u << 27 | 1u << 20 | 0u << 15 | 2u << 12 | 2u << 7 | 0x7B; }
/// A of form 0 into a fragment, rows x7 elements apart.
constexpr std::uint32_t load_a(std::uint32_t fragment, std::uint32_t address) {
  return rv::r_type(0x5B, 0, 0, fragment, address, 7);
}

}  // namespace

TEST_CASE("a load into another fragment that comes between the steps of a product delays none of them") {
  using tensor_core::warp_mma::FragmentUnit;
  testbench::CoreBench bench(of_32_lanes(), false, isa::SimtStack::make, testbench::CoreBench::kGlobalLatency,
                             simt_core::make_tensor_unit<FragmentUnit>());
  tensor_core::warp_mma::WarpTensorCore tensor("tensor", volta(), bench.clock);
  dynamic_cast<FragmentUnit&>(bench.core.tensor_unit()).tensor.bind(tensor.in);
  bench.add(tensor);
  bench.add(bench.core);
  constexpr unsigned kProducts = 12, kWait = 30;
  std::vector<std::uint32_t> program = {rv::addi(5, 0, -1), rv::tmc(5), rv::lui(6, 0x90000),
                                        rv::addi(7, 0, 16)};
  for (unsigned before = 0; before < kProducts; ++before) {  // the answers come ever earlier
    program.push_back(load_a(5, 6));
    program.insert(program.end(), before, rv::addi(8, 8, 1));
    program.push_back(product());
    program.insert(program.end(), kWait, rv::addi(8, 8, 1));
  }
  program.push_back(rv::tmc(0));
  bench.run_program(program);
  CHECK(bench.faults.faults.empty());
  const auto& stats = tensor.stats();
  REQUIRE(stats.instructions.value() == kProducts);
  CHECK(bench.global.requests > 0);
  // One warp alone (raihan figure 5).
  const std::array<unsigned, 16> ends = {10, 12, 14, 18, 20, 22, 24, 28, 30, 32, 34, 38, 40, 42, 44, 54};
  for (std::size_t step = 0; step < ends.size(); ++step) {
    INFO("step " << step + 1);
    CHECK(stats.step_ends[step].value() == kProducts * ends[step]);
  }
}
