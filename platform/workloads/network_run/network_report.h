// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
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

/// A network whose run is over.
struct FinishedNetwork {
  const Network& network;
  const NetworkJob& job;
  const Blocks& blocks;
  const std::map<std::size_t, Difference>&
      differences;  // of operators that did not run there, but in the fast mode
  std::uint64_t cycles = 0;  // of the run
};

/// Operators of a finished run: cycles, errors, and what the machine did in each one (job::Launches).
class NetworkReport {
 public:
  NetworkReport(job::Job& job, const FinishedNetwork& done);

  /// Tables by operator, layer and type, and of blocks that did not run.
  std::string text() const;
  /// The part of stats.json that networks have: operators, by_type, by_layer, nodes, totals, bytes, and for blocks: blocks,
  /// projected_cycles, reused_energy_uj.
  const json::Value& json() const { return json_; }
  /// operators.csv.
  std::string csv() const;
  /// A line for each wrong operator.
  std::vector<std::string> wrong() const;
  /// The largest error, in units of what is allowed; empty: nothing was checked.
  std::optional<Difference> worst() const;

 private:
  using Result = NetworkJob::Result;

  json::Value record(std::size_t op, const json::Value& accounts) const;
  std::optional<Difference> difference(std::size_t op) const;
  json::Value nodes() const;
  void add_totals(const json::Value& account, json::Value& records);
  std::vector<json::Value> sum_rows() const;

  const FinishedNetwork done_;
  const Network& network_;
  bool is_fast_;
  std::vector<Result> results_;
  json::Value json_;
};

}  // namespace spica::network
