// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/base/suggest.h"
#include "platform/base/config/value_text.h"

namespace spica::sweep {

namespace {

/// Options that are short for a parameter.
struct Short {
  const char *name, *key;
};
constexpr Short kShorts[] = {
    {"mode", "run.mode"}, {"divergence", "cluster.core.divergence"}, {"power", "power.table"}};

std::vector<std::string> names_of(JobKind job) {
  std::vector<std::string> names;
  for (const JobOption& option : job_options(job)) names.push_back(option.name);
  for (const Short& one : kShorts) names.emplace_back(one.name);
  return names;
}

}  // namespace

const char* job_name(JobKind job) {
  switch (job) {
    case JobKind::kGemm: return "gemm";
    case JobKind::kAttention: return "attention";
    case JobKind::kRun: return "run";
    case JobKind::kConcurrent: return "concurrent";
  }
  return "?";
}

const std::vector<JobOption>& job_options(JobKind job) {
  using Form = OptionForm;
  static const std::vector<JobOption> gemm{{"design"},
                                           {"size"},
                                           {"format"},
                                           {"scaled", Form::kFlag},
                                           {"block_scale"},
                                           {"a_format"},
                                           {"b_format"},
                                           {"a_transposed", Form::kFlag},
                                           {"b_transposed", Form::kFlag},
                                           {"bias"},
                                           {"activation"},
                                           {"output_format"},
                                           {"output_scale"},
                                           {"batch"},
                                           {"lda"},
                                           {"ldb"},
                                           {"ldc"},
                                           {"convolution"},
                                           {"region"},
                                           {"seed"},
                                           {"config"},
                                           {"energy", Form::kFlag},
                                           {"area", Form::kFlag},
                                           {"check"}};
  static const std::vector<JobOption> attention{{"design"},
                                                {"exponential"},
                                                {"element"},
                                                {"sequence"},
                                                {"queries"},
                                                {"heads"},
                                                {"causal", Form::kFlag},
                                                {"head_dim"},
                                                {"spread"},
                                                {"region"},
                                                {"seed"},
                                                {"config"},
                                                {"energy", Form::kFlag},
                                                {"area", Form::kFlag},
                                                {"check"}};
  static const std::vector<JobOption> run{{"config", Form::kPositional},
                                          {"elf", Form::kPositional},
                                          {"args"},
                                          {"kernel"},
                                          {"grid"},
                                          {"block"},
                                          {"samples"},
                                          {"energy", Form::kFlag},
                                          {"area", Form::kFlag},
                                          {"check"}};
  static const std::vector<JobOption> concurrent{{"gemm"},
                                                 {"available"},
                                                 {"schedule"},
                                                 {"kernel"},
                                                 {"library"},
                                                 {"weights"},
                                                 {"additions"},
                                                 {"rounds"},
                                                 {"seed"},
                                                 {"config"},
                                                 {"energy", Form::kFlag},
                                                 {"area", Form::kFlag},
                                                 {"check"}};
  switch (job) {
    case JobKind::kGemm: return gemm;
    case JobKind::kAttention: return attention;
    case JobKind::kRun: return run;
    case JobKind::kConcurrent: return concurrent;
  }
  return gemm;
}

std::optional<Setting> setting_of(JobKind job, const std::string& key, const std::string& value) {
  for (const Short& one : kShorts)
    if (key == one.name) return Setting{one.key, value};
  constexpr std::string_view kNamed = "args.";
  if (job == JobKind::kRun && key.rfind(kNamed, 0) == 0 && key.size() > kNamed.size())
    return Setting{kArgument + key.substr(kNamed.size()) + '=', value};
  if (key.find('.') != std::string::npos) return Setting{key, value};
  if (job == JobKind::kRun && key.rfind(kArgument, 0) == 0) return Setting{key, value};
  for (const JobOption& option : job_options(job))
    if (option.name == key) return Setting{key, value};
  return std::nullopt;
}

std::string value_problem(JobKind job, const Setting& setting) {
  for (const JobOption& option : job_options(job))
    if (option.name == setting.key && option.form == OptionForm::kFlag && !config::parse_truth(setting.value))
      return fmt::format("\"{}\" is not a boolean", setting.value);
  return {};
}

std::string arguments_of(const std::vector<Setting>& settings) {
  std::string text;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ",") + item; };
  for (const Setting& setting : settings)
    if (setting.key == "args" && !setting.value.empty()) add(setting.value);
  for (const Setting& setting : settings)
    if (setting.key.rfind(kArgument, 0) == 0) {
      const std::string name = setting.key.substr(std::string_view(kArgument).size());
      if (!name.empty() && name.back() == '=') add(name + setting.value);
      else add((setting.value.find(':') == std::string::npos ? "u32:" : "") + setting.value);
    }
  return text;
}

std::string unknown_option(JobKind job, const std::string& key) {
  return fmt::format("\"{}\" is no option of spica {} and no parameter{}", key, job_name(job),
                     base::did_you_mean(key, names_of(job)));
}

std::string allowed_options(JobKind job) {
  return fmt::format("{}, and keys of spica config --list", fmt::join(names_of(job), ", "));
}

}  // namespace spica::sweep
