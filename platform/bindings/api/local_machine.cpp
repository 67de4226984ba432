// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/api/local_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <systemc>
#include <utility>

#include "models/base/clock_domain.h"
#include "models/base/suggest.h"
#include "platform/base/config/config.h"
#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/regular_file.h"
#include "platform/base/input/user_error.h"
#include "platform/bindings/api/errors.h"
#include "platform/bindings/api/local_device.h"
#include "platform/bindings/api/statistics.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/loader/user_frame.h"
#include "platform/machine/session/grid.h"
#include "platform/machine/session/session.h"
#include "platform/machine/session/streams.h"
#include "platform/machine/soc/assembled_machine.h"
#include "platform/machine/soc/built_for.h"
#include "platform/machine/soc/keys.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/watchdog/diagnosis.h"
#include "platform/observe/watchdog/hang_watch.h"

namespace spica::api {

namespace {

bool loaded = false;  // in this process

Outcome::End end_of(session::End end) {
  switch (end) {
    case session::End::kFault: return Outcome::End::kFault;
    case session::End::kDeadlock: return Outcome::End::kDeadlock;
    case session::End::kLivelock: return Outcome::End::kLivelock;
    case session::End::kCycleLimit: return Outcome::End::kCycleLimit;
    case session::End::kInternalError: return Outcome::End::kInternalError;
    default: return Outcome::End::kFinished;
  }
}

/// A symbol, as far as debug information describes it.
Variable variable_of(const loader::Symbol& symbol, const std::string& name,
                     const loader::SourceMap& sources) {
  Variable result{name, symbol.address, symbol.bytes, {}};
  result.type.shape = {symbol.bytes};
  if (symbol.kind == loader::Symbol::Kind::kFunction) return result;
  std::optional<loader::VariableType> type = sources.type_at(symbol.address);
  if (!type || type->bytes == 0) return result;
  using Kind = Type::Kind;
  const Kind kinds[] = {Kind::kUnsigned, Kind::kSigned, Kind::kFloat, Kind::kUnknown};
  result.type = {kinds[static_cast<unsigned>(type->kind)], type->bytes, std::move(type->shape)};
  if (!result.type.shape.empty() && result.type.shape[0] == 0) {
    result.type.shape[0] = 1;
    result.type.shape[0] = symbol.bytes / std::max<std::uint64_t>(1, result.type.count() * type->bytes);
  }
  // Not what the symbol is: damaged, or a part of it.
  if (symbol.bytes != 0 && result.type.count() * type->bytes != symbol.bytes)
    result.type = {Kind::kUnknown, 1, {symbol.bytes}};
  if (symbol.bytes == 0) result.bytes = result.type.count() * type->bytes;
  return result;
}

/// A machine, and from load() on a program on it.
class LocalMachine final : public Machine::Impl {
 public:
  LocalMachine(const std::string& configuration, const std::vector<std::string>& overrides, Places places)
      : name_(configuration), overrides_(overrides), places_(std::move(places)) {
    as_errors([this] {
      source_ = config::load(name_, overrides_, places_.configs);
      config::apply(source_, params_);
    });
  }

  void observe(const Observation& observation) override;
  void load(const std::string& program) override;
  Device::Impl& stand(const DeviceOptions& options) override;
  void arguments(const std::string& list) override;
  void grid(const std::string& kernel, const std::string& grid, const std::string& block) override;
  void step(const Step& step) override;
  Variable variable(const std::string& name) override;
  void write(std::uint64_t address, const void* from, std::size_t bytes, unsigned cluster) override;
  void read(std::uint64_t address, void* to, std::size_t bytes, unsigned cluster) override;
  Outcome run() override;
  bool run_cycles(std::uint64_t cycles) override;
  Time time() override { return {device_ != nullptr ? device_->now() : machine().now(), params_.core_mhz()}; }
  std::uint64_t statistic(const std::string& name) override {
    return api::statistic(running().session.assembled(), cycle_machine(), name);
  }
  std::vector<std::pair<std::string, std::uint64_t>> counts() override {
    return statistics(running().session.assembled(), cycle_machine());
  }
  Warp warp(unsigned core, unsigned warp) override;
  std::string output() override { return running().console.text(); }
  void on_output(std::function<void(const std::string&)> listener) override {
    running().console.listen(std::move(listener));
  }
  std::string configuration() override;

 private:
  /// A program on a machine.
  struct Run {
    Run(const soc::SocParams& params, loader::Program elf)
        : program(std::move(elf)),
          stacks(program, params),
          sources(program),
          session(params, program, console) {
      session.find_hangs(hang_watch);
    }
    loader::Program program;
    const soc::StackRegion stacks;
    std::optional<loader::Program> firmware;  // of the command processor
    loader::SourceMap sources;
    session::ConsoleCollector console;
    session::Session session;
    watchdog::HangWatch hang_watch{session.machine()};
  };

  Run& running() const {
    if (run_ == nullptr) throw Error("the machine has no program: call load() first");
    return *run_;
  }
  /// The run of one program.
  Run& alone() const {
    if (device_ != nullptr)
      throw Error("the machine is a device, which has several programs: use the functions of Device");
    return running();
  }
  soc::Machine& machine() const { return running().session.machine(); }
  soc::MeasuredMachine* cycle_machine() const {
    return running().session.fast() ? nullptr : &running().session.measured();
  }
  void check_first() const;
  void build(loader::Program program);
  void make_instruments(const loader::Program& program);
  void observe_program(const loader::Program& program);
  loader::Program read_program(const std::string& given, std::string& warnings) const;
  Fault shown(const protocol::GuestFault& fault) const;
  Outcome outcome(const session::Outcome& how) const;
  Fault hang(const session::Outcome& how, const watchdog::EndReport& why) const;
  void check_start();
  void start_streams();

  std::string name_;
  std::vector<std::string> overrides_;
  Places places_;
  config::Source source_;
  soc::SocParams params_;
  Observation observation_;
  std::unique_ptr<Run> run_;
  std::unique_ptr<LocalDevice> device_;  // nullptr: one program runs
  std::unique_ptr<Instruments> instruments_;  // null: there are none
  std::vector<std::pair<std::uint64_t, std::uint64_t>> written_;  // before there were any: address and bytes
  bool has_grid_ = false;
  std::uint64_t kernel_ = 0;  // address of the one that runs as a grid
  std::vector<session::Stream> streams_;  // until they run
  std::optional<Outcome> ended_;
  bool has_run_ = false;  // run() has returned
};

Outcome LocalMachine::outcome(const session::Outcome& how) const {
  if (how.end == session::End::kBlockError) throw Error(how.failure);
  Outcome result;
  result.end = end_of(how.end);
  result.exit_code = how.program_code();
  result.cycles = how.cycles;
  result.kernel_cycles = how.kernel_cycles;
  for (const protocol::GuestFault& found : how.faults) {
    result.faults.push_back(shown(found));
    result.report += result.faults.back().text;
  }
  if (how.end == session::End::kInternalError)
    result.report += fmt::format("internal error: {}\n", how.failure);
  else if (!how.good() && how.end != session::End::kFault) {
    const watchdog::EndReport why =
        watchdog::explain_end(machine(), how, run_->hang_watch.activity(),
                              device_ != nullptr ? device_->whole() : run_->program, run_->sources);
    result.report = why.text + result.report;
    if (why.stuck) result.faults.push_back(hang(how, why));
  }
  if (instruments_ != nullptr) result.documents = instruments_->finish(how);
  return result;
}

Fault LocalMachine::shown(const protocol::GuestFault& fault) const {
  return fault_of(device_ != nullptr ? device_->named(fault) : fault, params_, run_->sources,
                  run_->program.compressed);
}

/// About the first warp to look at.
Fault LocalMachine::hang(const session::Outcome& how, const watchdog::EndReport& why) const {
  Fault result;
  result.what = why.text.substr(0, why.text.find('\n'));
  result.cycle = how.cycles;
  result.core = why.stuck->core;
  result.warp = why.stuck->warp;
  result.pc = why.stuck->pc;
  result.lanes = why.stuck->lanes;
  const loader::Frame& frame = loader::user_frame(run_->sources.lookup(result.pc));
  result.function = frame.function;
  result.file = frame.file;
  result.line = frame.line;
  result.text = why.text;
  return result;
}

void LocalMachine::observe(const Observation& observation) {
  if (run_ != nullptr) throw Error("call observe() before load()");
  if (!observation.empty() && !places_.instruments)
    throw Error(
        "checks, traces, profiles and energies need a machine in a separate process: Machine::separate()");
  observation_ = observation;
}

void LocalMachine::check_first() const {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);  // before its first object
  if (loaded)
    throw Error(
        "this process has loaded a program before; SystemC builds one machine per process: Machine::separate()");
}

loader::Program LocalMachine::read_program(const std::string& given, std::string& warnings) const {
  loader::Program elf = soc::load_program(places_.program(given, params_), params_);
  warnings = soc::check_built_for(elf, params_, name_, overrides_, places_.configs);
  loader::check_segments(elf, soc::memory_ranges(soc::address_map(params_)));
  return elf;
}

void LocalMachine::build(loader::Program program) {
  try {
    loaded = true;
    run_ = std::make_unique<Run>(params_, std::move(program));
  } catch (const std::bad_alloc&) {
    throw input::UserError(
        fmt::format("not enough memory for the machine of {}; its main memory alone has {}", name_,
                    input::size_text(params_.main_memory.size)));
  }
  if (const std::string& name = params_.command_processor.firmware; !name.empty()) {
    run_->firmware = loader::load_elf(places_.program(name, params_));
    run_->session.use_firmware(*run_->firmware);
    run_->sources.add(*run_->firmware);
  }
}

void LocalMachine::make_instruments(const loader::Program& program) {
  if (!observation_.empty())
    instruments_ = places_.instruments(
        observation_, {name_, source_, params_, program, run_->sources, run_->session, run_->console});
}

/// Instruments need the first program of a device, and learn of the others.
void LocalMachine::observe_program(const loader::Program& program) {
  if (instruments_ != nullptr) return instruments_->add(program);
  make_instruments(device_->whole());
  if (instruments_ == nullptr) return;
  instruments_->name_kernels([this](const protocol::KernelRun& run) { return device_->name_of(run); });
  for (const auto& [address, bytes] : written_) instruments_->initialised(address, bytes);
  written_.clear();
}

void LocalMachine::load(const std::string& program) {
  check_first();
  as_errors([&] {
    std::string ignored;
    build(read_program(program, ignored));
    make_instruments(run_->program);
    run_->session.load();
  });
}

Device::Impl& LocalMachine::stand(const DeviceOptions& options) {
  check_first();
  as_errors([&] {
    for (const char* key : {soc::keys::kDispatcher, soc::keys::kCommandProcessor})
      overrides_.push_back(fmt::format("{}=true", key));
    source_ = config::load(name_, overrides_, places_.configs);
    params_ = {};
    config::apply(source_, params_);
    LocalDevice::check(params_, options);
    build({});
    run_->session.load();
    device_ = std::make_unique<LocalDevice>(
        LocalDevice::Owner{
            run_->session,
            run_->sources,
            [this](const std::string& given, std::string& warnings) { return read_program(given, warnings); },
            [this](const protocol::GuestFault& fault) { return shown(fault); },
            [this](const loader::Program& program) { observe_program(program); },
            {[this] { return instruments_ != nullptr && instruments_->wants_control(); },
             [this] { return instruments_->carry_on(); }},
            !observation_.checks.empty()},
        options);
  });
  return *device_;
}

void LocalMachine::arguments(const std::string& list) {
  as_errors([&] {
    const auto block = loader::parse_arguments(list, alone().sources, "argument", kernel_);
    write(loader::kArgumentBlockAddress, block.data(), block.size(), 0);
  });
}

void LocalMachine::grid(const std::string& kernel, const std::string& grid, const std::string& block) {
  as_errors([&] {
    const auto launch = *session::grid_launch({kernel, grid, block}, alone().program, params_);
    kernel_ = launch.entry;
    running().session.run_grid(launch);
  });
  has_grid_ = true;
}

/// A program of kernels only cannot run as it is.
void LocalMachine::check_start() {
  if (device_ != nullptr) return;
  if (!streams_.empty()) as_errors([this] { start_streams(); });
  else if (!has_grid_) as_errors([this] { session::grid_launch({}, running().program, params_); });
}

void LocalMachine::start_streams() {
  const session::StreamPlan plan = session::plan_streams(streams_, running().program, params_);
  for (const session::StreamPlan::Piece& piece : plan.pieces)
    write(piece.address, piece.bytes.data(), piece.bytes.size(), 0);
  running().session.run_queues(plan.queues, plan.model);
  if (instruments_ != nullptr) instruments_->describe_kernels(plan);
  streams_.clear();
  has_grid_ = true;
}

void LocalMachine::step(const Step& given) {
  as_errors([&] {
    session::StreamStep step;
    step.event = given.record + given.wait;
    if (!given.record.empty()) step.kind = session::StreamStep::Kind::kRecord;
    if (!given.wait.empty()) step.kind = session::StreamStep::Kind::kWait;
    if (step.kind == session::StreamStep::Kind::kLaunch) {
      step.kernel = {given.launch, given.grid, given.block};
      const auto launch = session::grid_launch(step.kernel, alone().program, params_);
      if (!given.arguments.empty())
        step.arguments =
            loader::parse_arguments(given.arguments, alone().sources, "argument", launch ? launch->entry : 0);
    }
    const auto found = std::find_if(streams_.begin(), streams_.end(), [&](const session::Stream& stream) {
      return stream.name == given.stream;
    });
    if (found != streams_.end()) return found->steps.push_back(std::move(step));
    streams_.push_back({given.stream, {std::move(step)}, {}});
  });
}

Variable LocalMachine::variable(const std::string& name) {
  const loader::Program& program = alone().program;
  if (const loader::Symbol* found = run_->sources.find_symbol(name))
    return variable_of(*found, input::printable(name), run_->sources);
  if (run_->sources.is_left_out(name))
    throw Error(
        fmt::format("{}: '{}' {}", input::printable(program.path), input::printable(name), loader::kLeftOut));
  std::vector<std::string> names;
  for (const loader::Symbol& symbol : program.symbols)
    if (symbol.kind == loader::Symbol::Kind::kObject) names.push_back(loader::demangle(symbol.name));
  throw Error(
      fmt::format("{} has no symbol '{}'{}; without debug information (-g) this may be a variable that the "
                  "linker left out",
                  input::printable(program.path), input::printable(name), base::did_you_mean(name, names)));
}

void LocalMachine::write(std::uint64_t address, const void* from, std::size_t bytes, unsigned cluster) {
  if (bytes == 0) return;
  as_errors([&] {
    running().stacks.check_outside(address, bytes);
    soc::write_memory(machine(), address, from, bytes, cluster);
  });
  if (instruments_ != nullptr) instruments_->initialised(address, bytes);
  else if (!observation_.empty()) written_.emplace_back(address, bytes);
}

void LocalMachine::read(std::uint64_t address, void* to, std::size_t bytes, unsigned cluster) {
  if (bytes == 0) return;
  as_errors([&] { soc::read_memory(machine(), address, to, bytes, cluster); });
}

Outcome LocalMachine::run() {
  if (has_run_) throw Error("the program has run to its end: a machine runs a program once");
  check_start();
  as_errors([this] {
    if (!ended_) ended_ = outcome(device_ != nullptr ? device_->finish() : running().session.run());
  });
  has_run_ = true;
  return *ended_;
}

bool LocalMachine::run_cycles(std::uint64_t cycles) {
  check_start();
  return as_errors([&] {
    session::Session& session = running().session;
    if (device_ != nullptr) return !ended_ && device_->run_for(cycles);
    using RunState = soc::RunControl::RunState;
    if (!ended_ && session.run_to(session.machine().clock().now() + cycles) == RunState::kGoing) return true;
    if (!ended_) ended_ = outcome(session.finish());
    return false;
  });
}

Warp LocalMachine::warp(unsigned core, unsigned warp) {
  const unsigned cores = machine().core_count(), warps = static_cast<unsigned>(params_.cluster.core.warps);
  if (core >= cores || warp >= warps)
    throw Error(fmt::format("there is no warp {} of core {}: the machine has {} cores of {} warps", warp,
                            core, cores, warps));
  const soc::WarpView view = machine().warp_view(core, warp);
  Warp result;
  result.pc = view.pc;
  result.running = view.running;
  result.lanes = view.flow->mask();
  result.lane_count = view.registers->lanes();
  const auto rows = [&](unsigned first, std::vector<std::uint32_t>& to) {
    for (unsigned row = first; row < first + 32; ++row) {
      const std::uint32_t* words = view.registers->row(row);
      to.insert(to.end(), words, words + result.lane_count);
    }
  };
  rows(0, result.integers);
  rows(32, result.floats);
  return result;
}

std::string LocalMachine::configuration() {
  std::ostringstream text;
  config::dump(text, params_, source_);
  return text.str();
}

}  // namespace

std::unique_ptr<Machine::Impl> make_local(const std::string& configuration,
                                          const std::vector<std::string>& overrides, Places places) {
  return std::make_unique<LocalMachine>(configuration, overrides, std::move(places));
}

}  // namespace spica::api
