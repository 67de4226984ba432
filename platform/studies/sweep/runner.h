// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/studies/sweep/tasks.h"

namespace spica::job {
struct ChildJob;
struct ChildResult;
}  // namespace spica::job

namespace spica::sweep {

enum class Order : std::uint8_t { kPlan, kRandom, kCheapFirst };

struct RunOptions {
  std::filesystem::path folder;
  unsigned jobs = 1;
  Shard shard;
  std::vector<std::uint64_t> points;  // run only these; empty: all
  std::uint64_t most = 0;  // maximum number of runs; 0: all
  Order order = Order::kPlan;
  std::vector<State> retry;
  std::vector<std::filesystem::path>
      reuse;  // folders of other sweeps, whose records of the same runs are taken over
  std::uint64_t stop_after = 0;  // failures; 0: continue
  bool keep_going = false;            // even if the first 20 all fail with one reason
  bool check_names = true;  // check_kept(); false: some machines lack counters that are kept
  /// The folder for all results of a point, as of --out, and for its errors.txt. A run whose results are not there is
  /// repeated. None: only records are kept.
  std::function<std::filesystem::path(const Point&)> results;
};

/// The results of the runs of one call.
struct RunCounts {
  std::map<State, std::uint64_t> states;  // of those that ran
  std::uint64_t known = 0;  // had a record before
  std::uint64_t left = 0;  // not run
  std::string why_left;
  double cpu_seconds = 0;  // of the runs
  std::vector<std::string> unknown;  // "keep: NAME", which the first good run has not
};

/// The record of a child's run, as complete as the child's answer is. `names` receives the names of its values, as a
/// JSON array.
Record record_of(const Sweep& sweep, const job::ChildResult& child, std::string& names);
/// Checks the names in `keep`, objectives and constraints against the first good run: throws UserError for a mistyped
/// name, and adds other missing ones to `unknown`.
void check_kept(const Sweep& sweep, const job::ChildResult& child, std::vector<std::string>& unknown);
/// The child that runs `request` within the limits of the sweep. Its answer is ChildResult::record.
job::ChildJob child_of(const Sweep& sweep, workloads::RunRequest request);
/// The child that runs a task, with additional options. Its answer is a job::Row.
job::ChildJob child_of(const Sweep& sweep, const Point& point, unsigned repeat,
                       const std::vector<workloads::RunRequest::Option>& added = {});

/// Executes one run. Its record has everything except key and index.
Record run_one(const Sweep& sweep, const Point& point, unsigned repeat, std::string& names);

/// Writes sweep.yaml and sweep.lock.json into the folder.
void write_head(const Plan& plan, const std::filesystem::path& folder);

/// Executes the runs without records and writes their records. Throws UserError, also if nothing can be written any
/// more.
RunCounts run_tasks(const Plan& plan, RunFingerprints& keys, const RunOptions& options);

}  // namespace spica::sweep
