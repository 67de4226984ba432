// SPDX-License-Identifier: Apache-2.0
// What `spica opencl` shows of a run, from the files that the driver has written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "platform/base/json/value.h"

namespace spica::workloads {

/// Sums over the launches of a kernel, or over the times in which several kernels ran.
struct KernelSums {
  std::uint64_t launches = 0, cycles = 0, warp_instructions = 0, thread_instructions = 0, findings = 0;
  double time_us = 0, warp_lanes = 0;  // warp_lanes: lanes of all warp instructions, active or not
  std::map<std::string, std::uint64_t> bytes;  // by level of memory
  double energy_uj = 0;
  std::string limiter;
  std::uint64_t limited_cycles = 0;  // cycles of the part with that limiter

  void add(const json::Value& row);
  json::Value json(bool has_energy) const;
};

/// The results of all machines of a run.
class OpenClResults {
 public:
  /// `folder`: launches-N, written by the driver; `record`: a line for each launch, which is complete also when the
  /// program was ended by force; `findings`: of all checks, as text.
  OpenClResults(const std::filesystem::path& folder, const std::filesystem::path& record,
                const std::string& findings);

  /// No kernel was launched.
  bool empty() const { return kernels_.empty(); }
  /// Only the record is known, because the program was ended by force.
  bool is_cut() const { return cut_; }
  std::string table() const;
  /// {machines, totals, by_kernel}.
  json::Value json() const;
  /// The same in one level, for records: "cycles", "bytes.l2", "kernels.saxpy.cycles".
  json::Value values() const;
  unsigned machines() const { return machines_; }

 private:
  void read_accounts(const std::filesystem::path& folder);
  void read_record(const std::filesystem::path& record);
  void count_findings(const std::string& text);

  std::map<std::string, KernelSums> kernels_;
  KernelSums total_;
  unsigned machines_ = 0;
  bool cut_ = false, has_energy_ = false;
};

}  // namespace spica::workloads
