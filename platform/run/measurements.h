// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/run/job_options.h"

namespace spica::area {
struct AreaReport;
}
namespace spica::energy {
class EnergyReport;
class MachineEnergies;
class Recorder;
}  // namespace spica::energy
namespace spica::loader {
struct MemoryRange;
struct Program;
class SourceMap;
}  // namespace spica::loader
namespace spica::power {
class AreaTable;
}  // namespace spica::power
namespace spica::profile {
struct Profile;
class Profiler;
}  // namespace spica::profile
namespace spica::protocol {
struct KernelRun;
}
namespace spica::session {
class Session;
struct StreamPlan;
}  // namespace spica::session
namespace spica::soc {
struct SocParams;
}
namespace spica::trace {
class Tracer;
struct KernelText;
}  // namespace spica::trace

namespace spica::job {

class Launches;
class SampledRun;
class Timeline;
class HostErrors;
struct JobOutcome;

/// Requested recordings of a run in addition to its statistics: energy, profile, traces, and activity over time.
class Measurements {
 public:
  /// All arguments must outlive this. Throws UserError for invalid options, or options that the mode `params.run.mode`
  /// does not support.
  Measurements(const JobOptions& options, const soc::SocParams& params, const loader::Program& program,
               const loader::SourceMap& sources, session::Session& session,
               const std::filesystem::path& configs_dir);
  ~Measurements();

  /// Kernels will run in these streams; before the run.
  void describe_kernels(const session::StreamPlan& plan);
  /// The names of kernels in queues; before the run.
  void describe_kernels(std::function<trace::KernelText(const protocol::KernelRun&)> text);

  /// The first load from one of these ends the set-up cycles (RegionProbe::lead); before the run.
  void watch_first_load(const std::vector<loader::MemoryRange>& operands);

  /// Simulates a sample of the session's grid, or of the program's units, if asked for; before the run. Throws UserError
  /// if it cannot be sampled.
  void start_sample();
  /// True: the program has begun and cannot be sampled. The run should end.
  bool sample_refused() const;
  /// After the run: throws UserError in this case.
  void check_sample() const;

  /// Throws UserError if options need the cycle mode and the machine is in the fast mode.
  static void check_mode(const JobOptions& options, const soc::SocParams& params);

  /// After a run that ended well: projects the sample, if there is one, into `outcome`.
  void finish_sample(JobOutcome& outcome, HostErrors& host_errors);
  /// After the run: creates the reports and writes the files. `complete`: the run did not end with an internal error.
  void finish(bool complete, HostErrors& host_errors);

  const energy::Recorder* recorder() const { return recorder_.get(); }
  const energy::EnergyReport* energy() const { return energy_.get(); }
  /// Area of the machine; nullptr: not requested.
  const area::AreaReport* area() const { return area_.get(); }
  const profile::Profile* profile() const { return profile_.get(); }
  /// nullptr: all was simulated, or the sample says nothing.
  const SampledRun* sample() const { return is_projected_ ? sample_.get() : nullptr; }
  const Timeline* timeline() const { return timeline_.get(); }
  /// The account by launch; nullptr: not requested, or nothing is launched.
  const Launches* launches() const;

 private:
  void watch_energy(const std::filesystem::path& configs_dir);
  void watch_traces();
  void watch_profile();
  void watch_launches();
  void finish_profile(bool complete);
  void write_activity() const;
  void write_accelergy() const;
  std::string title() const;

  const JobOptions& options_;
  const soc::SocParams& params_;
  const loader::Program& program_;
  const loader::SourceMap& sources_;
  session::Session& session_;
  std::unique_ptr<power::AreaTable> area_table_;
  std::unique_ptr<energy::Recorder> recorder_;
  std::unique_ptr<energy::MachineEnergies> energies_;  // until passed to the report
  std::unique_ptr<energy::EnergyReport> energy_;
  std::unique_ptr<area::AreaReport> area_;
  std::unique_ptr<trace::Tracer> tracer_;
  std::unique_ptr<profile::Profiler> profiler_;
  std::unique_ptr<profile::Profile> profile_;
  std::unique_ptr<Timeline> timeline_;  // for the results, in the cycle mode
  std::unique_ptr<Launches> launches_;
  std::unique_ptr<SampledRun> sample_;  // as long as the session: dispatcher and markers follow it
  bool is_projected_ = false;
  bool has_streams_ = false;
};

/// The table of launches by kernel; "": there were none, or nothing asked for it.
std::string launch_table(const Measurements& measurements);

}  // namespace spica::job
