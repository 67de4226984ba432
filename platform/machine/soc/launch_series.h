// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/host_queues/kernel_queue.h"

namespace spica::soc {

/// Counts of a running machine by the kernels of queues that ran.
///
/// A boundary is the launch of a kernel, or its end. The time between two boundaries, with everything counted in it,
/// belongs to exactly one row: that of the set of launches that ran, or of none. So the rows add up to the run. Reading
/// does not change the run.
class LaunchSeries {
 public:
  using Counts = std::vector<std::uint64_t>;
  /// All counts so far.
  using Read = std::function<Counts()>;
  /// All launches so far (Machine::kernel_runs).
  using Runs = std::function<const std::vector<protocol::KernelRun>&()>;
  /// The group of a launch, for example that of its kernel.
  using Group = std::function<std::string(const protocol::KernelRun&)>;
  /// Later sets of launches share a row with all sets of the same groups.
  static constexpr std::size_t kMostRows = 4096;

  struct Row {
    std::vector<std::uint32_t>
        launches;  // ascending numbers of kernel runs; empty: none, or only `groups` is known
    std::vector<std::string> groups;  // their groups, ascending, each once; empty: no kernel ran
    bool before = false;  // the time before a checkpoint that was written without this series
    base::Cycle cycles = 0;
    Counts counts;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(launches, groups, before, cycles, counts);
    }
  };

  LaunchSeries(Read read, Runs runs, Group group)
      : read_(std::move(read)), runs_(std::move(runs)), group_(std::move(group)) {}

  /// In the order in which they were first the case; after the end of the run all of it.
  const std::vector<Row>& rows() const { return rows_; }
  /// The sum of all rows: cycles and counts from the begin of the run to its end.
  Row total() const;

  // -- for the driver of the run, see RunObserver
  void begin(base::Cycle cycle);
  void at_launches(base::Cycle cycle);
  void end(base::Cycle cycle);
  bool listened() const { return false; }
  /// A saved run had no such series: its time is one row.
  void begin_at_0();
  std::vector<std::uint64_t> kind() const { return {last_.size()}; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(last_, last_cycle_, running_, seen_, rows_, places_);
  }

 private:
  using Set = std::vector<std::uint32_t>;

  void close(base::Cycle cycle);
  void update_running();
  Row& row();

  const Read read_;
  const Runs runs_;
  const Group group_;
  Counts last_;  // at the last boundary
  base::Cycle last_cycle_ = 0;
  Set running_;
  std::uint32_t seen_ = 0;  // launches that were noticed
  std::vector<Row> rows_;
  std::map<std::pair<Set, std::vector<std::string>>, std::uint64_t>
      places_;  // index in rows_ by launches and groups
};

}  // namespace spica::soc
