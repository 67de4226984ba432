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
  std::vector<std::uint64_t> points;  // only these; empty: all
  std::uint64_t most = 0;  // runs; 0: all
  Order order = Order::kPlan;
  std::vector<State> retry;
  std::vector<std::filesystem::path>
      reuse;  // folders of other sweeps, whose records of the same runs are taken over
  std::uint64_t stop_after = 0;  // failures; 0: continue
  bool keep_going = false;            // even if the first 20 all fail with one reason
  /// The folder for all results of a point, as of --out, and for its errors.txt. A run whose results are not there is
  /// repeated. None: only records are kept.
  std::function<std::filesystem::path(const Point&)> results;
};

/// What became of the runs of one call.
struct RunCounts {
  std::map<State, std::uint64_t> states;  // of those that ran
  std::uint64_t known = 0;  // had a record before
  std::uint64_t left = 0;  // not run
  std::string why_left;
  double cpu_seconds = 0;  // of the runs
  std::vector<std::string> unknown;  // "keep: NAME", which the first good run has not
};

/// What a child says of its run. `names` gets the names of the values.
Record record_of(const Sweep& sweep, const job::ChildResult& child, std::vector<std::string>& names);
/// Compares what `keep`, objectives and constraints name with the first good run: throws UserError for a name that is a
/// mistyped one, and adds others that the run has not to `unknown`.
void check_kept(const Sweep& sweep, const job::ChildResult& child, std::vector<std::string>& unknown);
/// The child that runs a task, with options that are added to those of the point. Its record comes with its result.
job::ChildJob child_of(const Sweep& sweep, const Point& point, unsigned repeat,
                       const std::vector<workloads::RunRequest::Option>& added = {});

/// One run, now. Its record has everything but its key and index.
Record run_one(const Sweep& sweep, const Point& point, unsigned repeat, std::vector<std::string>& names);

/// Writes sweep.yaml and sweep.lock.json into the folder.
void write_head(const Plan& plan, const std::filesystem::path& folder);

/// Runs what has no record yet and writes records. Throws UserError, also when nothing can be written any more.
RunCounts run_tasks(const Plan& plan, PointKeys& keys, const RunOptions& options);

}  // namespace spica::sweep
