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

/// What to tune, a file for `spica tune`.
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
/// Throws ConfigError with all that is wrong.
TuneList tune_list_of(const config::Source& source);

/// A run that tuning asks for: a number of a product at once, all with one kernel.
struct Trial {
  std::string gemm, kernel, machine;
  unsigned available = 1;
};
struct Measured {
  std::uint32_t cycles = 0;
  protocol::KernelLoad load;
};
/// All of a list, in its order; nothing: the kernel cannot compute the product. `step`: what they are called.
using Measure =
    std::function<std::vector<std::optional<Measured>>(const std::vector<Trial>&, const std::string& step)>;

/// Step 1: for each product and machine the fastest kernel, alone. Step 2: for 2, 4, 8 and 16 products at once on the
/// first machine the fastest of these kernels. Of equal ones the first of the list. Throws UserError: a product that no
/// kernel computes.
///
/// Source   arXiv:2409.02227 section 4.2
KernelLibrary tune(const TuneList& list, const Measure& measure);

}  // namespace spica::concurrent
