// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/protocol/host_queues/kernel_queue.h"
#include "platform/base/json/value.h"
#include "platform/machine/soc/launch_series.h"
#include "platform/machine/soc/type_sums.h"
#include "platform/observe/energy/recorder.h"

namespace spica::energy {
class EnergyReport;
}
namespace spica::power {
class Activity;
class EnergyModel;
}  // namespace spica::power
namespace spica::session {
class Session;
}
namespace spica::trace {
struct KernelText;
}

namespace spica::job {

/// The account of a run by launch: what the machine did while a kernel ran, or several, or none. All rows together are
/// the run, exactly (soc::LaunchSeries).
class Launches {
 public:
  using Describe = std::function<trace::KernelText(const protocol::KernelRun&)>;
  /// The key of the time in which no kernel ran.
  static constexpr const char* kNone = "(none)";

  /// Before the run.
  explicit Launches(session::Session& session);

  /// Also accounts for energy; before the run. Both must outlive the run.
  void measure_energy(const power::Activity& activity, const power::EnergyModel& model);
  /// How launches are named; before the run. Without it, by their queues.
  void describe(Describe describe) { describe_ = std::move(describe); }

  /// Accounts by these launches instead of those of queues, for example by segments of a sampled grid; before the run.
  void follow(soc::LaunchSeries::Runs launches) { runs_ = std::move(launches); }

  /// What the machine counted during a launch that ran alone and has ended: also during the run.
  struct Counted {
    base::Cycle cycles = 0;
    soc::TypeSums::Row counts;  // warp instructions, lane instructions, then as soc::TypeSums
    soc::TypeSums::Row events;  // columns of events with the same energy; empty: energy is not measured
    double energy_uj = 0;  // nominal, with idle power; 0: not measured
  };
  std::optional<Counted> counted(std::uint32_t launch) const;
  /// The same of the whole run, after it.
  Counted counted() const;
  /// The column of events of each channel of the activity.
  const std::vector<std::size_t>& event_columns() const { return column_of_channel_; }
  /// nullptr: the fast mode.
  const soc::TypeSums* types() const { return types_.get(); }

  /// The kernel that runs as a grid from the start of the run to its end.
  void name_grid(std::string kernel) { grid_ = std::move(kernel); }

  // -- after the run
  /// Throws std::logic_error if the rows are not the run. `energy`: nullptr if it was not measured.
  void check(const energy::EnergyReport* energy) const;
  /// "launch_account" of stats.json: {launches, omitted, rows, by_name, total}.
  json::Value json(const energy::EnergyReport* energy) const;
  /// The table by name; "" without a launch of a queue.
  std::string table(const energy::EnergyReport* energy) const;

 private:
  using Row = soc::LaunchSeries::Row;
  /// All rows of the same kernels.
  struct Named {
    std::vector<std::string> groups;
    bool before = false;
    std::uint64_t launches = 0;  // of one kernel, also those that ran with others only
    Row sum;
    Row events;  // of the energy series
  };

  Counted counted(const Row& row, const Row* events) const;
  soc::LaunchSeries& add(soc::LaunchSeries::Read read);
  std::string group_of(const protocol::KernelRun& run) const;
  soc::TypeSums::Row counts() const;
  soc::TypeSums::Row event_counts(const power::Activity& activity) const;
  std::vector<Named> by_name() const;
  std::string name_of(const std::vector<std::string>& groups, bool before) const;
  json::Value figures(const Row& row, const Row* events, const energy::EnergyReport* energy) const;
  json::Value energy_of(const Row& events, const energy::EnergyReport& energy) const;
  energy::Span span_of(const Row& events, const energy::EnergyReport& energy) const;
  const Row* events_row(std::size_t row) const;
  json::Value launch_list() const;

  session::Session& session_;
  soc::LaunchSeries::Runs runs_;
  std::string grid_;  // empty: none
  Describe describe_;
  std::unique_ptr<soc::TypeSums> types_;  // nullptr: the fast mode
  soc::LaunchSeries& series_;
  soc::LaunchSeries* events_ = nullptr;  // nullptr: no energy
  const power::EnergyModel* model_ = nullptr;  // nullptr: no energy
  // Channels of the activity with the same energy in the same unit are one column of events_.
  std::vector<std::size_t> column_of_channel_, channel_of_column_;
};

}  // namespace spica::job
