// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

/// How an option of a job is given on its command line.
enum class OptionForm : std::uint8_t { kPositional, kValue, kFlag };
struct JobOption {
  std::string name;  // "head_dim" for --head-dim
  OptionForm form = OptionForm::kValue;
};

/// The options of a job that a point may set, in the order of its command line.
const std::vector<JobOption>& job_options(JobKind job);

/// What `key: value` of a file sets: an option of the job or, for a key with dots and for `mode`, `divergence` and `power`,
/// which are options that stand for parameters, a parameter of the machine. Nothing: the job has no such option.
std::optional<Setting> setting_of(JobKind job, const std::string& key, const std::string& value);

/// Why an option of a job, or a parameter, cannot have this value: a flag is true or false. "": nothing is wrong with it.
std::string value_problem(JobKind job, const Setting& setting);

/// What `args` of an own program is with what the axes add to it.
std::string arguments_of(const std::vector<Setting>& settings);

/// "no option of spica gemm and no parameter, did you mean ...?"
std::string unknown_option(JobKind job, const std::string& key);
std::string allowed_options(JobKind job);

}  // namespace spica::sweep
