// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/concurrent/tuning.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/config/config.h"
#include "platform/base/input/user_error.h"

namespace spica::config {

template Field describe(concurrent::TuneList& list, std::string_view name, std::string_view doc,
                        std::string_view source);

}  // namespace spica::config

namespace spica::concurrent {

using protocol::degree_of;
using protocol::kDegrees;

const config::FileKind kTuneLists{"list of products to be tuned", "concurrent"};

TuneList tune_list_of(const config::Source& source) {
  TuneList list;
  config::apply(source, list, [&](std::vector<config::Problem>& problems) {
    const auto report = [&](const std::string& key, const std::string& what) {
      problems.push_back({config::place_of(source.root, key), key, what, ""});
    };
    if (list.gemms.empty()) report("gemms", "missing; expected a list of M_N_K_T1T2");
    if (list.machines.empty()) report("machines", "there is none");
    for (std::size_t i = 0; i < list.gemms.size(); ++i) try {
        list.gemms[i] = ProductName::parse(list.gemms[i]).text();
      } catch (const input::UserError& error) {
        report(fmt::format("gemms.{}", i), error.what());
      }
    for (std::size_t i = 0; i < list.kernels.size(); ++i) try {
        tile_of(list.kernels[i]);
      } catch (const input::UserError& error) {
        report(fmt::format("kernels.{}", i), error.what());
      }
  });
  return list;
}

namespace {

/// The trials of one product, and what came of them.
struct Trials {
  std::vector<Trial> list;
  std::vector<std::optional<Measured>> results;

  /// The fastest of a product on a machine with N available; null: none runs.
  std::pair<const Trial*, const Measured*> fastest(const std::string& gemm, const std::string& machine,
                                                   unsigned available) const {
    std::pair<const Trial*, const Measured*> best{nullptr, nullptr};
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i].gemm == gemm && list[i].machine == machine && list[i].available == available &&
          results[i] && (best.second == nullptr || results[i]->cycles < best.second->cycles))
        best = {&list[i], &*results[i]};
    return best;
  }
};

void take(TunedProduct& product, unsigned degree, const std::pair<const Trial*, const Measured*>& fastest) {
  if (fastest.first == nullptr)
    throw input::UserError(fmt::format("the list has no kernel that computes {} of {} concurrently",
                                       degree_of(degree), product.name.text()));
  product.kernels[degree] = fastest.first->kernel;
  product.cycles[degree] = fastest.second->cycles;
  product.loads[degree] = fastest.second->load;
}

}  // namespace

KernelLibrary tune(const TuneList& list, const Measure& measure) {
  Trials alone, shared;
  for (const std::string& gemm : list.gemms)
    for (const std::string& machine : list.machines)
      for (const std::string& kernel : list.kernels) alone.list.push_back({gemm, kernel, machine, 1});
  alone.results = measure(alone.list, "alone");
  for (const std::string& gemm : list.gemms) {
    std::vector<std::string> candidates;
    for (const std::string& machine : list.machines)
      if (const Trial* best = alone.fastest(gemm, machine, 1).first;
          best != nullptr &&
          std::find(candidates.begin(), candidates.end(), best->kernel) == candidates.end())
        candidates.push_back(best->kernel);
    for (unsigned degree = 1; degree < kDegrees; ++degree)
      for (const std::string& kernel : candidates)
        shared.list.push_back({gemm, kernel, list.machines.front(), degree_of(degree)});
  }
  shared.results = measure(shared.list, "shared");
  KernelLibrary library;
  library.machine = list.machines.front();
  for (const std::string& gemm : list.gemms) {
    TunedProduct product;
    product.name = ProductName::parse(gemm);
    take(product, 0, alone.fastest(gemm, library.machine, 1));
    for (unsigned degree = 1; degree < kDegrees; ++degree)
      take(product, degree, shared.fastest(gemm, library.machine, degree_of(degree)));
    library.products.push_back(std::move(product));
  }
  return library;
}

}  // namespace spica::concurrent
