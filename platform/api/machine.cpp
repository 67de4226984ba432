// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <systemc>
#include <utility>

#include "models/base/clock_domain.h"
#include "platform/api/errors.h"
#include "platform/api/home.h"
#include "platform/api/spica.h"
#include "platform/api/statistics.h"
#include "platform/config/config.h"
#include "platform/input/printable.h"
#include "platform/input/regular_file.h"
#include "platform/loader/argument_block.h"
#include "platform/loader/source_map.h"
#include "platform/loader/user_error.h"
#include "platform/session/diagnosis.h"
#include "platform/session/session.h"
#include "platform/soc/built_for.h"
#include "platform/soc/soc_config.h"

/// SystemC's library refers to it; a program with a main() of its own need not have one.
extern "C" __attribute__((weak)) int sc_main(int, char*[]) { return 1; }

namespace spica {

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

}  // namespace

struct Machine::Impl {
  /// A program on a machine.
  struct Run {
    Run(const soc::SocParams& params, loader::Program elf)
        : program(std::move(elf)), sources(program), session(params, program, console) {}
    loader::Program program;
    loader::SourceMap sources;
    report::ConsoleCollector console;
    session::Session session;
  };

  Run& running() const {
    if (run == nullptr) throw Error("the machine has no program: call load() first");
    return *run;
  }
  soc::Machine& machine() const { return running().session.machine(); }
  soc::Soc* cycle_machine() const { return running().session.fast() ? nullptr : &running().session.soc(); }
  Fault fault(const protocol::GuestFault& fault) const;
  Outcome outcome(const session::Outcome& how) const;

  std::string name;
  std::vector<std::string> overrides;
  api::Home home;
  config::Source source;
  soc::SocParams params;
  std::unique_ptr<Run> run;
  std::optional<Outcome> ended;
};

Fault Machine::Impl::fault(const protocol::GuestFault& fault) const {
  return api::fault_of(fault, params, run->sources, run->program.compressed);
}

Outcome Machine::Impl::outcome(const session::Outcome& how) const {
  if (how.end == session::End::kBlockError) throw Error(how.failure);
  Outcome result;
  result.end = end_of(how.end);
  result.exit_code = how.program_code();
  result.cycles = how.cycles;
  result.kernel_cycles = how.kernel_cycles;
  for (const protocol::GuestFault& found : how.faults) {
    result.faults.push_back(fault(found));
    result.report += result.faults.back().text;
  }
  if (how.end == session::End::kInternalError)
    result.report += fmt::format("internal error: {}\n", how.failure);
  else if (!how.good() && how.end != session::End::kFault)
    result.report = session::explain_end(machine(), how, run->program, run->sources).text + result.report;
  return result;
}

Machine::Machine(const std::string& configuration, const std::vector<std::string>& overrides,
                 const char* share)
    : impl_(std::make_unique<Impl>()) {
  impl_->name = configuration;
  impl_->overrides = overrides;
  impl_->home = api::find_home(share);
  api::check_home(impl_->home, configuration, share);
  api::as_errors([this] {
    impl_->source = config::load(impl_->name, impl_->overrides, impl_->home.configs);
    config::apply(impl_->source, impl_->params);
  });
}

Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

void Machine::load(const std::string& program) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);  // before its first object
  if (loaded)
    throw Error("this process has loaded a program before; SystemC builds one machine per process: fork()");
  api::as_errors([&] {
    loader::Program elf = loader::load_elf(api::find_program(impl_->home, program));
    soc::check_built_for(elf, impl_->params, impl_->name, impl_->overrides, impl_->home.configs);
    loader::check_segments(elf, soc::memory_ranges(soc::address_map(impl_->params)));
    try {
      loaded = true;
      impl_->run = std::make_unique<Impl::Run>(impl_->params, std::move(elf));
    } catch (const std::bad_alloc&) {
      throw loader::UserError(
          fmt::format("not enough memory for the machine of {}; its main memory alone has {}", impl_->name,
                      input::size_text(impl_->params.main_memory.size)));
    }
    impl_->run->session.load();
  });
}

void Machine::arguments(const std::string& list) {
  api::as_errors([&] {
    const auto block = loader::parse_arguments(list, impl_->running().sources);
    write(loader::kArgumentBlockAddress, block);
  });
}

std::uint64_t Machine::symbol(const std::string& name) const {
  const loader::Program& program = impl_->running().program;
  if (const loader::Symbol* found = program.find(name)) return found->address;
  throw Error(fmt::format("{} has no symbol '{}'", input::printable(program.path), input::printable(name)));
}

void Machine::write(std::uint64_t address, const void* from, std::size_t bytes, unsigned cluster) {
  soc::Machine& machine = impl_->machine();
  if (bytes == 0 || machine.write(address, static_cast<const unsigned char*>(from), bytes, cluster)) return;
  api::as_errors(
      [&] { loader::check_range("data to write", address, bytes, soc::memory_ranges(machine.map())); });
}

void Machine::read(std::uint64_t address, void* to, std::size_t bytes, unsigned cluster) const {
  soc::Machine& machine = impl_->machine();
  if (bytes == 0 || machine.read(address, static_cast<unsigned char*>(to), bytes, cluster)) return;
  api::as_errors(
      [&] { loader::check_range("data to read", address, bytes, soc::memory_ranges(machine.map())); });
}

Outcome Machine::run() {
  api::as_errors([this] {
    if (!impl_->ended) impl_->ended = impl_->outcome(impl_->running().session.run());
  });
  return *impl_->ended;
}

bool Machine::run_cycles(std::uint64_t cycles) {
  return api::as_errors([&] {
    session::Session& session = impl_->running().session;
    if (!impl_->ended && session.run_to(session.machine().clock().now() + cycles)) return true;
    if (!impl_->ended) impl_->ended = impl_->outcome(session.finish());
    return false;
  });
}

bool Machine::run_seconds(double seconds) {
  return run_cycles(static_cast<std::uint64_t>(std::ceil(seconds * impl_->params.core_mhz() * 1e6)));
}

std::uint64_t Machine::cycles() const { return impl_->machine().now(); }
double Machine::seconds() const { return static_cast<double>(cycles()) / (impl_->params.core_mhz() * 1e6); }

std::uint64_t Machine::statistic(const std::string& name) const {
  return api::statistic(impl_->machine(), impl_->cycle_machine(), name);
}

std::vector<std::string> Machine::statistics() const {
  std::vector<std::string> names;
  for (auto& [name, value] : api::statistics(impl_->machine(), impl_->cycle_machine())) names.push_back(name);
  return names;
}

std::string Machine::output() const { return impl_->running().console.text(); }

void Machine::on_output(std::function<void(const std::string&)> listener) {
  impl_->running().console.listen(std::move(listener));
}

std::string Machine::configuration() const {
  std::ostringstream text;
  config::dump(text, impl_->params, impl_->source);
  return text.str();
}

}  // namespace spica
