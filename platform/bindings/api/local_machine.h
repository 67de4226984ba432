// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/bindings/client/machine_impl.h"
#include "platform/machine/soc/run_control.h"

namespace spica::loader {
struct Program;
class SourceMap;
}  // namespace spica::loader
namespace spica::config {
struct Source;
}
namespace spica::protocol {
struct KernelRun;
}
namespace spica::session {
class ConsoleCollector;
struct Outcome;
class Session;
struct StreamPlan;
}  // namespace spica::session
namespace spica::soc {
struct SocParams;
}

namespace spica::api {

/// The observers of a run, from load() to its end. Errors are UserErrors.
class Instruments {
 public:
  virtual ~Instruments() = default;
  /// Another program, at other addresses, runs also; Observed::program has it from now on.
  virtual void add(const loader::Program& program) = 0;
  /// This memory range has a defined value without a program writing it.
  virtual void initialised(std::uint64_t address, std::uint64_t bytes) = 0;
  /// Kernels will run in these streams; before the run.
  virtual void describe_kernels(const session::StreamPlan& plan) = 0;
  /// True while a debugger wants to carry on the run; carry_on() then lets it.
  virtual bool wants_control() const = 0;
  virtual soc::RunControl::RunState carry_on() = 0;
  /// The names of kernels in queues; before the first of them.
  virtual void name_kernels(std::function<std::string(const protocol::KernelRun&)> name) = 0;
  /// The run has ended. Returns Outcome::documents.
  virtual std::vector<std::pair<std::string, std::string>> finish(const session::Outcome& outcome) = 0;
};

/// The observed run.
struct Observed {
  const std::string& configuration;
  const config::Source& source;  // of the parameters
  const soc::SocParams& params;
  const loader::Program& program;
  const loader::SourceMap& sources;
  session::Session& session;
  const session::ConsoleCollector& console;
};

/// How a machine finds things by name.
struct Places {
  std::filesystem::path configs;
  /// Returns the file of a program named by a user, for a machine. Throws UserError.
  std::function<std::string(const std::string& given, const soc::SocParams& params)> program;
  /// Creates instruments; empty: not available in this process.
  std::function<std::unique_ptr<Instruments>(const Observation&, const Observed&)> instruments = {};
};

/// A machine in this process. Throws Error.
std::unique_ptr<Machine::Impl> make_local(const std::string& configuration,
                                          const std::vector<std::string>& overrides, Places places);

}  // namespace spica::api
