// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "platform/base/config/source.h"
#include "platform/workloads/concurrent/kernel_library.h"

namespace spica::concurrent {

/// The input of tuning, a file for `spica tune`.
struct TuneList {
  std::vector<std::string> gemms, kernels, machines{"mgpu-8", "mgpu-4", "mgpu-2"};
  std::uint64_t rounds = 2;

  static constexpr std::string_view kRequired[] = {"gemms"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field.list("gemms", p.gemms, "matrix products, M_N_K_T1T2 each");
    field.list("kernels", p.kernels,
               "candidate kernels of gemm_tile; a kernel whose tile does not divide a product is "
               "skipped for it; none: all");
    field.list("machines", p.machines,
               "machine of the kernels, then smaller ones (half, a quarter) whose fastest kernels are "
               "candidates for concurrent products",
               "arXiv:2409.02227 section 4.2");
    field("rounds", p.rounds, "times", base::Range{1, 1000},
          "back-to-back repetitions of the product per stream; times are divided by it, which "
          "reduces the weight of the first run with cold instruction caches",
          "arXiv:2409.02227 section 5.3");
  }
};

extern const config::FileKind kTuneLists;
/// Throws ConfigError with all errors.
TuneList tune_list_of(const config::Source& source);

/// A run requested by tuning: several copies of a product at once, all with the same kernel.
struct Trial {
  std::string gemm, kernel, machine;
  unsigned available = 1;
};
struct Measured {
  std::uint32_t cycles = 0;
  protocol::KernelLoad load;
};
/// Runs a list of trials and returns the results in order; empty: the kernel cannot compute the product. `step`: name
/// of the trials.
using Measure =
    std::function<std::vector<std::optional<Measured>>(const std::vector<Trial>&, const std::string& step)>;

/// Step 1: the fastest kernel alone for each product and machine. Step 2: the fastest of these kernels for 2, 4, 8 and
/// 16 products at once on the first machine. Ties: the first one in the list. Throws UserError if no kernel computes a
/// product.
///
/// Source   arXiv:2409.02227 section 4.2
KernelLibrary tune(const TuneList& list, const Measure& measure);

}  // namespace spica::concurrent
