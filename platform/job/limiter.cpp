// SPDX-License-Identifier: Apache-2.0
#include "platform/job/limiter.h"

#include <fmt/format.h>

#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "models/matrix_unit/matrix_unit_stats.h"
#include "models/simt_core/core_stats.h"
#include "models/tensor_core/decoupled_stats.h"
#include "platform/soc/soc.h"

namespace spica::job {

const std::vector<ReasonMeaning>& reason_meanings() {
  static const std::vector<ReasonMeaning> meanings{
      {"idle", "a command to work on"},
      {"operand_wait", "operand rows from shared memory"},
      {"load_wait", "operand tiles that the DMA is still loading"},
      {"loading", "operand tiles that the DMA is still loading"},
      {"store_wait", "results that the DMA is still storing"},
      {"storing", "results that the DMA is still storing"},
      {"draining", "the last sums to leave the array"},
      {"preloading", "weights to enter the array"},
      {"commands", "commands to be decoded and unrolled"},
      {"register_port", "the register file, which the tensor core reads"},
      {"waiting_a", "operands of A from shared memory"},
      {"waiting_b", "operands of B from shared memory"},
      {"waiting_accumulator", "accumulator rows from the register file"},
      {"result_blocked", "the register file's write port"},
      {"unit_busy", "an execution unit with a full queue"},
      {"alu_result", "integer results"},
      {"fpu_result", "floating-point results"},
      {"tensor", "the tensor core"},
      {"shared_load", "loads from shared memory"},
      {"global_load", "loads from global memory"},
      {"peripheral", "responses from the matrix unit's registers"},
      {"memory_queue", "room in the load/store unit"},
      {"drain", "earlier instructions of the warp before a CSR access or a barrier"},
      {"fetch", "instruction fetch"},
      {"control", "branches to resolve"},
      {"fence", "memory accesses before a fence"},
      {"barrier", "other warps at a barrier"},
      {"no_warp", "a warp to run"},
  };
  return meanings;
}

namespace {

/// What a reason means to a first-time reader.
std::string_view meaning(std::string_view reason) {
  for (const auto& [name, words] : reason_meanings())
    if (name == reason) return words;
  return reason;
}

struct Largest {
  std::string_view reason;
  double share = 0;
};

/// Shares of an account group; `busy` is left out.
Largest largest_except(const base::StatWindow& window, const std::vector<const base::CycleAccount*>& accounts,
                       std::string_view busy, double& busy_share) {
  std::vector<std::uint64_t> cycles(accounts.front()->size(), 0);
  std::uint64_t total = 0;
  for (const base::CycleAccount* account : accounts) {
    const std::vector<std::uint64_t> spent = window.cycles(*account);
    for (std::size_t i = 0; i < spent.size(); ++i) cycles[i] += spent[i];
    total += std::accumulate(spent.begin(), spent.end(), std::uint64_t{0});
  }
  Largest largest;
  busy_share = 0;
  if (total == 0) return largest;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const double share = static_cast<double>(cycles[i]) / static_cast<double>(total);
    if (accounts.front()->reason(i) == busy) busy_share = share;
    else if (share > largest.share) largest = {accounts.front()->reason(i), share};
  }
  return largest;
}

}  // namespace

std::string limiter(soc::Soc& soc) {
  std::vector<const base::CycleAccount*> units, tensors, cores;
  for (unsigned i = 0; i < soc.clusters(); ++i) {
    const soc::UnitStats stats = soc.unit_stats(i);
    for (const auto& matrix : stats.matrix_units)
      if (matrix.unit->macs.value() != 0) units.push_back(&matrix.unit->cycles);
    for (const auto* tensor : stats.decoupled_tensor_cores)
      if (tensor->macs.value() != 0) tensors.push_back(&tensor->dot_product);
    for (const auto* core : stats.cores) cores.push_back(&core->issue);
  }
  const bool on_unit = !units.empty(), on_tensors = !on_unit && !tensors.empty();
  double busy = 0;
  const Largest wait = largest_except(soc.region().window(),
                                      on_unit      ? units
                                      : on_tensors ? tensors
                                                   : cores,
                                      on_unit || on_tensors ? "computing" : "issued", busy);
  return fmt::format("{} {:.0f} % of the {}; most of the rest ({:.0f} %) is spent waiting for {}.",
                     on_unit      ? "The matrix unit computes for"
                     : on_tensors ? "The tensor cores compute for"
                                  : "The cores issue in",
                     100 * busy, soc.region().complete() ? "timed region" : "run", 100 * wait.share,
                     on_tensors && wait.reason == "idle" ? "an instruction" : meaning(wait.reason));
}

}  // namespace spica::job
