// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "platform/base/json/value.h"
#include "platform/run/job_options.h"
#include "platform/run/job_outcome.h"

namespace spica::config {
struct Source;
}
namespace spica::loader {
struct Program;
class SourceMap;
}  // namespace spica::loader
namespace spica::session {
class Session;
}
namespace spica::soc {
struct SocParams;
}

namespace spica::job {

class Measurements;

/// The figures of a run that the command computes, in addition to the machine's statistics.
struct RunFigures {
  std::optional<double> utilisation;  // 0..1, of the unit's peak multiply-adds
  std::optional<bool> verified;       // against a reference
  std::optional<std::uint64_t> multiply_adds;  // of the program, if it completed
  json::Value details = json::Value::object();  // design, size ...
};

/// The data of a run for its results.
struct RunFacts {
  const JobOptions& options;
  const config::Source& source;
  const soc::SocParams& params;
  const loader::Program& program;
  const loader::SourceMap& sources;
  const std::filesystem::path& configs_dir;
  session::Session& session;
  const Measurements& measurements;
  const JobOutcome& outcome;
  const std::string& console;
  const json::Value& hang;  // see print_problems()
  HostSeconds host;
};

/// The format of stats.json; changes if a key changes its meaning.
inline constexpr const char* kStatsSchema = "spica-stats-2";

/// stats.json, in either mode.
json::Value results(const RunFacts& run, const RunFigures& figures);
/// The part that also exists after an internal error.
json::Value common_results(const RunFacts& run, const RunFigures& figures);
/// The first part: data of the whole run, without block statistics and host figures.
json::Value run_results(const RunFacts& run, const RunFigures& figures);
/// The block statistics: "stats" of stats.json.
json::Value block_results(const RunFacts& run);

}  // namespace spica::job
