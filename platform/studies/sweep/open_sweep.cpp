// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/open_sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/studies/sweep/collect.h"
#include "platform/studies/sweep/database.h"

namespace spica::sweep {

namespace fs = std::filesystem;

namespace {

/// The file that `copy`, in a folder of results, was made from, while both are equal: its names are relative to its
/// folder.
std::string same_file(const fs::path& folder, const fs::path& copy) {
  const auto lock = json::read_file((folder / "sweep.lock.json").string());
  if (!lock || !lock->is_object() || !lock->contains("file") || !lock->at("file").is_string()) return {};
  const auto original = lock->at("file").get<std::string>();
  std::error_code ignored;
  if (!fs::is_regular_file(original, ignored)) return {};
  return input::read_file(original) == input::read_file(copy.string()) ? original : std::string();
}

Sweep read_all(const std::string& given, const fs::path& configs) {
  std::error_code ignored;
  if (!fs::is_directory(given, ignored)) return read_sweep(given, configs);
  const fs::path file = fs::path(given) / "sweep.yaml";
  if (!fs::exists(file, ignored))
    throw input::UserError(fmt::format("{} is not a sweep folder: it has no sweep.yaml", given));
  if (const std::string original = same_file(given, file); !original.empty())
    return read_sweep(original, configs);
  Sweep sweep = read_sweep(file.string(), configs);
  if (sweep.name == "sweep") sweep.name = fs::absolute(file).parent_path().filename().string();
  return sweep;
}

/// "256" of the axis `size` is 256x256x256, where it has that.
std::string label_of(const Axis& axis, const std::string& given) {
  const auto has = [&](const std::string& label) {
    return std::any_of(axis.values.begin(), axis.values.end(),
                       [&](const AxisValue& value) { return value.label == label; });
  };
  const std::string cube = fmt::format("{0}x{0}x{0}", given);
  return axis.name == "size" && !has(given) && has(cube) ? cube : given;
}

/// Leaves of an axis the values with these labels, in its own order.
void choose(Sweep& sweep, const std::string& name, std::vector<std::string> labels) {
  const auto axis =
      std::find_if(sweep.axes.begin(), sweep.axes.end(), [&](const Axis& one) { return one.name == name; });
  if (axis == sweep.axes.end())
    throw input::UserError(fmt::format("{} has no axis \"{}\" to choose from", sweep.name, name));
  for (std::string& label : labels) label = label_of(*axis, label);
  const auto is_chosen = [&](const AxisValue& value) {
    return std::find(labels.begin(), labels.end(), value.label) != labels.end();
  };
  for (const std::string& label : labels) {
    std::vector<std::string> all;
    for (const AxisValue& value : axis->values) all.push_back(value.label);
    if (std::find(all.begin(), all.end(), label) == all.end())
      throw input::UserError(fmt::format("axis \"{}\" of {} has no \"{}\"; it has {}", name, sweep.name,
                                         label, fmt::join(all, ", ")));
  }
  const auto gone = std::stable_partition(axis->values.begin(), axis->values.end(), is_chosen);
  axis->values.erase(gone, axis->values.end());
}

}  // namespace

void add_override(Sweep& sweep, const std::string& text) {
  const std::size_t sign = std::min(text.find('='), text.size());
  const std::string key = text.substr(0, sign);
  if (sign == text.size()) throw input::UserError(fmt::format("--set {}: KEY=VALUE is expected", text));
  for (const Axis& axis : sweep.axes)
    if (std::find(axis.keys.begin(), axis.keys.end(), key) != axis.keys.end())
      throw input::UserError(fmt::format("--set {}: the axis {} sets it", text, axis.name));
  const auto is_same = [&](const Setting& setting) { return setting.of_machine() && setting.key == key; };
  sweep.fixed.erase(std::remove_if(sweep.fixed.begin(), sweep.fixed.end(), is_same), sweep.fixed.end());
  sweep.fixed.push_back({key, text.substr(sign + 1), Target::kYaml});
}

OpenSweep::OpenSweep(const std::string& given, const std::string& dir, const workloads::Places& places,
                     const Chosen* chosen, const std::vector<std::string>& overrides)
    : sweep_(read(given, places.configs, chosen, overrides)) {
  std::error_code ignored;
  if (!dir.empty()) folder_ = dir;
  else folder_ = fs::is_directory(given, ignored) ? fs::path(given) : fs::path("out") / sweep_.name;
  plan_ = std::make_unique<Plan>(sweep_);
  keys_ = std::make_unique<RunFingerprints>(sweep_, places);
}

Point OpenSweep::point(std::uint64_t number) const {
  if (number >= plan_->count())
    throw input::UserError(
        fmt::format("there is no point {}; the last one is {}", number, plan_->count() - 1));
  return plan_->point(number);
}

OpenSweep::~OpenSweep() = default;

Sweep OpenSweep::read(const std::string& given, const fs::path& configs, const Chosen* chosen,
                      const std::vector<std::string>& overrides) {
  Sweep sweep = read_all(given, configs);
  for (const std::string& one : overrides) add_override(sweep, one);
  if (chosen == nullptr) return sweep;
  for (const auto& [name, labels] : *chosen) choose(sweep, name, labels);
  for (const Axis& axis : sweep.axes) {
    if (axis.usual.empty() || chosen->count(axis.name) != 0) continue;
    std::vector<std::string> others;
    for (const AxisValue& value : axis.values)
      if (std::find(axis.usual.begin(), axis.usual.end(), value.label) == axis.usual.end())
        others.push_back(value.label);
    if (!others.empty()) left_out_.push_back(fmt::format("{} {}", axis.name, fmt::join(others, ", ")));
    choose(sweep, axis.name, axis.usual);
  }
  return sweep;
}

Rows rows_of(const OpenSweep& open, const std::vector<std::string>& only,
             const std::vector<std::string>& also) {
  try {
    return read_rows(open.folder(), only, also);
  } catch (const DatabaseError& error) {
    fmt::print(stderr, "note: {} is damaged and is rebuilt from the records: {}\n",
               input::printable((open.folder() / "results.sqlite").string()), input::printable(error.what()));
  }
  collect(open.plan(), open.keys(), open.folder());
  return read_rows(open.folder(), only, also);
}

}  // namespace spica::sweep
