// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/session_machine.h"

#include <spica/device.h>
#include <spica/spica.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "platform/bindings/client/process.h"
#include "platform/machine/soc/keys.h"
#include "platform/opencl/driver/allocator.h"
#include "platform/opencl/driver/findings.h"
#include "platform/opencl/driver/object.h"
#include "platform/opencl/driver/run_files.h"

namespace spica::opencl {

namespace {

constexpr std::uint64_t kBlockBytes = 0x100000, kProgramBytes = 0x8000000;
constexpr std::uint64_t kProgramAlignment = 4096;  // of the image of a program

/// On other GPUs work items may return before a barrier of their group, so programs do it.
const std::string kReturnBeforeBarrier = std::string(soc::keys::kEndedWarpsArrive) + "=true";

/// What is recorded of a machine, and where. Later machines of a run have a number in the names of their files.
spica::Observation observation_of(const DeviceChoice& choice) {
  spica::Observation observation;
  observation.checks = choice.checks;
  observation.energy = choice.energy;
  observation.launches = has_results_folder();
  observation.debugged_launch = choice.debugged_launch;
  const unsigned number =
      choice.out.empty() && choice.report.empty() && choice.traces.empty() ? 1 : machine_number();
  if (!choice.out.empty()) observation.out = numbered(choice.out, number);
  if (!choice.report.empty()) observation.report = numbered(choice.report, number);
  for (const std::string& trace : choice.traces) observation.traces.push_back(numbered(trace, number));
  observation.command_line = host_command_line();
  return observation;
}

/// The machine has something to pass on at its end.
bool is_observed(const DeviceChoice& choice) {
  return !choice.checks.empty() || choice.energy || has_results_folder() || !choice.out.empty() ||
         !choice.report.empty() || !choice.traces.empty() || choice.debugged_launch != 0;
}

spica::Machine started(const std::string& program, const DeviceChoice& choice, bool observed) {
  std::vector<std::string> settings = {kReturnBeforeBarrier};  // later ones prevail
  settings.insert(settings.end(), choice.settings.begin(), choice.settings.end());
  spica::Machine machine =
      spica::Machine::Impl::machine(client::start(program, choice.configuration, settings));
  if (observed) machine.observe(observation_of(choice));
  return machine;
}

/// The ranges of memory, which both the facts and the machine need.
struct Layout {
  explicit Layout(const spica::DeviceFacts& facts)
      : blocks(facts.memory_begin),
        programs((facts.memory_begin + kBlockBytes + kProgramAlignment - 1) / kProgramAlignment *
                 kProgramAlignment),
        program_bytes(std::min(kProgramBytes, (facts.memory_end - programs) / 8)),
        buffers(programs + program_bytes),
        end(facts.memory_end) {}
  std::uint64_t blocks, programs, program_bytes, buffers, end;
};

/// A file in memory, by a name that another process can open while this exists.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& contents) : file_(memfd_create("program.elf", MFD_CLOEXEC)) {
    std::size_t done = 0;
    while (file_ >= 0 && done < contents.size()) {
      const ssize_t wrote = ::write(file_, contents.data() + done, contents.size() - done);
      if (wrote <= 0) break;
      done += static_cast<std::size_t>(wrote);
    }
    if (done == contents.size()) return;
    if (file_ >= 0) close(file_);
    throw std::runtime_error("no memory for a program file");
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_); }

 private:
  int file_;
};

class SessionMachine final : public DeviceMachine {
 public:
  SessionMachine(const std::string& program, const DeviceChoice& choice)
      : machine_(started(program, choice, is_observed(choice))),
        device_(machine_),
        blocks_(Layout(device_.facts()).blocks, kBlockBytes),
        observed_(is_observed(choice)),
        debugged_(choice.debugged_launch != 0) {
    if (observed_) at_exit_.emplace([this] { finish(); });
    machine_.on_output([](const std::string& line) {
      std::printf("%s\n", line.c_str());
      std::fflush(stdout);
    });
  }

  ~SessionMachine() override {
    at_exit_.reset();
    finish();
  }

  void write(std::uint64_t address, const void* from, std::size_t bytes) override {
    const std::lock_guard<std::mutex> lock(turn_);
    if (bytes != 0) machine_.write(address, from, bytes);
  }
  void read(std::uint64_t address, void* to, std::size_t bytes) override {
    const std::lock_guard<std::mutex> lock(turn_);
    if (bytes != 0) machine_.read(address, to, bytes);
  }

  std::uint64_t add_program(const std::string& elf) override {
    const std::lock_guard<std::mutex> lock(turn_);
    auto file = std::make_unique<MemoryFile>(elf);
    spica::Program added = device_.add(file->path());
    if (debugged_) files_.push_back(std::move(file));  // gdb reads it
    const std::uint64_t id = added.id;
    programs_.emplace(id, std::move(added));
    return id;
  }
  void remove_program(std::uint64_t program) override {
    const std::lock_guard<std::mutex> lock(turn_);
    device_.remove(programs_.at(program).id);
    programs_.erase(program);
  }

  std::uint64_t submit(const Launch& launch) override {
    const std::lock_guard<std::mutex> lock(turn_);
    while (true) {
      if (const auto place = blocks_.allocate(launch.arguments.size())) return submit(launch, *place);
      if (running_.empty())
        throw std::runtime_error("an argument block that is larger than the room for all");
      wait_for(running_.begin()->first);  // until a launch has freed its block
    }
  }

  std::vector<Completion> run() override {
    const std::lock_guard<std::mutex> lock(turn_);
    if (!running_.empty()) wait_for(running_.begin()->first);
    return std::exchange(ended_, {});
  }

  std::uint64_t now_ns() override {
    const std::lock_guard<std::mutex> lock(turn_);
    return ns(machine_.cycles());
  }

 private:
  struct Running {
    spica::Ticket ticket;
    std::uint64_t block;
  };

  std::uint64_t submit(const Launch& launch, std::uint64_t block) {
    machine_.write(block, launch.arguments.data(), launch.arguments.size());
    spica::Launch packet;
    packet.kernel = programs_.at(launch.program).kernel(launch.kernel).id;
    packet.grid.assign(launch.groups.begin(), launch.groups.end());
    packet.block.assign(launch.local.begin(), launch.local.end());
    packet.shared_bytes = launch.local_bytes;
    packet.arguments = block;
    packet.in_order = false;  // the driver submits what may run
    const spica::Ticket ticket = device_.enqueue(launch.queue % device_.facts().queues, packet);
    running_[++submitted_] = {ticket, block};
    return submitted_;
  }

  /// Runs until a launch has ended, and collects all that have.
  void wait_for(std::uint64_t launch) {
    if (!device_.run_until(running_.at(launch).ticket)) throw MachineStopped(without_told(ended_machine()));
    report_warnings();
    for (auto at = running_.begin(); at != running_.end();) {
      if (!device_.is_complete(at->second.ticket)) {
        ++at;
        continue;
      }
      const spica::LaunchTimes times = device_.times(at->second.ticket);
      ended_.push_back(
          {at->first, ns(times.submitted), ns(times.begun), ns(times.ended), times.ended - times.begun});
      blocks_.release(at->second.block);
      at = running_.erase(at);
    }
  }

  /// Ends the machine, once, and passes on what was recorded of it.
  spica::Outcome ended_machine() {
    stopped_ = true;
    spica::Outcome outcome = machine_.run();
    for (const auto& [name, text] : outcome.documents) {
      if (name == "findings.txt") record_findings(text);
      if (name == "launches.json") record_launches(text);
    }
    return outcome;
  }

  /// The report of the end without the warnings that the application has.
  std::string without_told(const spica::Outcome& outcome) const {
    std::string report = outcome.report;
    for (std::size_t i = 0; i < std::min(faults_, outcome.faults.size()); ++i)
      if (const std::size_t at = report.find(outcome.faults[i].text); at != std::string::npos)
        report.erase(at, outcome.faults[i].text.size());
    return report;
  }

  void finish() {
    const std::lock_guard<std::mutex> lock(turn_);
    if (!observed_ || stopped_) return;
    try {
      ended_machine();
    } catch (const std::exception& error) {
      report_error(std::string("the results of the run are incomplete: ") + error.what());
    }
  }

  void report_warnings() {
    const std::vector<spica::Fault> added = device_.faults(faults_);
    faults_ += added.size();
    for (const spica::Fault& fault : added)
      if (fault.severity == spica::Fault::Severity::kWarning) report_error(fault.text);
  }

  std::uint64_t ns(std::uint64_t cycles) const {
    return static_cast<std::uint64_t>(static_cast<double>(cycles) * 1000 / device_.facts().mhz);
  }

  std::mutex turn_;  // of the thread that runs launches, and of the one that exits
  spica::Machine machine_;
  spica::Device device_;
  Allocator blocks_;
  std::map<std::uint64_t, spica::Program> programs_;  // by number
  std::map<std::uint64_t, Running> running_;  // by number of the launch
  std::vector<Completion> ended_;
  std::uint64_t submitted_ = 0;
  std::size_t faults_ = 0;  // those seen so far
  std::vector<std::unique_ptr<MemoryFile>> files_;
  bool observed_, debugged_, stopped_ = false;
  std::optional<AtExit> at_exit_;
};

}  // namespace

DeviceFacts session_facts(const std::string& program, const DeviceChoice& choice) {
  spica::Machine machine = started(program, choice, false);
  const spica::DeviceFacts have = spica::Device(machine).facts();
  const Layout layout(have);
  DeviceFacts facts;
  facts.name = choice.configuration;
  facts.compute_units = have.clusters;
  facts.warp_lanes = have.lanes;
  facts.max_group_items = have.cores * have.warps * have.lanes;
  facts.local_bytes = have.shared_bytes;
  facts.memory_base = layout.buffers;
  facts.memory_bytes = layout.end - layout.buffers;
  facts.program_base = layout.programs;
  facts.keeps_programs = is_observed(choice);
  facts.program_bytes = layout.program_bytes;
  facts.private_bytes = have.stack_bytes;
  facts.cache_bytes = have.cache_bytes;
  facts.cache_line_bytes = static_cast<unsigned>(have.line_bytes);
  facts.clock_mhz = static_cast<unsigned>(have.mhz);
  return facts;
}

std::unique_ptr<DeviceMachine> start_session(const std::string& program, const DeviceChoice& choice) {
  return std::make_unique<SessionMachine>(program, choice);
}

}  // namespace spica::opencl
