// SPDX-License-Identifier: Apache-2.0
#include "platform/run/job.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <iostream>
#include <new>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/regular_file.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/session/session.h"
#include "platform/machine/session/streams.h"
#include "platform/machine/soc/assembled_machine.h"
#include "platform/machine/soc/built_for.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/machine/soc/unused_settings.h"
#include "platform/observe/debug/server.h"
#include "platform/observe/report/html_report.h"
#include "platform/observe/report/progress_line.h"
#include "platform/observe/report/provenance.h"
#include "platform/observe/report/terminal.h"
#include "platform/observe/watchdog/diagnosis.h"
#include "platform/observe/watchdog/hang_report.h"
#include "platform/observe/watchdog/hang_watch.h"
#include "platform/observe/watchdog/loop_text.h"
#include "platform/run/checkpoints.h"
#include "platform/run/checks.h"
#include "platform/run/files.h"
#include "platform/run/measurements.h"
#include "platform/run/memory_file.h"
#include "platform/run/printed.h"
#include "platform/run/problems.h"
#include "platform/run/result_files.h"
#include "platform/run/results.h"
#include "platform/run/run_facts.h"
#include "platform/run/sampled_run.h"

namespace spica::job {

namespace {

const std::string& choose_elf(JobOptions& options, const soc::SocParams& params) {
  if (options.elf_for) options.elf = options.elf_for(params);
  return options.elf;
}

/// A terminal obeys control characters; a program's are shown there, and kept in files and pipes.
session::ConsoleOptions console_options() {
  session::ConsoleOptions options;
  options.printable_sink = report::detect_terminal(1).is_tty;
  return options;
}

double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::unique_ptr<session::Session> make_session(const soc::SocParams& params, const std::string& config,
                                               const loader::Program& program,
                                               session::ConsoleCollector& console) {
  try {
    return std::make_unique<session::Session>(params, program, console);
  } catch (const std::bad_alloc&) {
    throw input::UserError(
        fmt::format("not enough memory for the machine of {}; its main memory alone has {}", config,
                    input::size_text(params.main_memory.size)));
  }
}

}  // namespace

Job::Job(const JobOptions& options, const std::filesystem::path& configs_dir)
    : options_(options),
      configs_dir_(configs_dir),
      source_(config::load(options.config, options.overrides, configs_dir)),
      params_(config::read<soc::SocParams>(source_)),
      program_(soc::load_program(choose_elf(options_, params_), params_)),
      sources_(program_),
      console_(options.show_console ? &std::cout : nullptr, console_options()),
      hang_(std::make_unique<json::Value>()) {
  Measurements::check_mode(options_, params_);
  const double before = process_seconds();
  session_ = make_session(params_, source_.name, program_, console_);
  hang_watch_ = std::make_unique<watchdog::HangWatch>(machine());
  session_->find_hangs(*hang_watch_);
  if (const std::string& name = params_.command_processor.firmware; !name.empty()) {
    firmware_ = loader::load_elf(options_.find_program ? options_.find_program(name) : name);
    session_->use_firmware(*firmware_);
    sources_.add(*firmware_);
  }
  host_.elaboration = process_seconds() - before;

  if (!options_.report.empty()) report::check_html_report(options_.report);
  for (const std::string& file : {options_.record.file, options_.memory, options_.report})
    input::check_output(file);
  if (options_.gdb_port)
    debugger_ = std::make_unique<debug::Server>(
        *session_, *options_.gdb_port, sources_, configs_dir_.parent_path(),
        [this](soc::RunControl::RunState rest) {
          session::Outcome outcome;
          outcome.end = session::end_of(rest);
          return watchdog::explain_end(machine(), outcome, hang_watch_->activity(), program_, sources_).text;
        });
  checks_ = std::make_unique<Checks>(options_.checks, options_.suppressions, params_, program_, sources_,
                                     machine());
  measurements_ =
      std::make_unique<Measurements>(options_, params_, program_, sources_, *session_, configs_dir_);
  if (!options_.grid_later)
    if (const auto grid = session::grid_launch(options_.grid, program_, params_)) {
      kernel_ = grid->entry;
      session_->run_grid(*grid);
    }
  session_->load();
  fill_memory();
  set_up_checkpoints();
  make_folder(options_.out);
}

Job::~Job() = default;

void Job::fill_memory() {
  if (!options_.from.empty() && !(options_.loads.empty() && options_.arguments.empty()))
    throw input::UserError(
        "--load and --args need a run from its beginning: a checkpoint contains the memory");
  const auto ranges = soc::memory_ranges(map());
  for (const std::string& text : options_.loads) {
    const loader::LoadImage image = loader::parse_load(text, sources_, ranges);
    write(image.address, image.bytes.data(), image.bytes.size());
    name_buffer(input::printable(image.path), image.address, image.bytes.size());
    memory_.filled.push_back({text, image.address, image.bytes.size()});
  }
  for (const loader::Segment& segment : program_.segments)
    memory_.filled.push_back({segment.name, segment.address, segment.size()});
  if (!options_.samples.empty()) parse_samples(options_.samples);
  for (const std::string& text : options_.saves) {
    memory_.saves.push_back(loader::parse_save(text, sources_, ranges));
    input::check_output(memory_.saves.back().path);
  }
  if (!options_.arguments.empty()) {
    const auto block = loader::parse_arguments(options_.arguments, sources_, "--args", kernel_);
    write(loader::kArgumentBlockAddress, block.data(), block.size());
    if (const auto result = loader::published_result(options_.arguments))
      soc::StackRegion(program_, params_).check_outside(*result, 1);
  }
}

/// From a checkpoint; and writes others.
void Job::set_up_checkpoints() {
  const std::uint64_t every = checkpoint_interval(options_.checkpoint);
  const bool writes = every != 0, warm = is_warm(options_.checkpoint);
  if (warm && !fast())
    throw input::UserError(
        "--checkpoint every=N,warm: warm is for the fast mode (--mode fast); checkpoints of the cycle mode have the "
        "contents of all caches");
  if (warm) session_->assembled().past.record();
  if (!writes && options_.from.empty()) return;
  const RunIdentity run = run_identity(program_, config::effective(params_, source_), options_.work);
  if (!options_.from.empty()) {
    if (!options_.checks.empty())
      throw input::UserError(
          "--check needs the run from its beginning: a check does not know what happened before a checkpoint");
    const bool by_line = options_.profiles || !options_.profile.empty() || options_.counts_lines();
    const SavedRun saved = read_checkpoint(options_.from, run, *session_);
    if (!saved.fast && by_line)
      throw input::UserError(
          "--profile, --report and counts by line need the run from its beginning, or from a checkpoint of the fast mode, "
          "where all counts start at 0");
    resumed_ = {machine().now(), saved};
    if (const base::Cycle limit = params_.run.max_cycles; limit != 0 && limit <= resumed_.at)
      throw input::UserError(fmt::format(
          "run.max_cycles = {}: {} is already at cycle {} of the machine's clock; give a larger limit", limit,
          input::printable(options_.from), *resumed_.at));
  }
  if (writes) checkpoints_ = std::make_unique<Checkpoints>(every, options_.checkpoint_folder, run, *session_);
}

bool Job::fast() const { return session_->fast(); }
soc::MeasuredMachine& Job::measured() { return session_->measured(); }
soc::Machine& Job::machine() const { return session_->machine(); }
const protocol::AddressMap& Job::map() const { return machine().map(); }
std::uint64_t Job::warp_instructions() const {
  return outcome_.is_projected ? measurements_->sample()->warp_instructions() : machine().warp_instructions();
}
std::uint64_t Job::thread_instructions() const {
  return outcome_.is_projected ? measurements_->sample()->lane_instructions() : machine().lane_instructions();
}
const energy::EnergyReport* Job::energy() const { return measurements_->energy(); }
const area::AreaReport* Job::area() const { return measurements_->area(); }
const profile::Profile* Job::profile() const { return measurements_->profile(); }

std::vector<loader::MemoryRange> Job::memory() const { return soc::memory_ranges(map()); }

void Job::write(std::uint64_t address, const void* from, std::uint64_t bytes) {
  soc::StackRegion(program_, params_).check_outside(address, bytes);
  if (keep_ == nullptr && (resumed_.at || checkpoints_ != nullptr)) memory_.inputs.add(address, from, bytes);
  if (keep_ == nullptr && resumed_.at) return;
  soc::write_memory(machine(), address, from, bytes);
  checks_->initialised(address, bytes);
}

void Job::run_grid(const std::string& kernel, const std::string& grid) {
  options_.grid = {kernel, grid, ""};
  session_->run_grid(*session::grid_launch(options_.grid, program_, params_));
}

void Job::run_streams(const session::StreamPlan& plan) {
  session_->run_queues(plan.queues, plan.model);
  measurements_->describe_kernels(plan);
  checks_->name_queues(plan.names);
  for (const session::StreamPlan::Piece& piece : plan.pieces) {
    write(piece.address, piece.bytes.data(), piece.bytes.size());
    name_buffer(input::printable(piece.name), piece.address, piece.bytes.size());
    memory_.filled.push_back({piece.name, piece.address, piece.bytes.size()});
  }
}

std::vector<protocol::KernelRun> Job::kernel_runs() const { return machine().kernel_runs(); }
std::vector<protocol::QueueState> Job::queue_states() const { return machine().queue_states(); }

void Job::name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes,
                      const check::MatrixLayout& matrix, bool is_operand) {
  checks_->name_buffer(name, address, bytes, matrix);
  if (is_operand) memory_.operands.push_back({name, address, bytes});
}

void Job::read(std::uint64_t address, void* to, std::uint64_t bytes) {
  soc::read_memory(machine(), address, to, bytes);
}

const JobOutcome& Job::run() {
  if (checkpoints_ != nullptr) checkpoints_->set_inputs(memory_.inputs.text());
  if (resumed_.at) check_inputs(options_.from, resumed_.run, memory_.inputs);
  outcome_.is_whole = !resumed_.at || fast() || !resumed_.run.fast;
  std::cerr << soc::check_built_for(program_, params_, options_.config, options_.overrides, configs_dir_);
  std::cerr << soc::unused_settings(params_, source_, options_.overrides, options_.own_overrides);
  measurements_->start_sample();
  host_.startup = process_seconds();
  measurements_->watch_first_load(memory_.operands);
  if (debugger_ != nullptr) {
    run_under_gdb();  // Ctrl-C is gdb's
    keep_ = std::make_unique<Interrupt::SignalGuard>();
  } else {
    keep_ = std::make_unique<Interrupt::SignalGuard>(&machine());
    run_with_progress();
  }
  std::cout.flush();
  measurements_->check_sample();

  // Whatever of this does not work: the rest does.
  host_errors_.attempt([this] {
    *hang_ = print_problems({machine(), params_, program_, sources_, outcome_, hang_watch_->activity(),
                             memory_.filled, !console_.text().empty()},
                            options_.foreign_program ? &configs_dir_ : nullptr, host_errors_);
  });
  host_errors_.attempt([this] {
    Checks::Write write;
    if (!options_.out.empty())
      write = [this](const std::string& file, const std::string& text) {
        write_result(options_, file, text, host_errors_);
      };
    checks_->finish(outcome_, write, std::cerr);
  });
  std::cerr << checks_->summary();
  measurements_->finish_sample(outcome_, host_errors_);
  measurements_->finish(!outcome_.broken(), host_errors_);
  save_memory();
  return outcome_;
}

void Job::run_with_progress() {
  report::ProgressLine progress;
  const auto started = std::chrono::steady_clock::now();
  const auto text = [&](base::Cycle cycle) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const std::uint64_t instructions = warp_instructions();
    return fmt::format("simulating: cycle {}, {} warp instructions, {}", text::grouped(cycle),
                       text::grouped(instructions),
                       fast() ? text::scaled(static_cast<double>(instructions) / seconds, "instr/s")
                              : text::scaled(static_cast<double>(cycle) / seconds, "cycles/s"));
  };
  console_.listen([&](const std::string&) { progress.clear(); });  // both may be on one terminal
  CrashReport::watch(&machine().clock());
  static_cast<session::Outcome&>(outcome_) = session_->run([&](base::Cycle cycle) {
    progress.show([&] { return text(cycle); });
    if (checkpoints_ != nullptr) checkpoints_->save_if_due();
    for (const watchdog::HangWatch::LongLoop& loop : hang_watch_->take_long_loops()) {
      progress.clear();
      std::cerr << watchdog::long_loop_text(loop, watchdog::names_of(map(), program_, sources_));
    }
    return Interrupt::signal() == 0 && !measurements_->sample_refused();
  });
  CrashReport::watch(nullptr);
  console_.listen({});
  if (outcome_.end == session::End::kInterrupted) outcome_.interrupted_by = Interrupt::name();
}

void Job::run_under_gdb() {
  const auto script = configs_dir_.parent_path() / "platform" / "observe" / "debug" / "spica.gdb";
  const std::string firmware =
      firmware_ ? " -ex " + report::shell_text({"add-symbol-file " + firmware_->path}) : "";
  fmt::print(
      stderr,
      "gdb: the program is stopped at its entry point and waits for gdb on 127.0.0.1:{0}. In another terminal:\n"
      "  gdb-multiarch -x {1} -ex 'target remote 127.0.0.1:{0}'{3} {2}\n",
      debugger_->port(), report::shell_text({script.string()}), report::shell_text({options_.elf}), firmware);
  console_.listen([this](const std::string& line) { debugger_->console(input::printable_lines(line)); });
  session_->start();
  const debug::Server::End end = debugger_->run();
  static_cast<session::Outcome&>(outcome_) = session_->finish(end == debug::Server::End::kKilled);
}

void Job::save_memory() {
  for (const loader::SaveImage& image : memory_.saves)
    host_errors_.attempt([&] {
      std::vector<unsigned char> bytes(image.bytes);
      read(image.address, bytes.data(), bytes.size());
      input::write_file(image.path, bytes);
    });
  if (!options_.memory.empty())
    host_errors_.attempt([this] { write_memory_file(options_.memory, machine()); });
}

RunFacts Job::facts() {
  return {options_,  source_,        params_,  program_,        sources_, configs_dir_,
          *session_, *measurements_, outcome_, console_.text(), *hang_,   host_};
}

}  // namespace spica::job
