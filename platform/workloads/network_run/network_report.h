// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/run/job.h"
#include "platform/run/results.h"
#include "platform/workloads/network_run/network_check.h"
#include "platform/workloads/network_run/network_job.h"

namespace spica::network {

/// "WHAT: 3 elements; element 17 is 1.25 instead of 1.22, error 0.03, allowed 0.02".
std::string wrong_text(const std::string& what, const Difference& found);
/// A line about an output. `decides`: a larger error than allowed is a wrong result.
std::string output_text(const std::string& name, const std::string& with, const Difference& found,
                        bool decides);

/// Operators of a finished run: cycles, errors, and what the machine did in each one (job::Launches).
class NetworkReport {
 public:
  NetworkReport(job::Job& job, const NetworkJob& network);

  /// Tables by operator and by type, and of blocks that did not run. `cycles`: of the run.
  std::string text(std::uint64_t cycles) const;
  /// Adds operators, by_type, bytes, and for blocks: blocks, projected_cycles, reused_energy_uj.
  void add_to(json::Value& details, std::uint64_t cycles) const;
  /// A line for each wrong operator.
  std::vector<std::string> wrong() const;
  /// The largest error, in units of what is allowed; empty: nothing was checked.
  std::optional<Difference> worst() const;

 private:
  using Result = NetworkJob::Result;

  const json::Value& account(const Result& one) const;
  double share(std::uint64_t cycles) const;
  std::string operator_table() const;
  std::string type_table() const;
  /// {TYPE: {operators, cycles, share}}.
  json::Value types() const;
  std::uint64_t reused_cycles() const;

  const NetworkJob& network_;
  bool is_fast_;
  std::vector<Result> results_;
  std::uint64_t cycles_ = 0;  // of all operators
  json::Value accounts_;      // by label
};

}  // namespace spica::network
