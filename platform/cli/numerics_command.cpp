// SPDX-License-Identifier: Apache-2.0
// `spica numerics`: how units add products, to the bit, and which silicon adds like them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "platform/base/config/config.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/machine/soc/unused_settings.h"
#include "platform/observe/report/terminal.h"
#include "platform/workloads/numeric_units.h"

namespace spica::cli {

namespace {

using Json = nlohmann::ordered_json;
using numeric::Fingerprint;
using numeric::Mma;
using numeric::Silicon;
using numeric::SiliconRule;
using workloads::NumericUnit;

struct NumericsOptions {
  std::string config, format, like, explain;
  std::vector<std::string> overrides;
  bool list = false, json = false;
};

const SiliconRule* rule_of(const Silicon& silicon, const NumericUnit& unit) {
  const auto result = numeric::result_of_key(unit.result());
  return result ? numeric::find_rule(silicon.key, unit.operands().key, *result) : nullptr;
}

/// Words of silicon, and what they differ in from a unit.
struct Column {
  const Silicon* silicon;
  const SiliconRule* rule;
  std::vector<std::optional<std::uint64_t>> words;  // by fingerprint
};

/// The fingerprints of a unit next to those of each silicon that has its format.
struct Comparison {
  explicit Comparison(const NumericUnit& unit) : unit(unit) {
    for (const Fingerprint& one : numeric::fingerprints())
      if (one.suits(unit.operands().key, unit.result())) prints.push_back(&one);
    for (const Fingerprint* one : prints) words.push_back(unit.word(*one));
    for (const Silicon& silicon : numeric::all_silicon()) {
      const SiliconRule* const rule = rule_of(silicon, unit);
      if (rule == nullptr) continue;
      Column column{&silicon, rule, {}};
      const Mma mma(rule->rule, unit.operands());
      for (const Fingerprint* one : prints) column.words.push_back(one->result_by(mma));
      columns.push_back(std::move(column));
    }
  }
  /// Names of the fingerprints in which a silicon differs.
  std::vector<std::string> differing(const Column& column) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < prints.size(); ++i)
      if (column.words[i] != words[i]) names.emplace_back(prints[i]->name);
    return names;
  }
  std::string like() const {
    return unit.rule() ? numeric::adds_like(*unit.rule(), unit.operands().key) : "";
  }
  const Column* nearest() const {
    const auto less = [&](const Column& a, const Column& b) {
      return differing(a).size() < differing(b).size();
    };
    const auto found = std::min_element(columns.begin(), columns.end(), less);
    return found == columns.end() ? nullptr : &*found;
  }

  const NumericUnit& unit;
  std::vector<const Fingerprint*> prints;
  std::vector<std::optional<std::uint64_t>> words;
  std::vector<Column> columns;
};

std::string word_text(const std::optional<std::uint64_t>& word, std::string_view result) {
  if (!word) return "-";
  return fmt::format("{:0{}X}", *word, result == "fp16" ? 4 : result == "fp64" ? 16 : 8);
}

/// "adds like: ...", with evidence, or the silicon nearest to it.
std::string verdict(const Comparison& comparison) {
  const std::string like = comparison.like();
  if (!like.empty()) {
    std::string text = fmt::format("  adds like: {}\n", like);
    std::vector<const SiliconRule*> rules;
    numeric::adds_like(*comparison.unit.rule(), comparison.unit.operands().key, &rules);
    std::vector<std::string> seen;
    for (const SiliconRule* rule : rules) {
      const std::string evidence = fmt::format("  evidence:  {}: {}\n", rule->silicon, numeric::text(*rule));
      if (std::find(seen.begin(), seen.end(), evidence) == seen.end()) text += evidence;
      seen.push_back(evidence);
    }
    return text;
  }
  const Column* const nearest = comparison.nearest();
  if (nearest == nullptr || comparison.prints.empty())
    return "  adds like: no known silicon; this format has no fingerprints\n";
  const std::vector<std::string> names = comparison.differing(*nearest);
  return fmt::format(
      "  adds like: no known silicon; nearest: {}, {}\n", nearest->silicon->key,
      names.empty() ? "no fingerprint differs" : fmt::format("differs in {}", fmt::join(names, ", ")));
}

/// Columns with the same rule are one.
void print_table(const Comparison& comparison) {
  using Align = report::TextTable::Align;
  if (comparison.prints.empty()) return;
  std::vector<const Column*> shown;
  for (const Column& column : comparison.columns)
    if (std::none_of(shown.begin(), shown.end(),
                     [&](const Column* other) { return other->words == column.words; }))
      shown.push_back(&column);
  std::vector<report::TextTable::Column> heading = {{"", Align::kLeft}, {"here", Align::kLeft}};
  for (const Column* column : shown) heading.push_back({std::string(column->silicon->key), Align::kLeft});
  heading.push_back({"tells", Align::kLeft});
  report::TextTable table(heading);
  for (std::size_t i = 0; i < comparison.prints.size(); ++i) {
    const Fingerprint& one = *comparison.prints[i];
    std::vector<std::string> row = {std::string(one.name), word_text(comparison.words[i], one.result)};
    for (const Column* column : shown)
      row.push_back(word_text(column->words[i], one.result) +
                    (column->words[i] == comparison.words[i] ? "" : "*"));
    row.push_back(std::string(one.tells) + (one.is_contradicted() ? " (UNCERTAIN)" : ""));
    table.add(row);
  }
  fmt::print("\n{}", table.text());
}

Json json_of(const Comparison& comparison) {
  Json unit = {{"unit", comparison.unit.unit()},
               {"operands", comparison.unit.operands().key},
               {"result", comparison.unit.result()},
               {"rule", comparison.unit.rule_text()},
               {"adds_like", comparison.like()}};
  Json& prints = unit["fingerprints"] = Json::object();
  for (std::size_t i = 0; i < comparison.prints.size(); ++i)
    prints[std::string(comparison.prints[i]->name)] =
        word_text(comparison.words[i], comparison.prints[i]->result);
  Json& silicon = unit["silicon"] = Json::object();
  for (const Column& column : comparison.columns)
    silicon[std::string(column.silicon->key)] = {{"rule", numeric::text(column.rule->rule)},
                                                 {"evidence", numeric::text(*column.rule)},
                                                 {"uncertain", column.rule->is_uncertain()},
                                                 {"differs_in", comparison.differing(column)}};
  return unit;
}

/// By its key or the name of a device.
const Silicon& silicon_named(const std::string& name) {
  std::vector<std::string_view> keys;
  for (const Silicon& silicon : numeric::all_silicon()) {
    keys.push_back(silicon.key);
    const std::string names = fmt::format(" {},", silicon.names);
    if (silicon.key == name || names.find(fmt::format(" {},", name)) != std::string::npos ||
        names.find(fmt::format(" {} (", name)) != std::string::npos)
      return silicon;
  }
  throw input::UserError(
      fmt::format("--like {}: unknown silicon; known: {}", input::printable(name), fmt::join(keys, ", ")));
}

/// 1: a unit differs.
int print_likeness(const std::vector<Comparison>& comparisons, const Silicon& silicon) {
  bool differs = false, compared = false;
  for (const Comparison& comparison : comparisons) {
    const auto column = std::find_if(comparison.columns.begin(), comparison.columns.end(),
                                     [&](const Column& one) { return one.silicon == &silicon; });
    const std::string what = fmt::format("{} {}", comparison.unit.unit(), comparison.unit.combination());
    if (column == comparison.columns.end()) {
      fmt::print("{}: {} has no rule for it\n", what, silicon.key);
      continue;
    }
    compared = true;
    const std::vector<std::string> names = comparison.differing(*column);
    const bool same_rule = comparison.unit.rule() && *comparison.unit.rule() == column->rule->rule;
    differs = differs || !same_rule;
    if (!names.empty()) fmt::print("{}: differs from {} in {}\n", what, silicon.key, fmt::join(names, ", "));
    else if (!same_rule)
      fmt::print("{}: has another rule than {} ({}), though no fingerprint differs\n", what, silicon.key,
                 numeric::text(column->rule->rule));
    else
      fmt::print(
          "{}: adds like {}{}\n", what, silicon.key,
          column->rule->is_uncertain() ? fmt::format(" (UNCERTAIN: {})", column->rule->uncertain) : "");
  }
  if (!compared) throw input::UserError(fmt::format("{} has no rule for any of these formats", silicon.key));
  return differs ? 1 : 0;
}

/// The instruction that its name selects, and those that no name does.
bool lists(const Silicon& silicon, std::string_view instruction) {
  const auto& all = numeric::all_silicon();
  return instruction == silicon.instruction ||
         std::none_of(all.begin(), all.end(), [&](const Silicon& other) {
           return other.family == silicon.family && other.instruction == instruction;
         });
}

void print_list(bool json) {
  using Align = report::TextTable::Align;
  Json all = Json::array();
  report::TextTable table({{"numerics", Align::kLeft},
                           {"instruction", Align::kLeft},
                           {"sums", Align::kLeft},
                           {"rule", Align::kLeft},
                           {"evidence", Align::kLeft}});
  for (const Silicon& silicon : numeric::all_silicon()) {
    for (const SiliconRule& rule : numeric::silicon_rules()) {
      if (rule.silicon != silicon.family || !lists(silicon, rule.instruction)) continue;
      const std::string sums = numeric::combination(rule.operands, rule.rule.result);
      table.add({std::string(silicon.key), std::string(rule.instruction), sums, numeric::text(rule.rule),
                 numeric::text(rule)});
      all.push_back({{"numerics", silicon.key},
                     {"instruction", rule.instruction},
                     {"devices", silicon.names},
                     {"operands", rule.operands},
                     {"result", numeric::result_key(rule.rule.result)},
                     {"rule", numeric::text(rule.rule)},
                     {"evidence", numeric::text(rule)},
                     {"uncertain", rule.is_uncertain()}});
    }
  }
  if (json) fmt::print("{}\n", all.dump(2));
  else fmt::print("{}", table.text());
}

/// As 0x1p-30; fmt writes zero in a way that depends on its version.
std::string exact_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

std::string term_text(const numeric::StepTrace::Addend& addend) {
  if (addend.k == numeric::StepTrace::kC) return "C";
  return addend.k == numeric::StepTrace::kSum ? "sum" : fmt::format("k={}", addend.k);
}

void print_steps(const Fingerprint& one, const Mma& mma) {
  if (mma.is_integer() || mma.is_double() || !mma.rule().takes(one.k)) return;
  const Fingerprint::Operands words = one.words(mma.operands());
  const std::vector<std::uint32_t> a(words.a.begin(), words.a.end()), b(words.b.begin(), words.b.end());
  const std::vector<std::uint8_t> scales(mma.has_scales() ? one.k / mma.operands().scale_block : 0,
                                         one.scale);
  const std::uint8_t* const of_blocks = mma.has_scales() ? scales.data() : nullptr;
  unsigned number = 1;
  for (const numeric::StepTrace& step :
       mma.explain(a.data(), b.data(), one.k, static_cast<std::uint32_t>(one.c), of_blocks, of_blocks)) {
    const unsigned own = step.is_partial ? number : number++;
    if (step.addends.empty()) continue;
    fmt::print("    step {}: ", own);
    if (step.aligned) fmt::print("largest exponent {}, grid 2^{}; ", step.exponent, step.grid);
    if (step.is_partial) fmt::print("a sum of products\n");
    else fmt::print("result {}\n", word_text(step.result, one.result));
    for (const auto& addend : step.addends) {
      fmt::print("      {:>5} {}", term_text(addend), exact_text(addend.value));
      if (step.aligned && addend.kept != addend.value)
        fmt::print(" cut to {}, {} lost", exact_text(addend.kept), exact_text(addend.value - addend.kept));
      fmt::print("\n");
    }
  }
}

/// The words and steps of a fingerprint by each silicon, one for each rule.
int explain(const NumericsOptions& options) {
  const Fingerprint* const one = numeric::fingerprint(options.explain);
  if (one == nullptr) {
    std::vector<std::string_view> names;
    for (const Fingerprint& known : numeric::fingerprints()) names.push_back(known.name);
    throw input::UserError(fmt::format("--explain {}: unknown fingerprint; known: {}",
                                       input::printable(options.explain), fmt::join(names, ", ")));
  }
  const numeric::OperandInfo& operands =
      *numeric::operand_info(one->operands.substr(0, one->operands.find(' ')));
  const auto result = numeric::result_of_key(one->result);
  const Silicon* const only = options.like.empty() ? nullptr : &silicon_named(options.like);
  if (only != nullptr && numeric::find_rule(only->key, operands.key, *result) == nullptr)
    throw input::UserError(fmt::format("--like {}: {} has no rule for {} -> {}",
                                       input::printable(options.like), only->key, operands.key, one->result));
  fmt::print("{}: tells {}{}\n{} -> {}, k = {}; A * B at k: {}; others {:X} * {:X}; C = {}\n", one->name,
             one->tells, one->is_contradicted() ? " (UNCERTAIN: public models contradict each other)" : "",
             operands.key, one->result, one->k, one->products.empty() ? "none" : one->products, one->a_rest,
             one->b_rest, word_text(one->c, one->result == "fp16" ? "fp16" : one->result));
  std::vector<numeric::SumRule> seen;
  for (const Silicon& silicon : numeric::all_silicon()) {
    const SiliconRule* const rule = numeric::find_rule(silicon.key, operands.key, *result);
    if (rule == nullptr || (only != nullptr && &silicon != only)) continue;
    const Mma mma(rule->rule, operands);
    fmt::print("\n  {}: {}\n    {}\n", silicon.key, word_text(one->result_by(mma), one->result),
               numeric::text(rule->rule));
    if (std::find(seen.begin(), seen.end(), rule->rule) != seen.end()) continue;
    seen.push_back(rule->rule);
    print_steps(*one, mma);
  }
  return 0;
}

int run(const NumericsOptions& options) {
  if (options.list) {
    print_list(options.json);
    return 0;
  }
  if (!options.explain.empty()) return explain(options);
  leave_out_plugins();
  const config::Source source = config::load(options.config, options.overrides, configs_dir());
  const auto params = config::read<soc::SocParams>(source);
  std::cerr << soc::unused_settings(params, source, options.overrides, options.overrides);
  const std::vector<NumericUnit> all = workloads::numeric_units(params);
  std::vector<Comparison> comparisons;
  std::vector<std::string> formats;
  for (const NumericUnit& unit : all) {
    if (std::find(formats.begin(), formats.end(), unit.operands().key) == formats.end())
      formats.emplace_back(unit.operands().key);
    if (options.format.empty() || options.format == unit.operands().key) comparisons.emplace_back(unit);
  }
  if (all.empty())
    throw input::UserError(fmt::format("{} has no tensor core and no matrix unit", source.name));
  if (comparisons.empty())
    throw input::UserError(fmt::format("--format {}: the units of {} multiply {}",
                                       input::printable(options.format), source.name,
                                       fmt::join(formats, ", ")));
  if (!options.like.empty()) return print_likeness(comparisons, silicon_named(options.like));
  Json document = Json::array();
  for (const Comparison& comparison : comparisons) {
    if (options.json) {
      document.push_back(json_of(comparison));
      continue;
    }
    fmt::print("{}{}, {}\n  rule:      {}\n{}", &comparison == comparisons.data() ? "" : "\n",
               comparison.unit.unit(), comparison.unit.combination(), comparison.unit.rule_text(),
               verdict(comparison));
    print_table(comparison);
  }
  if (options.json) fmt::print("{}\n", document.dump(2));
  return 0;
}

void options_of_numerics(Command& command) {
  auto options = std::make_shared<NumericsOptions>();
  options->config = "virgo";
  command.option("CONFIG", options->config, "configuration file, or name of one in configs/").shows_default();
  command.option("--format", options->format, "only units with operands of this format, such as fp16")
      .not_with({"--list", "--explain"});
  command.option("--set", options->overrides, "KEY=VALUE: override one parameter, may be repeated")
      .repeats()
      .not_with({"--list", "--explain"});
  command
      .option("--like", options->like,
              "exit with code 1 if the rule or a fingerprint differs from this silicon's")
      .names([] {
        std::vector<std::string> keys;
        for (const Silicon& silicon : numeric::all_silicon()) keys.emplace_back(silicon.key);
        return keys;
      })
      .not_with({"--list"});
  command.flag("--list", options->list, "print the rules of all silicon with their evidence");
  command
      .option("--explain", options->explain, "print the steps of a fingerprint, such as F6, by each silicon")
      .not_with({"--list"});
  command.flag("--json", options->json, "print JSON").not_with({"--explain", "--like"});
  command.action([options](const std::vector<std::string>&) { return run(*options); });
}

}  // namespace

void add_numerics_command(CommandLine& line) {
  line.add("numerics", "show how tensor cores and matrix units add, to the bit, and like which silicon",
           options_of_numerics);
}

}  // namespace spica::cli
