// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/concurrent/tuning.h"

#include <functional>
#include <map>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"

using namespace spica::concurrent;
using spica::protocol::degree_of;
using spica::protocol::kDegrees;

namespace {

/// A time that is different for all trials, and has no order that a search could rely on.
std::uint32_t time_of(const Trial& trial) {
  std::uint32_t hash = 2166136261u;
  for (const char c : trial.gemm + trial.kernel + trial.machine + std::to_string(trial.available))
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return 1 + hash % 100'000;
}

bool fits(const Trial& trial) {
  const auto size = ProductName::parse(trial.gemm).size, tile = tile_of(trial.kernel);
  return size.m % tile.m == 0 && size.n % tile.n == 0;
}

std::vector<std::optional<Measured>> measure(const std::vector<Trial>& trials, const std::string&) {
  std::vector<std::optional<Measured>> results;
  for (const Trial& trial : trials)
    results.push_back(fits(trial) ? std::optional(Measured{time_of(trial), {1, 1, 1}}) : std::nullopt);
  return results;
}

}  // namespace

TEST_CASE("tuned kernels are the fastest of the list", "[concurrent]") {
  TuneList list;
  list.gemms = {"64_64_64_00", "32_32_128_00", "128_64_64_00"};
  list.kernels = {"gemm_64x64x16", "gemm_32x32x16", "gemm_64x32x16", "gemm_32x16x16", "gemm_16x32x16"};
  const KernelLibrary library = tune(list, measure);
  REQUIRE(library.products.size() == 3);
  for (const TunedProduct& product : library.products) {
    std::map<std::string, std::string> best;  // by machine
    for (const std::string& machine : list.machines)
      for (const std::string& kernel : list.kernels) {
        const Trial trial{product.name.text(), kernel, machine, 1};
        std::string& so_far = best[machine];
        if (fits(trial) &&
            (so_far.empty() || time_of(trial) < time_of({product.name.text(), so_far, machine, 1})))
          so_far = kernel;
      }
    CHECK(product.kernels[0] == best["mgpu-8"]);
    for (unsigned i = 1; i < kDegrees; ++i) {
      for (const auto& [machine, kernel] : best)
        CHECK(product.cycles[i] <= time_of({product.name.text(), kernel, "mgpu-8", degree_of(i)}));
      CHECK(product.cycles[i] == time_of({product.name.text(), product.kernels[i], "mgpu-8", degree_of(i)}));
    }
  }
}

TEST_CASE("a product that no kernel computes is named", "[concurrent]") {
  TuneList list;
  list.gemms = {"16_16_16_00"};
  list.kernels = {"gemm_64x64x16"};
  CHECK_THROWS_AS(tune(list, measure), spica::input::UserError);
}
