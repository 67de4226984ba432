// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/sweep_keys.h"

#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "platform/base/json/parse.h"
#include "platform/base/json/value.h"
#include "platform/workloads/workload.h"

namespace spica::sweep {

namespace {

/// What a key may have.
enum class Form : std::uint8_t {
  kText,
  kNumber,
  kTruth,
  kJob,
  kValue,   // a word, a number or a truth value
  kValues,  // one of them, or a list
  kTexts,   // a text, or a list of them
  kGroup,   // a group with keys of its own choice
  kAxes,
  kSample,
  kPoints,
  kComparisons,
  kDirections,
};

struct FormText {
  Form form;
  const char* kind;     // as ParameterInfo has it
  const char* allowed;  // for people
  const char* schema;
};
constexpr FormText kForms[] = {
    {Form::kText, "string", "any text", R"({"type": "string"})"},
    {Form::kNumber, "integer", "a number, also 50e6", R"({"type": ["number", "string"]})"},
    {Form::kTruth, "bool", "true, false", R"({"type": "boolean"})"},
    {Form::kJob, "choice", "", ""},  // workloads::kinds()
    {Form::kValue, "string", "a value", R"({"type": ["string", "number", "boolean"]})"},
    {Form::kValues, "list", "a value, or a list", R"({"type": ["string", "number", "boolean", "array"]})"},
    {Form::kTexts, "list", "a text, or a list",
     R"({"type": ["string", "array"], "items": {"type": "string"}})"},
    {Form::kGroup, "list", "keys with values",
     R"({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}})"},
    {Form::kAxes, "list", "names with axes", R"({"type": "object", "additionalProperties": {"anyOf": [
      {"type": "array"},
      {"type": "object", "additionalProperties": false, "properties": {
        "key": {"type": "string"}, "values": {"type": "array"}, "labels": {"type": "array"},
        "range": {"type": "string"}, "step": {"type": ["number", "string"]}, "log2": {"type": "string"},
        "zip": {"type": "object", "additionalProperties": {"type": "array"}},
        "argument": {"type": "array"}, "layers": {"type": ["string", "array"]}, "most_rows": {"type": "integer"},
        "most_columns": {"type": "integer"}, "most_elements": {"type": "integer"},
        "usual": {"type": "array"}}}]}})"},
    {Form::kSample, "string", "all, {random: N, seed: S}, {lhs: N}, {sobol: N}",
     R"({"anyOf": [{"enum": ["all"]}, {"type": "object", "additionalProperties": false, "properties": {
      "random": {"type": ["number", "string"]}, "lhs": {"type": ["number", "string"]},
      "sobol": {"type": ["number", "string"]}, "seed": {"type": "integer"}}}]})"},
    {Form::kPoints, "list", "a list of points, {name: NAME, AXIS: VALUE}",
     R"({"type": "array", "items": {"type": "object"}})"},
    {Form::kComparisons, "list", "a list of {design: NAME, base: NAME}",
     R"({"type": "array", "items": {"type": "object", "additionalProperties": false, "required": ["design", "base"],
      "properties": {"design": {"type": "string"}, "base": {"type": "string"}}}})"},
    {Form::kDirections, "list", "results with min or max",
     R"({"type": "object", "additionalProperties": {"enum": ["min", "max"]}})"},
};

struct Key {
  const char* name;  // "limits.cycles"
  Form form;
  const char* default_value;
  const char* doc;
};
constexpr Key kKeys[] = {
    {"title", Form::kText, "", "one line on the purpose"},
    {"name", Form::kText, "that of the file", "name of the folder of the results"},
    {"order", Form::kNumber, "9999", "position in lists, lowest first"},
    {"job", Form::kJob, "gemm", "command that each point runs"},
    {"config", Form::kValues, "that of the design", "configuration of all points; a list is an axis"},
    {"elf", Form::kValues, "",
     "with run: program, a file or the name of a shipped kernel; a list is an axis"},
    {"args", Form::kValues, "",
     "with run: argument block as for --args, before the values of axes; a list is an axis; args.NAME: one "
     "argument by name; with opencl: arguments of the program, {AXIS} is the value of an axis"},
    {"program", Form::kValues, "", "with opencl: host program, a file or a name in PATH; a list is an axis"},
    {"files", Form::kText, "",
     "with opencl: files that the program reads, separated by spaces; a change re-runs points"},
    {"load", Form::kTexts, "", "with run: files to load into memory, as for --load"},
    {"axes", Form::kAxes, "", "axes with their values, columns of the results; the last one changes fastest"},
    {"fixed", Form::kGroup, "", "options and parameters of all points"},
    {"only", Form::kTexts, "", "conditions; points that miss one are left out"},
    {"also", Form::kPoints, "", "single points outside the grid"},
    {"sample", Form::kSample, "all", "selection of points from a large grid"},
    {"repeats.seeds", Form::kNumber, "1", "runs per point, each with its own operands"},
    {"keep", Form::kTexts, "all single values", "results to keep"},
    {"baseline", Form::kGroup, "",
     "values of axes: tables show ratios to the point that differs only in these; in spica experiment as speedup"},
    {"columns", Form::kGroup, "",
     "for spica experiment: calculated results, such as mean(stats.*.core_*.stores) / cycles"},
    {"summary", Form::kTexts, "",
     "for spica experiment: axes; mean and maximum of calculated results for each combination of their values"},
    {"comparisons", Form::kComparisons, "", "for spica experiment, with energy: pairs of designs to compare"},
    {"sensitivity", Form::kTruth, "false",
     "for spica experiment: show how far each entry of the energy table moves the comparisons"},
    {"work", Form::kTexts, "the known ones",
     "axes that change the work; a front compares only points with the same work. Known: sizes, batches, "
     "layers, sequences, arguments, products at once"},
    {"objectives", Form::kDirections, "", "results to minimise or maximise, for pareto and plot"},
    {"constraints", Form::kTexts, "", "conditions on results; points that miss one are marked"},
    {"limits.cycles", Form::kNumber, "that of the configuration", "limit of simulated cycles"},
    {"limits.seconds", Form::kNumber, "none", "limit of wall time per run, in seconds"},
    {"limits.memory_mib", Form::kNumber, "none", "limit of address space per run, in MiB"},
    {"slurm.partition", Form::kText, "", "partition of the tasks"},
    {"slurm.time", Form::kText, "60m", "time limit of a task, as for sbatch"},
    {"slurm.cpus", Form::kNumber, "1", "CPUs of a task"},
    {"slurm.options", Form::kTexts, "", "more options of sbatch"},
};

const FormText& text_of_form(Form form) {
  for (const FormText& one : kForms)
    if (one.form == form) return one;
  return kForms[0];
}

json::Value schema_of(Form form) {
  if (form != Form::kJob) return json::parse(text_of_form(form).schema).value();
  json::Value names = json::Value::array();
  for (const workloads::Kind& kind : workloads::kinds())
    if (kind.not_swept.empty()) names.push_back(kind.name);
  return {{"enum", std::move(names)}};
}

/// "limits" of "limits.cycles", and "cycles".
std::pair<std::string, std::string> parts_of(const Key& key) {
  const std::string_view name = key.name;
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {"", std::string(name)};
  return {std::string(name.substr(0, dot)), std::string(name.substr(dot + 1))};
}

}  // namespace

std::vector<config::ParameterInfo> sweep_keys() {
  std::vector<config::ParameterInfo> all;
  for (const Key& key : kKeys) {
    config::ParameterInfo info;
    info.key = key.name;
    info.group = parts_of(key).first;
    info.kind = text_of_form(key.form).kind;
    info.allowed = key.form == Form::kJob ? names_of_jobs() : text_of_form(key.form).allowed;
    info.default_value = key.default_value;
    info.doc = key.doc;
    all.push_back(std::move(info));
  }
  return all;
}

std::string names_of_jobs() {
  std::string names;
  for (const workloads::Kind& kind : workloads::kinds())
    if (kind.not_swept.empty()) names += (names.empty() ? "" : ", ") + std::string(kind.name);
  return names;
}

std::vector<std::string> keys_of(const std::string& group) {
  std::vector<std::string> names;
  for (const Key& key : kKeys) {
    const auto [of, name] = parts_of(key);
    const std::string& shown = of == group ? name : of;
    if ((of == group || group.empty()) && (names.empty() || names.back() != shown)) names.push_back(shown);
  }
  return names;
}

void write_sweep_schema(std::ostream& os) {
  auto properties = json::Value::object();
  for (const Key& key : kKeys) {
    json::Value schema = schema_of(key.form);
    schema["description"] = key.doc;
    const auto [group, name] = parts_of(key);
    if (group.empty()) {
      properties[name] = std::move(schema);
      continue;
    }
    properties[group]["type"] = "object";
    properties[group]["additionalProperties"] = false;
    properties[group]["properties"][name] = std::move(schema);
  }
  properties["extends"] = {{"type", {"string", "array"}},
                           {"description", "files or names of sweeps whose keys are taken over"}};
  const json::Value schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                           {"type", "object"},
                           {"additionalProperties", false},
                           {"properties", std::move(properties)}};
  os << schema.dump(2) << "\n";
}

}  // namespace spica::sweep
