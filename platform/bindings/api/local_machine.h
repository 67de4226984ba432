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

namespace spica::loader {
struct Program;
class SourceMap;
}  // namespace spica::loader
namespace spica::session {
struct Outcome;
class Session;
struct StreamPlan;
}  // namespace spica::session
namespace spica::soc {
struct SocParams;
}

namespace spica::api {

/// What observes a run, from load() to its end. Errors are UserErrors.
class Instruments {
 public:
  virtual ~Instruments() = default;
  /// Memory has a value that no program gave it.
  virtual void initialised(std::uint64_t address, std::uint64_t bytes) = 0;
  /// Streams of kernels run; before the run.
  virtual void describe_kernels(const session::StreamPlan& plan) = 0;
  /// The run has ended: Outcome::documents.
  virtual std::vector<std::pair<std::string, std::string>> finish(const session::Outcome& outcome) = 0;
};

/// The run that they observe.
struct Observed {
  const std::string& configuration;
  const soc::SocParams& params;
  const loader::Program& program;
  const loader::SourceMap& sources;
  session::Session& session;
};

/// Where a machine looks for what is named.
struct Places {
  std::filesystem::path configs;
  /// The file of a program that a user names, for a machine. Throws UserError.
  std::function<std::string(const std::string& given, const soc::SocParams& params)> program;
  /// Makes instruments; none: this process has none.
  std::function<std::unique_ptr<Instruments>(const Observation&, const Observed&)> instruments = {};
};

/// A machine in this process. Throws Error.
std::unique_ptr<Machine::Impl> make_local(const std::string& configuration,
                                          const std::vector<std::string>& overrides, Places places);

}  // namespace spica::api
