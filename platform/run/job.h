// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/host_queues/kernel_queue.h"
#include "platform/base/config/config.h"
#include "platform/base/json/value.h"
#include "platform/machine/loader/memory_image.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/session/console_collector.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/matrix_layout.h"
#include "platform/run/checkpoints.h"
#include "platform/run/host_errors.h"
#include "platform/run/job_options.h"
#include "platform/run/job_outcome.h"
#include "platform/run/signals.h"

namespace spica::area {
struct AreaReport;
}
namespace spica::debug {
class Server;
}
namespace spica::energy {
class EnergyReport;
}
namespace spica::profile {
struct Profile;
}
namespace spica::protocol {
class AddressMap;
}
namespace spica::session {
class Session;
struct StreamPlan;
}  // namespace spica::session
namespace spica::soc {
class Machine;
class MeasuredMachine;
}  // namespace spica::soc
namespace spica::watchdog {
class HangWatch;
}

namespace spica::job {

class Checks;
class Measurements;
struct RunFacts;

/// One run from configuration to results: checks all input before the first cycle, builds the machine, fills memory,
/// runs, saves memory, writes the results.
class Job {
 public:
  /// Throws ConfigError and UserError.
  Job(const JobOptions& options, const std::filesystem::path& configs_dir);
  ~Job();

  const soc::SocParams& params() const { return params_; }
  const loader::SourceMap& sources() const { return sources_; }
  bool fast() const;
  /// The machine of the cycle mode; only there.
  soc::MeasuredMachine& measured();

  /// Memory that a host may read and fill.
  std::vector<loader::MemoryRange> memory() const;
  /// Host access to guest memory before and after the run; throws UserError outside memory. A resumed run has its
  /// memory from the checkpoint: what is written before it is only compared with what the first run got.
  void write(std::uint64_t address, const void* from, std::uint64_t bytes);
  void read(std::uint64_t address, void* to, std::uint64_t bytes);

  /// Selects a grid of work groups of the program's kernel for the run; before run(). Throws UserError as grid_launch()
  /// does.
  void run_grid(const std::string& kernel, const std::string& grid);
  /// Selects streams of the program's kernels for the run; before run().
  void run_streams(const session::StreamPlan& plan);
  /// The times of kernels in streams, in launch order; the state of their queues.
  std::vector<protocol::KernelRun> kernel_runs() const;
  std::vector<protocol::QueueState> queue_states() const;
  /// Names a memory range, for reports; for a matrix also its elements. `is_operand`: its first load ends the set-up
  /// cycles (RegionProbe::lead).
  void name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes,
                   const check::MatrixLayout& matrix = {}, bool is_operand = false);

  /// Runs to the end with a progress line on a terminal, prints reports of faults and hangs, then saves the requested
  /// memory ranges. From its start, a signal ends the run in order, see Interrupt.
  const JobOutcome& run();

  /// The facts of the run, which refer to this job.
  RunFacts facts();

  /// Errors other than the program's; exit_code() is that of the command.
  HostErrors& host_errors() { return host_errors_; }

  /// Energy of the run; nullptr: not requested.
  const energy::EnergyReport* energy() const;
  /// Area of the machine; nullptr: not requested.
  const area::AreaReport* area() const;
  /// Profile of the issue slots; nullptr: not requested.
  const profile::Profile* profile() const;
  const loader::Program& program() const { return program_; }
  const JobOptions& options() const { return options_; }

  /// The machine's clock when the run was resumed from a checkpoint; empty: not resumed.
  std::optional<base::Cycle> resumed_at() const { return resumed_.at; }

  /// Warp and lane instructions over all cores.
  std::uint64_t warp_instructions() const;
  std::uint64_t thread_instructions() const;

 private:
  /// What the host does with memory before and after the run.
  struct HostMemory {
    std::vector<loader::SaveImage> saves;
    std::vector<loader::MemoryRange> filled;  // filled before the run
    std::vector<loader::MemoryRange> operands;
    InputDigest inputs;  // of what write() got before the run; only with checkpoints
  };
  struct Resumed {
    std::optional<base::Cycle> at;  // empty: the run begins at its start
    SavedRun run;  // that wrote the checkpoint
  };

  soc::Machine& machine() const;
  const protocol::AddressMap& map() const;
  void fill_memory();
  void set_up_checkpoints();
  void run_under_gdb();
  void run_with_progress();
  void save_memory();

  JobOptions options_;
  std::filesystem::path configs_dir_;
  config::Source source_;
  soc::SocParams params_;
  loader::Program program_;
  std::optional<loader::Program> firmware_;  // for the command processor
  loader::SourceMap sources_;
  session::ConsoleCollector console_;
  HostSeconds host_;
  std::unique_ptr<session::Session> session_;
  std::unique_ptr<watchdog::HangWatch> hang_watch_;
  std::unique_ptr<debug::Server> debugger_;  // nullptr without gdb
  std::unique_ptr<Checks> checks_;
  std::unique_ptr<Checkpoints> checkpoints_;  // nullptr without checkpoints
  std::unique_ptr<Measurements> measurements_;
  HostMemory memory_;
  Resumed resumed_;
  std::uint64_t kernel_ = 0;  // address of the kernel that runs as a grid
  JobOutcome outcome_;
  std::unique_ptr<json::Value> hang_;  // JSON null if the program did not hang
  HostErrors host_errors_;
  std::unique_ptr<Interrupt::SignalGuard> keep_;  // from the start of the run
};

}  // namespace spica::job
