// SPDX-License-Identifier: Apache-2.0
#include "platform/run/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>

#include "platform/check/hazard_checker.h"
#include "platform/check/memory_checker.h"
#include "platform/check/suppressions.h"
#include "platform/debug/server.h"
#include "platform/energy/activity_file.h"
#include "platform/energy/energy_json.h"
#include "platform/energy/energy_report.h"
#include "platform/energy/table_file.h"
#include "platform/input/printable.h"
#include "platform/input/regular_file.h"
#include "platform/json/value.h"
#include "platform/loader/argument_block.h"
#include "platform/loader/elf_notes.h"
#include "platform/loader/file.h"
#include "platform/loader/user_error.h"
#include "platform/profile/profile.h"
#include "platform/report/fault_report.h"
#include "platform/report/html_report.h"
#include "platform/report/progress_line.h"
#include "platform/report/provenance.h"
#include "platform/report/statistics.h"
#include "platform/report/terminal.h"
#include "platform/report/warp_table.h"
#include "platform/run/built_for.h"
#include "platform/run/diagnosis.h"
#include "platform/run/memory_file.h"
#include "platform/run/other_configurations.h"
#include "platform/run/profile_files.h"
#include "platform/run/session.h"
#include "platform/run/stack_calls.h"
#include "platform/run/timeline.h"
#include "platform/run/trace_context.h"
#include "platform/soc/soc.h"
#include "platform/trace/tracer.h"

namespace spica::run {

namespace {

soc::SocParams read_params(const config::Source& source) {
  soc::SocParams params;
  config::apply(source, params);
  return params;
}

void make_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw loader::UserError(fmt::format("cannot create folder {}: {}", folder, error.message()));
}

/// A terminal obeys control characters; a program's are shown there, and kept in files and pipes.
report::ConsoleOptions console_options() {
  report::ConsoleOptions options;
  options.printable_sink = report::detect_terminal(1).is_tty;
  return options;
}

/// Memory that the program has for itself: what was filled, and its own objects.
std::vector<loader::MemoryRange> own_memory(const loader::Program& program,
                                            std::vector<loader::MemoryRange> filled) {
  for (const loader::Symbol& symbol : program.symbols)
    if (symbol.kind == loader::Symbol::Kind::kObject && symbol.bytes != 0)
      filled.push_back({symbol.name, symbol.address, symbol.bytes});
  return filled;
}

double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::unique_ptr<Session> make_session(const soc::SocParams& params, const std::string& config,
                                      const loader::Program& program, report::ConsoleCollector& console) {
  try {
    return std::make_unique<Session>(params, program, console);
  } catch (const std::bad_alloc&) {
    throw loader::UserError(
        fmt::format("not enough memory for the machine of {}; its main memory alone has {}", config,
                    input::size_text(params.main_memory.size)));
  }
}

}  // namespace

Job::Job(const JobOptions& options, const std::filesystem::path& configs_dir)
    : options_(options),
      configs_dir_(configs_dir),
      source_(config::load(options.config, options.overrides, configs_dir)),
      params_(read_params(source_)),
      program_(loader::load_elf(options.elf)),
      sources_(program_),
      console_(options.show_console ? &std::cout : nullptr, console_options()) {
  check_mode();
  const double before = process_seconds();
  session_ = make_session(params_, source_.name, program_, console_);
  elaboration_seconds_ = process_seconds() - before;

  if (!options_.report.empty()) report::check_html_report(options_.report);
  if (wants_results() && !fast()) {
    timeline_ = std::make_unique<Timeline>(soc());
    session_->observe(*timeline_);
  }
  if (options_.shows_energy() || !options_.activity.empty()) watch_energy(configs_dir);
  if (options_.gdb_port) debugger_ = std::make_unique<debug::Server>(*session_, *options_.gdb_port, sources_);
  if (!options_.suppressions.empty() && options_.checks.empty())
    throw loader::UserError("--suppress: needs --check, whose findings it suppresses");
  watch_checks();
  watch_traces();
  watch_profile();
  session_->load();
  const auto ranges = soc::memory_ranges(map());
  for (const std::string& text : options_.loads) {
    const loader::LoadImage image = loader::parse_load(text, sources_, ranges);
    write(image.address, image.bytes.data(), image.bytes.size());
    name_buffer(input::printable(image.path), image.address, image.bytes.size());
    filled_.push_back({text, image.address, image.bytes.size()});
  }
  for (const loader::Segment& segment : program_.segments)
    filled_.push_back({segment.name, segment.address, segment.size()});
  for (const std::string& text : options_.saves) saves_.push_back(loader::parse_save(text, sources_, ranges));
  if (!options_.arguments.empty()) {
    const auto block = loader::parse_arguments(options_.arguments, sources_);
    write(loader::kArgumentBlockAddress, block.data(), block.size());
  }
  make_folder(options_.out);
}

Job::~Job() = default;

bool Job::fast() const { return session_->fast(); }
soc::Soc& Job::soc() { return session_->soc(); }
soc::Machine& Job::machine() const { return session_->machine(); }
const protocol::AddressMap& Job::map() const { return machine().map(); }
std::uint64_t Job::warp_instructions() const { return machine().warp_instructions(); }
std::uint64_t Job::thread_instructions() const { return machine().lane_instructions(); }

void Job::watch_traces() {
  if (options_.trace.traces.empty() && options_.trace.filters.empty()) return;
  trace::Context context =
      fast() ? trace_context(session_->fast_soc(), sources_) : trace_context(soc(), sources_);
  tracer_ = std::make_unique<trace::Tracer>(options_.trace, std::move(context), program_);
  machine().watch(*tracer_);
  session_->observe(*tracer_);
}

void Job::watch_profile() {
  if (!options_.profiles && options_.profile.empty()) return;
  make_folder(options_.profile);
  profiler_ = std::make_unique<profile::Profiler>(static_cast<unsigned>(soc().cores().size()),
                                                  static_cast<unsigned>(params_.cluster.core.warps));
  soc().watch(*profiler_);
  session_->observe(*profiler_);
}

void Job::finish_profile() {
  if (profiler_ == nullptr) return;
  profile_ = std::make_unique<profile::Profile>(profile::make_profile(
      *profiler_, sources_, program_, params_.clock_mhz, params_.cluster.tensor_style()));
  if (outcome_.end != End::kInternalError) check_profile(*profile_, soc());
  if (!options_.profile.empty())
    write_profile(options_.profile, *profile_, options_.profile_table,
                  std::filesystem::path(options_.elf).filename().string());
}

void Job::watch_energy(const std::filesystem::path& configs_dir) {
  energy_table_ = energy::read_table(params_.power.table, configs_dir);
  energy::Recorder::Options recording;
  recording.window = params_.power.window;
  recording.lines = options_.counts_lines();
  recorder_ = std::make_unique<energy::Recorder>(soc(), recording);
  session_->observe(*recorder_);
}

/// What only the cycle mode can measure.
void Job::check_mode() const {
  if (params_.run.mode != soc::Mode::kFast) return;
  std::string wanted;
  const auto needs_cycles = [&wanted](bool given, const char* option) {
    if (given) wanted += fmt::format("{}{}", wanted.empty() ? "" : ", ", option);
  };
  needs_cycles(!options_.report.empty(), "--report");
  needs_cycles(options_.energy, "--energy");
  needs_cycles(options_.lines, "--lines");
  needs_cycles(options_.annotate, "annotate");
  needs_cycles(!options_.activity.empty(), "--activity");
  needs_cycles(options_.profiles || !options_.profile.empty(), "--profile");
  if (!wanted.empty())
    throw loader::UserError(
        fmt::format("{}: needs the cycle mode; the fast mode (run.mode = fast) has no timing", wanted));
}

void Job::write(std::uint64_t address, const void* from, std::uint64_t bytes) {
  if (!machine().write(address, static_cast<const unsigned char*>(from), bytes))
    loader::check_range("data to write", address, bytes, soc::memory_ranges(map()));
  if (hazards_ != nullptr) hazards_->initialised(address, bytes);
  if (memory_errors_ != nullptr) memory_errors_->initialised(address, bytes);
}

void Job::name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes) {
  if (hazards_ != nullptr) hazards_->buffers().add(name, address, bytes);
  if (memory_errors_ != nullptr) memory_errors_->buffers().add(name, address, bytes);
}

void Job::read(std::uint64_t address, void* to, std::uint64_t bytes) {
  if (!machine().read(address, static_cast<unsigned char*>(to), bytes))
    loader::check_range("data to read", address, bytes, soc::memory_ranges(map()));
}

const Outcome& Job::run() {
  std::cerr << check_built_for(program_, params_, options_.config, options_.overrides, configs_dir_);
  startup_seconds_ = process_seconds();
  if (debugger_ != nullptr) {
    outcome_ = run_under_gdb();  // Ctrl-C is gdb's
    keep_ = std::make_unique<Interrupt::Keep>();
  } else {
    keep_ = std::make_unique<Interrupt::Keep>(&machine());
    outcome_ = run_with_progress();
  }
  std::cout.flush();

  // Whatever of this does not work: the rest does.
  troubles_.attempt([this] { print_problems(); });
  troubles_.attempt([this] { finish_checks(); });
  std::cerr << suppressions_->summary(checked_kinds_);
  troubles_.attempt([this] { finish_profile(); });
  if (tracer_ != nullptr) {
    for (const std::string& note : tracer_->notes()) std::cerr << "spica: " << note << ".\n";
    for (const std::string& failure : tracer_->failures()) troubles_.user(failure);
  }
  if (recorder_ != nullptr)
    troubles_.attempt([this] {
      energy_ = std::make_unique<energy::EnergyReport>(*recorder_, std::move(energy_table_), params_.power,
                                                       params_.clock_mhz, params_.cluster.tensor_style());
    });
  if (energy_ != nullptr && !options_.activity.empty()) troubles_.attempt([this] { write_activity(); });
  for (const loader::SaveImage& image : saves_)
    troubles_.attempt([&] {
      std::vector<unsigned char> bytes(image.bytes);
      read(image.address, bytes.data(), bytes.size());
      loader::write_file(image.path, bytes);
    });
  if (!options_.memory.empty()) troubles_.attempt([this] { write_memory_file(options_.memory, machine()); });
  return outcome_;
}

Outcome Job::run_with_progress() {
  report::ProgressLine progress;
  const auto started = std::chrono::steady_clock::now();
  const auto text = [&](base::Cycle cycle) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const std::uint64_t instructions = warp_instructions();
    return fmt::format("simulating: cycle {}, {} warp instructions, {}", report::grouped(cycle),
                       report::grouped(instructions),
                       fast() ? report::scaled(static_cast<double>(instructions) / seconds, "instr/s")
                              : report::scaled(static_cast<double>(cycle) / seconds, "cycles/s"));
  };
  console_.listen([&](const std::string&) { progress.clear(); });  // both may be on one terminal
  Outcome outcome = session_->run([&](base::Cycle cycle) {
    progress.show([&] { return text(cycle); });
    return Interrupt::signal() == 0;
  });
  console_.listen({});
  return outcome;
}

Outcome Job::run_under_gdb() {
  const auto script = configs_dir_.parent_path() / "platform" / "debug" / "spica.gdb";
  fmt::print(
      stderr,
      "gdb: the program is stopped at its entry point and waits for gdb on 127.0.0.1:{0}. In another terminal:\n"
      "  gdb-multiarch -x {1} -ex 'target remote 127.0.0.1:{0}' {2}\n",
      debugger_->port(), report::shell_text({script.string()}), report::shell_text({options_.elf}));
  session_->explain_with(sources_);
  console_.listen([this](const std::string& line) { debugger_->console(input::printable_lines(line)); });
  session_->start();
  const debug::Server::End end = debugger_->run();
  return session_->finish(end == debug::Server::End::kKilled);
}

void Job::write_activity() const {
  const energy::Span window = recorder_->window();
  const std::string& file = options_.activity;
  const bool json = file.size() > 5 && file.compare(file.size() - 5, 5, ".json") == 0;
  const std::string text =
      json ? report::json_text(energy::activity_json(recorder_->activity(), window))
           : energy::action_counts_yaml(
                 recorder_->activity(), window,
                 input::printable(fmt::format("{} on {}", options_.elf, options_.config)));
  loader::write_text(file, text);
}

void Job::print_problems() {
  std::optional<OtherConfigurations> others;
  if (options_.foreign_program) others.emplace(configs_dir_);
  const bool hangs = outcome_.end == End::kDeadlock || outcome_.end == End::kLivelock;
  std::string faults;
  for (const protocol::GuestFault& fault : outcome_.faults) {
    if (hangs && fault.kind == protocol::FaultKind::kBarrierCount) continue;  // the report says it
    faults += report::format_fault(
        fault, {&sources_, params_.clock_mhz, params_.cluster.tensor_style(), program_.compressed});
    faults += stack_calls(machine(), program_, sources_, fault);
    if (others) faults += others->on_fault(fault, map());
  }
  if (!hangs) std::cerr << faults;
  if (outcome_.untold != 0)
    std::cerr << fmt::format("{} more warnings and notes are not shown.\n", report::grouped(outcome_.untold));
  if (others) {
    const auto read_memory = [this](std::uint64_t address, unsigned char* to, std::uint64_t bytes) {
      return machine().read(address, to, bytes);
    };
    // What a program says itself about the machine it was built for was compared with this one before the run.
    if (loader::read_notes(program_).empty())
      std::cerr << others->on_stores(map(), read_memory, own_memory(program_, filled_),
                                     !console_.text().empty());
  }
  if (outcome_.end == End::kInternalError) report_failure();
  else if (outcome_.end == End::kFault)
    std::cerr << "\nAll warps\n" << report::warp_table(snapshot_warps(machine()), sources_);
  else if (outcome_.end == End::kKilled)
    std::cerr << fmt::format("Killed in gdb at cycle {}.\n", outcome_.cycles);
  else if (!outcome_.good()) {
    EndReport ending = explain_end(machine(), outcome_, program_, sources_);
    hang_ = std::move(ending.json);
    std::cerr << ending.text << (hangs && !faults.empty() ? "\n" + faults : "")  // the cause comes first
              << (others ? others->on_hang(params_, ending.asked) : "");
  }
  if (outcome_.good() && outcome_.through_tohost && outcome_.guest_exit_code != 0)
    std::cerr << fmt::format("The program reports a failure through tohost: test or exit code {}.\n",
                             outcome_.guest_exit_code)
              << last_traps(machine(), sources_);
}

/// Everything that helps to find an internal error.
void Job::report_failure() {
  troubles_.internal(outcome_.failure);
  std::cerr << "\nAll warps\n" << report::warp_table(snapshot_warps(machine()), sources_);
  if (const std::string blocks = machine().work_in_flight(); !blocks.empty())
    std::cerr << "\nBlocks with work in flight\n" << blocks;
}

std::string Job::effective_config() const {
  std::ostringstream text;
  config::dump(text, params_, source_);
  return text.str();
}

void Job::write_results(const RunFigures& figures) {
  if (!wants_results()) return;
  const std::string config_text = effective_config();
  json::Value document, energy;
  if (!troubles_.attempt(
          [&] { document = fast() ? fast_results(figures, config_text) : results(figures, config_text); }))
    add_common_results(document = json::Value::object(), figures);
  if (energy_ != nullptr && options_.shows_energy())
    troubles_.attempt([&] { energy = energy::energy_json(*energy_, sources_, program_); });
  if (!options_.report.empty())
    troubles_.attempt([&] {
      report::write_html_report(options_.report, {{report_name(figures), document, config_text, energy}});
    });
  if (options_.out.empty()) return;
  write_text("stats.json", report::json_text(document));
  write_text("config.yaml", config_text);
  if (!energy.is_null()) write_text("energy.json", report::json_text(energy));
  write_text("console.txt", console_.text());
}

/// "virgo-dma 256x256x256" of a matrix product, else the program's file name.
std::string Job::report_name(const RunFigures& figures) const {
  if (!figures.details.contains("size"))
    return input::printable(std::filesystem::path(options_.elf).stem().string());
  return figures.details.at("design").get<std::string>() + " " +
         figures.details.at("size").get<std::string>();
}

void Job::write_text(const std::string& name, const std::string& text) {
  troubles_.attempt([&] { loader::write_text((std::filesystem::path(options_.out) / name).string(), text); });
}

}  // namespace spica::run
