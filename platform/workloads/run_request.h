// SPDX-License-Identifier: Apache-2.0
// A run as data: the input of `spica job`, and of a sweep's children.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/source.h"
#include "platform/run/job_options.h"
#include "platform/workloads/workload.h"

namespace spica::workloads {

/// The workload of a run, and the given options.
struct RunRequest {
  struct Option {
    std::string key, value;  // as text, which parse_value() of the option parses
  };

  const Kind* kind = nullptr;
  std::vector<Option> options;  // for a list, one for each of its values

  void add(std::string key, std::string value) { options.push_back({std::move(key), std::move(value)}); }
};

/// True if an option has one of the values that another one needs: NAME, with any value but false and empty, or
/// NAME=VALUE.
template <class Options>
bool is_given(const Options& options, std::string_view wanted) {
  const std::size_t sign = wanted.find('=');
  for (const auto& one : options) {
    if (one.key != wanted.substr(0, sign)) continue;
    if (sign == std::string_view::npos ? !one.value.empty() && one.value != "false"
                                       : one.value == wanted.substr(sign + 1))
      return true;
  }
  return false;
}

/// The missing options that an option needs; empty: it has an effect.
std::vector<std::string> missing(const config::Field& option, const std::vector<RunRequest::Option>& given);

/// The options of a run of that kind: one group per heading of the help; a heading may occur twice. The fields refer to
/// `workload` and `job`.
std::vector<config::Field> options_of_run(const Kind& kind, Workload& workload, job::JobOptions& job);

/// A run as a document: {"job": "gemm", "size": "64x64x64", "set": ["cluster.cores=2"]}, or the same as YAML.
extern const config::FileKind kRunFiles;
/// Keys of `source` that are earlier names of options get their present ones. Throws ConfigError when its kind of run is
/// missing or unknown.
RunRequest read_request(config::Source& source);
/// Sets the options that are given. Throws ConfigError with all that is wrong.
void use_request(const config::Source& source, const RunRequest& request, Workload& workload,
                 job::JobOptions& job);
/// The document of a run, one line of JSON.
std::string request_text(const RunRequest& request);
/// The command line of `spica` with the same meaning, without "spica".
std::vector<std::string> command_line(const RunRequest& request);

/// The options of all kinds of runs, for lists: one group per kind, "*" for the common ones.
struct AllOptions {
  AllOptions();
  std::vector<std::unique_ptr<Workload>> workloads;  // the fields refer to them
  std::unique_ptr<job::JobOptions> job;
  config::Field root;
};
/// A JSON schema of such documents.
void write_request_schema(std::ostream& os);

}  // namespace spica::workloads
