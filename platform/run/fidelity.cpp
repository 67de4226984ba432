// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fidelity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "platform/base/config/config.h"
#include "platform/base/config/find_field.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/base/text/pattern.h"
#include "platform/machine/session/session.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/machine/soc/unused_settings.h"
#include "platform/observe/energy/energy_report.h"
#include "platform/observe/report/text_table.h"
#include "platform/run/measurements.h"
#include "platform/run/record.h"
#include "platform/run/results.h"

namespace spica::job {

namespace {

using Json = json::Value;
using config::Operand;

constexpr double kSmallestChange = 0.01;  // that a text shows
constexpr const char* kFile = "fidelity/deviations.json";

/// What names in conditions mean in one run.
class RunValues {
 public:
  RunValues(const RunFacts& run, const Json& document)
      : run_(run), document_(document), params_(run.params), machine_(config::describe(params_)) {}

  Operand operator()(const std::string& name) const {
    if (name.find("stats.") != std::string::npos) {
      const auto stats = document_.find("stats");
      return stats == document_.end() ? Operand() : operand(kept_value(*stats, name));
    }
    if (name == "job") return run_.options.workload;
    if (name == "machine") return shipped_machine();
    if (name == "energy") return word(run_.measurements.energy() != nullptr);
    if (name == "area") return word(run_.measurements.area() != nullptr);
    bool is_there = false;
    if (const auto field = config::find_field(machine_, name, is_there); field && field->is_value())
      return is_there ? config::operand_of(*field) : Operand();
    const auto found = document_.find(name);
    return found == document_.end() ? Operand(name) : operand(*found);
  }

 private:
  static Operand word(bool value) { return value ? "true" : "false"; }

  static Operand operand(const Json& value) {
    if (value.is_boolean()) return word(value.get<bool>());
    if (value.is_number()) return value.get<double>();
    return value.is_string() ? Operand(value.get<std::string>()) : Operand();
  }

  std::string shipped_machine() const {
    static const text::Pattern shipped(R"(configs/([^/]+)\.yaml)");
    for (const std::string& file : run_.source.files)
      if (const auto found = shipped.match(file)) return found->at(1);
    return {};
  }

  const RunFacts& run_;
  const Json& document_;
  soc::SocParams params_;  // the fields refer to it
  config::Field machine_;
};

/// Whether the source of a parameter says that it is uncertain: any part between semicolons, unless that part begins with the
/// name of another group ("L2: UNCERTAIN").
bool is_uncertain(const std::string& source, const std::string& key) {
  constexpr std::string_view kWord = "uncertain";
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (std::search(source.begin(), source.end(), kWord.begin(), kWord.end(), same) == source.end())
    return false;  // most: without the expression
  static const text::Pattern part(R"(\s*(?:([^\s:;]+):)?([^;]*);?)");
  for (const auto& found : part.search_all(source)) {
    std::string group = found[1];
    std::transform(group.begin(), group.end(), group.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (group == "uncertain") return true;
    const bool concerns = group.empty() || boost::starts_with(key, group + ".");
    if (concerns && found[2].find("UNCERTAIN") != std::string::npos) return true;
  }
  return false;
}

Json uncertain_parameters(const RunFacts& run) {
  static const text::Pattern index(R"(\.\d+(?=\.|$))");
  std::map<std::string, config::ParameterInfo> known;
  for (config::ParameterInfo& info : config::list<soc::SocParams>())
    if (is_uncertain(info.source, info.key)) known.emplace(info.key, std::move(info));
  const std::vector<config::EffectiveValue> values = config::effective(run.params, run.source);
  const soc::UnusedParameters unused(run.params, values);
  Json list = Json::array();
  for (const config::EffectiveValue& value : values) {
    const bool indexed = value.key.find_first_of("0123456789") != std::string::npos;
    const auto found = known.find(indexed ? index.replace(value.key, "[N]") : value.key);
    if (found == known.end() || found->second.default_value != value.text || !unused.why(value).empty())
      continue;
    list.push_back(
        {{"key", value.key}, {"value", value.text}, {"unit", value.unit}, {"source", found->second.source}});
  }
  return list;
}

/// How far the uncertain parameters move a shipped design; null: not measured. They were moved in the cycle mode.
Json stored_sensitivity(const RunFacts& run, const Json& document) {
  const auto design = document.find("design");
  if (run.session.fast() || run.options.workload != "gemm" || design == document.end()) return {};
  const auto file = json::read_file(
      (run.configs_dir / "fidelity/sensitivity" / (design->get<std::string>() + ".json")).string());
  if (!file) return {};
  Json kept = Json::object();
  for (const char* key : {"design", "size", "cycles", "changes"}) kept[key] = file->at(key);
  return kept;
}

std::string sensitivity_text(const Json& found) {
  const std::string of =
      fmt::format("{} {}", found.at("design").get<std::string>(), found.at("size").get<std::string>());
  report::TextTable table(
      {{"parameter"}, {"default"}, {"other value"}, {"cycles", report::TextTable::Align::kRight}});
  for (const Json& one : found.at("changes"))
    if (const double change = one.at("change"); std::abs(change) >= kSmallestChange)
      table.add({one.at("key"), one.at("from"), one.at("to"), fmt::format("{:+.1f} %", 100 * change)});
  const std::string rows = table.text(2);
  if (rows.empty()) return fmt::format(". Half or twice any of them moves {} by less than 1 %.\n", of);
  return fmt::format(". At half or twice their value, these move {} by 1 % or more:\n{}", of, rows);
}

std::string keys_text(const Json& uncertain) {
  std::vector<std::string> keys;
  for (const Json& one : uncertain) keys.push_back(one.at("key"));
  return fmt::format(". By how much they move this result is not measured: {}.\n", fmt::join(keys, ", "));
}

/// A long text up to the end of its first sentence, or a semicolon.
std::string first_clause(const std::string& text) {
  constexpr std::size_t kShort = 60;
  if (text.size() <= kShort) return text;
  const std::size_t end = std::min({text.find(". "), text.find("; "), text.size()});
  return text.substr(0, end);
}

}  // namespace

std::vector<Deviation> read_deviations(const std::filesystem::path& configs_dir) {
  const std::filesystem::path path = configs_dir / kFile;
  const auto file = json::read_file(path.string());
  if (!file || !file->is_array())
    throw input::UserError(fmt::format("{} is not readable: the installation is incomplete", path.string()));
  std::vector<Deviation> all;
  for (const Json& one : *file)
    all.push_back({one.at("id").get<std::string>(), one.at("title").get<std::string>(),
                   one.at("effect").get<std::string>(), config::Expression(one.at("when").get<std::string>()),
                   one.value("improved", false)});
  return all;
}

Json fidelity_json(const RunFacts& run, const Json& document) {
  const RunValues values(run, document);
  Json deviations = Json::array(), improved = Json::array(), energies = Json::array();
  for (const Deviation& one : read_deviations(run.configs_dir)) {
    if (!one.when.holds([&](const std::string& name) { return values(name); })) continue;
    deviations.push_back({{"id", one.id}, {"title", one.title}, {"effect", one.effect}});
    if (one.improved) improved.push_back(one.id);
  }
  if (run.measurements.energy() != nullptr)
    for (const std::string& note : run.measurements.energy()->notes()) energies.push_back(note);
  return {{"deviations", std::move(deviations)},
          {"improved", std::move(improved)},
          {"uncertain", uncertain_parameters(run)},
          {"sensitivity", stored_sensitivity(run, document)},
          {"energies", std::move(energies)}};
}

Json fidelity_json(const RunFacts& run, const RunFigures& figures) {
  Json document = run_results(run, figures);
  if (!run.session.fast()) document["stats"] = block_results(run);
  return fidelity_json(run, document);
}

std::string fidelity_text(const Json& fidelity) {
  const Json& deviations = fidelity.at("deviations");
  std::string text = fmt::format(
      "\n{} known differences from the published hardware concern this run (docs/deviations.md):\n",
      deviations.size());
  for (const Json& one : deviations) {
    const std::string effect = first_clause(one.at("effect"));
    text += fmt::format("  {:5} {}\n", one.at("id").get<std::string>(), one.at("title").get<std::string>());
    if (!effect.empty()) text += fmt::format("        effect: {}\n", effect);
  }
  for (const Json& id : fidelity.at("improved"))
    text += fmt::format("The program is better than the published one ({}).\n", id.get<std::string>());
  const Json &uncertain = fidelity.at("uncertain"), &sensitivity = fidelity.at("sensitivity");
  if (!uncertain.empty()) {
    text += fmt::format("{} parameters are at defaults that no source gives", uncertain.size());
    text += sensitivity.is_null() ? keys_text(uncertain) : sensitivity_text(sensitivity);
  }
  for (const Json& note : fidelity.at("energies"))
    text += fmt::format("Energy: {}\n", note.get<std::string>());
  return text;
}

}  // namespace spica::job
