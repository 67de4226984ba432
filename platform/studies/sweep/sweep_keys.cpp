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
        "most_columns": {"type": "integer"},
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
    {"title", Form::kText, "", "what it is, in a line"},
    {"name", Form::kText, "that of the file", "of the folder of the results"},
    {"order", Form::kNumber, "9999", "place among the others in lists, lowest first"},
    {"job", Form::kJob, "gemm", "the command that a point runs"},
    {"config", Form::kValues, "that of the design", "a configuration for all points; a list is an axis"},
    {"elf", Form::kValues, "",
     "with run: the program, a file or the name of a kernel that comes with Spica; a list is an axis"},
    {"args", Form::kValues, "",
     "with run: the argument block as --args takes it, before what the axes add; a list is an axis; args.NAME: one that the "
     "program names"},
    {"load", Form::kTexts, "", "with run: files that are put into memory, as --load takes them"},
    {"axes", Form::kAxes, "", "columns, with the values they go through; the last one changes fastest"},
    {"fixed", Form::kGroup, "", "options and parameters of all points"},
    {"only", Form::kTexts, "", "conditions; a point for which one does not hold does not exist"},
    {"also", Form::kPoints, "", "single points outside of the grid"},
    {"sample", Form::kSample, "all", "some of the points of a grid that is too large to be run"},
    {"repeats.seeds", Form::kNumber, "1", "runs per point, each with operands of its own"},
    {"keep", Form::kTexts, "all single values", "results to keep"},
    {"baseline", Form::kGroup, "",
     "values of axes: tables show the ratio to the point that differs in these only, those of spica experiment as speedup"},
    {"columns", Form::kGroup, "",
     "in tables of spica experiment: results that are calculated from others, as mean(stats.*.core_*.stores) / cycles"},
    {"summary", Form::kTexts, "",
     "in tables of spica experiment: axes; for each combination of their values mean and largest value of calculated results"},
    {"comparisons", Form::kComparisons, "",
     "with energy, in tables of spica experiment: designs that are divided by others"},
    {"sensitivity", Form::kTruth, "false",
     "whether the table of spica experiment has the entries of the energy table, by how much they move the comparisons"},
    {"work", Form::kTexts, "those that it knows",
     "axes that change what is computed: points that differ there are not compared in a front. Known are sizes, batches, layers "
     "and sequences, arguments of your own program, kinds and numbers of products at once"},
    {"objectives", Form::kDirections, "", "results that are to become small or large, for pareto and plot"},
    {"constraints", Form::kTexts, "", "conditions on results; points that miss one are marked"},
    {"limits.cycles", Form::kNumber, "that of the configuration", "a run ends there"},
    {"limits.seconds", Form::kNumber, "none", "of wall time, per run"},
    {"limits.memory_mib", Form::kNumber, "none", "of address space, per run"},
    {"slurm.partition", Form::kText, "", "where the tasks go"},
    {"slurm.time", Form::kText, "60m", "of a task, as sbatch takes it"},
    {"slurm.cpus", Form::kNumber, "1", "of a task"},
    {"slurm.options", Form::kTexts, "", "further options of sbatch"},
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
