// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/run_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "platform/base/config/apply.h"
#include "platform/base/config/earlier_name.h"
#include "platform/base/config/option_name.h"
#include "platform/base/config/schema.h"
#include "platform/base/config/value_text.h"
#include "platform/base/config/yaml_bytes.h"
#include "platform/base/json/value.h"
#include "platform/observe/report/provenance.h"

namespace spica::workloads {

namespace {

constexpr const char* kJob = "job";

/// The key with the kind of run.
config::Field job_field() {
  config::Field field;
  field.kind = config::Field::Kind::kChoice;
  field.name = kJob;
  field.doc = "kind of run";
  field.required = true;
  for (const Kind& kind : kinds()) field.choices.emplace_back(kind.name);
  field.set = [](const config::Value&) {};
  return field;
}

/// The options of all groups, one after the other.
std::vector<config::Field> all_of(std::vector<config::Field> groups) {
  std::vector<config::Field> all;
  for (config::Field& group : groups)
    std::move(group.children.begin(), group.children.end(), std::back_inserter(all));
  return all;
}

/// What the options of a kind of run are.
class Declared {
 public:
  explicit Declared(const Kind& kind)
      : workload_(kind.make({})), options_(all_of(options_of_run(kind, *workload_, job_))) {}

  const std::vector<config::Field>& options() const { return options_; }
  bool is(config::Field::Kind kind, const std::string& name) const {
    return std::any_of(options_.begin(), options_.end(), [&](const config::Field& option) {
      return option.name == name && option.kind == kind;
    });
  }

 private:
  const std::unique_ptr<Workload> workload_;
  job::JobOptions job_;
  const std::vector<config::Field> options_;
};

}  // namespace

const config::FileKind kRunFiles{"run", "jobs"};

std::vector<std::string> missing(const config::Field& option, const std::vector<RunRequest::Option>& given) {
  for (const std::vector<std::string>& one_of : option.needs)
    if (std::none_of(one_of.begin(), one_of.end(),
                     [&](const std::string& wanted) { return is_given(given, wanted); }))
      return one_of;
  return {};
}

std::vector<config::Field> options_of_run(const Kind& kind, Workload& workload, job::JobOptions& job) {
  std::vector<config::Field> groups{workload.options(), workload.outputs()};
  groups[0].name = "Work";
  groups[1].name = job::kResultOptions;
  for (config::Field& group : job::describe_options(job))
    if ((kind.is_own || group.name != job::kMemoryOptions) &&
        (kind.resumes || group.name != job::kCheckpointOptions))
      groups.push_back(std::move(group));
  for (std::size_t i = 2; i < groups.size(); ++i) {
    std::vector<config::Field>& options = groups[i].children;
    options.erase(std::remove_if(options.begin(), options.end(),
                                 [&](const config::Field& option) { return !kind.supports(option.name); }),
                  options.end());
  }
  return groups;
}

RunRequest read_request(config::Source& source) {
  const config::Field field = job_field();
  const config::Node* const name = source.root.find(kJob);
  std::string why = "is missing";
  RunRequest request;
  if (name != nullptr && config::parse_value(field, name->scalar, why)) request.kind = &kind(name->scalar);
  if (request.kind == nullptr) {
    std::vector<config::Problem> problems = source.problems;
    if (problems.empty())
      problems.push_back({name != nullptr ? name->place : config::Place{source.name}, kJob, std::move(why),
                          config::allowed_text(field)});
    throw config::ConfigError(std::move(problems));
  }
  config::rename_keys(source.root, Declared(*request.kind).options(), source.problems);
  for (std::size_t i = 0; i < source.root.keys.size(); ++i) {
    const std::string& key = source.root.keys[i];
    const config::Node& node = source.root.children[i];
    if (key == kJob) continue;
    if (node.kind == config::Node::Kind::kScalar) request.add(key, node.scalar);
    else
      for (const config::Node& one : node.children) request.add(key, one.scalar);
  }
  return request;
}

void use_request(const config::Source& source, const RunRequest& request, Workload& workload,
                 job::JobOptions& job) {
  config::Field root;
  root.children = all_of(options_of_run(*request.kind, workload, job));
  root.children.insert(root.children.begin(), job_field());
  root.check = [&root, &request](const config::Contradiction& contradiction) {
    for (const config::Field& option : root.children) {
      if (!is_given(request.options, option.name)) continue;
      if (const std::vector<std::string> others = missing(option, request.options); !others.empty())
        contradiction(std::vector<std::string>{option.name},
                      fmt::format("does nothing without {}", fmt::join(others, " or ")));
    }
  };
  if (std::vector<config::Problem> problems = config::apply_fields(source, root); !problems.empty())
    throw config::ConfigError(std::move(problems));
}

std::string request_text(const RunRequest& request) {
  const Declared declared(*request.kind);
  json::Value document{{kJob, std::string(request.kind->name)}};
  for (const auto& [key, value] : request.options) {
    if (declared.is(config::Field::Kind::kList, key)) document[key].push_back(config::yaml_characters(value));
    else document[key] = config::yaml_characters(value);
  }
  return document.dump();
}

std::vector<std::string> command_line(const RunRequest& request) {
  const Declared declared(*request.kind);
  std::vector<std::string> words{std::string(request.kind->name)};
  const auto& plain = request.kind->words;
  std::vector<std::string> unnamed;
  for (const std::string_view word : plain)
    for (const RunRequest::Option& one : request.options)
      if (one.key == word) unnamed.push_back(one.value);
  if (request.kind->is_hosted && unnamed.size() > 1) {
    const std::vector<std::string> arguments = report::shell_words(unnamed[1]);
    unnamed.erase(unnamed.begin() + 1);
    unnamed.insert(unnamed.end(), arguments.begin(), arguments.end());
  }
  if (!request.kind->is_hosted) words.insert(words.end(), unnamed.begin(), unnamed.end());
  for (const auto& [key, value] : request.options) {
    if (std::find(plain.begin(), plain.end(), key) != plain.end()) continue;
    if (!declared.is(config::Field::Kind::kBool, key))
      words.insert(words.end(), {config::option_name(key), value});
    else if (value == "true") words.push_back(config::option_name(key));
  }
  if (request.kind->is_hosted) words.insert(words.end(), unnamed.begin(), unnamed.end());
  return words;
}

AllOptions::AllOptions() : job(std::make_unique<job::JobOptions>()) {
  const auto add = [this](std::string_view name, std::string_view doc, std::vector<config::Field> options) {
    config::Field& group = root.children.emplace_back();
    group.name = name;
    group.doc = doc;
    group.children = std::move(options);
  };
  for (const Kind& kind : kinds()) {
    workloads.push_back(kind.make({}));
    add(kind.name, kind.title, all_of({workloads.back()->options(), workloads.back()->outputs()}));
  }
  add("*", "options of every run", all_of(job::describe_options(*job)));
}

void write_request_schema(std::ostream& os) {
  auto forms = json::Value::array();
  for (const Kind& kind : kinds()) {
    const std::unique_ptr<Workload> workload = kind.make({});
    job::JobOptions job;
    config::Field root;
    root.children = all_of(options_of_run(kind, *workload, job));
    std::ostringstream text;
    config::write_schema(text, root);
    json::Value form = json::Value::parse(text.str());
    form.erase("$schema");
    form["properties"][kJob] = {{"const", kind.name}};
    form["required"] = {kJob};
    for (const config::Field& option : root.children)
      if (option.required) form["required"].push_back(option.name);
    forms.push_back(std::move(form));
  }
  os << json::Value{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"oneOf", std::move(forms)}}.dump(
            2)
     << '\n';
}

}  // namespace spica::workloads
