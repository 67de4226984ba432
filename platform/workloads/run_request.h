// SPDX-License-Identifier: Apache-2.0
// A run as data: what `spica job` reads, and what a sweep hands to its children.
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

/// The workload of a run and the options that are given.
struct RunRequest {
  struct Option {
    std::string key, value;  // as a text, which parse_value() of the option reads
  };

  const Kind* kind = nullptr;
  std::vector<Option> options;  // a list has one for each of its values

  void add(std::string key, std::string value) { options.push_back({std::move(key), std::move(value)}); }
};

/// Whether an option has one of the values that another one needs: NAME, with any value but false and nothing, or
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

/// What an option needs and has not; empty: it has an effect.
std::vector<std::string> missing(const config::Field& option, const std::vector<RunRequest::Option>& given);

/// What a run of that kind can be given: a group for each heading of the help, which may occur twice. They refer to
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

/// All options of runs, for lists: a group for each kind of run, "*" for those of every run.
struct AllOptions {
  AllOptions();
  std::vector<std::unique_ptr<Workload>> workloads;  // the fields refer to them
  std::unique_ptr<job::JobOptions> job;
  config::Field root;
};
/// A JSON schema of such documents.
void write_request_schema(std::ostream& os);

}  // namespace spica::workloads
