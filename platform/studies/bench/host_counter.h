// SPDX-License-Identifier: Apache-2.0
// What a run costs the host, counted instead of timed: the same on a busy and on a quiet machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/run/child_process.h"

namespace spica::bench {

/// Work of the host in user mode, all threads of a process from its first instruction to its last.
struct HostCost {
  double instructions = 0;
  std::optional<double> cycles;  // not every way to count knows them
};

struct CountedRun {
  job::ChildResult process;
  HostCost cost;
};

/// Runs this program with other arguments and counts.
class HostCounter {
 public:
  /// `method`: "perf" (the processor's counters), "callgrind" (valgrind), or "auto", the first of them that
  /// works here. Throws UserError, with what is missing. `folder` is for files between.
  HostCounter(const std::string& method, std::string folder);

  /// "perf" or "callgrind".
  const char* name() const { return valgrind_.empty() ? "perf" : "callgrind"; }
  /// Runs that do not disturb each other's counts.
  unsigned jobs() const;

  /// In the order of the lists. Throws UserError when it was interrupted, std::runtime_error when a run
  /// fails. `progress(done)` as of run_self_many().
  std::vector<CountedRun> run(const std::vector<std::vector<std::string>>& lists,
                              const std::function<void(std::size_t)>& progress = {}) const;

  /// The sum that callgrind wrote to its file. Throws std::runtime_error when there is none.
  static double callgrind_total(const std::string& path);

 private:
  std::vector<CountedRun> run_perf(const std::vector<std::vector<std::string>>& lists,
                                   const std::function<void(std::size_t)>& progress) const;
  std::vector<CountedRun> run_callgrind(const std::vector<std::vector<std::string>>& lists,
                                        const std::function<void(std::size_t)>& progress) const;

  std::string folder_;
  std::string valgrind_;  // path; empty: perf counts
};

}  // namespace spica::bench
