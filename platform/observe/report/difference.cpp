// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "platform/base/text/number_format.h"

namespace spica::report {

namespace {

using Json = json::Value;

/// "cluster_0.core_3" and "issue": "core issue"; a cluster is as good as another.
std::string kind_of(const std::string& block, const std::string& account) {
  std::string name = block.substr(block.rfind('.') + 1);
  if (const std::size_t digits = name.find_last_not_of("0123456789");
      digits != std::string::npos && digits + 1 < name.size() && name[digits] == '_')
    name.erase(digits);
  std::string text = name + ' ' + account;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// Sums of one kind of account.
struct Account {
  std::map<std::string, double> reasons;
  unsigned blocks = 0;
};
using Accounts = std::map<std::string, Account>;

void add_accounts(const Json& node, const std::string& path, Accounts& accounts) {
  if (!node.is_object()) return;
  for (const auto& [name, inner] : node.items()) {
    if (!inner.is_object()) continue;
    const auto reasons = inner.find("reasons");
    if (reasons == inner.end() || !inner.contains("total")) {
      if (!inner.contains("value")) add_accounts(inner, path.empty() ? name : path + '.' + name, accounts);
      continue;
    }
    const auto in_region = inner.find("in_region");
    Account& account = accounts[kind_of(path, name)];
    ++account.blocks;
    for (const auto& [reason, cycles] : (in_region != inner.end() ? *in_region : *reasons).items())
      if (cycles.is_number()) account.reasons[reason] += cycles.get<double>();
  }
}

Accounts accounts_of(const ReportedRun& run) {
  Accounts accounts;
  if (const auto stats = run.document.find("stats"); stats != run.document.end())
    add_accounts(*stats, "", accounts);
  return accounts;
}

bool is_rest(const std::string& reason) { return reason == "idle" || reason == "no_warp"; }

void sort_by_change(std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::fabs(a.delta()) > std::fabs(b.delta());
  });
}

AccountChange account_change(const std::string& name, const Account& before, const Account& after,
                             const Json& meanings) {
  AccountChange change;
  change.name = name;
  std::map<std::string, Change> reasons;
  double all = 0, rest = 0;
  for (const auto* account : {&before, &after}) {
    for (const auto& [reason, cycles] : account->reasons) {
      Change& one = reasons[reason];
      one.name = reason;
      one.meaning = meanings.is_object() ? meanings.value(reason, "") : "";
      const double mean = cycles / account->blocks;
      (account == &before ? one.before : one.after) = mean;
      all += mean;
      if (is_rest(reason)) rest += mean;
    }
  }
  for (auto& [reason, one] : reasons) change.reasons.push_back(std::move(one));
  sort_by_change(change.reasons);
  change.busy = all == 0 ? 0 : 1 - rest / all;
  return change;
}

/// Total energy by unit: the children of "soc" and of each cluster, whatever else the machine has.
void add_units(const Json& node, std::map<std::string, double>& units) {
  const auto children = node.find("children");
  const std::string name = node.value("name", "");
  const bool is_group = name == "machine" || name == "soc" || name.rfind("cluster", 0) == 0;
  if (is_group && children != node.end()) {
    for (const Json& child : *children) add_units(child, units);
    return;
  }
  std::string kind = kind_of(name, "");
  kind.pop_back();
  for (const char* part : {"active_uj", "idle_uj"})
    if (const auto energy = node.find(part); energy != node.end() && energy->contains("nominal"))
      units[kind] += energy->at("nominal").get<double>();
}

template <class Map>
std::vector<Change> changes_of(const Map& before, const Map& after) {
  std::map<std::string, Change> all;
  for (const auto& [name, value] : before) all[name].before = value;
  for (const auto& [name, value] : after) all[name].after = value;
  std::vector<Change> changes;
  for (auto& [name, change] : all) {
    change.name = name;
    changes.push_back(change);
  }
  sort_by_change(changes);
  return changes;
}

std::map<std::string, double> functions_of(const Json& energy) {
  std::map<std::string, double> functions;
  if (const auto lines = energy.find("lines"); lines != energy.end() && lines->is_array())
    for (const Json& line : *lines) functions[line.value("function", "?")] += line.value("cycles", 0.0);
  return functions;
}

/// An energy of "total"; nothing: it is not there.
std::optional<double> total_of(const Json& energy, const char* name, const char* end) {
  const auto total = energy.find("total");
  if (total == energy.end() || !total->is_object()) return std::nullopt;
  const auto value = total->find(name);
  if (value == total->end() || !value->is_object() || !value->contains(end)) return std::nullopt;
  return value->at(end).get<double>();
}

/// The files that the energies are from, as stats.json names them.
std::string table_of(const ReportedRun& run) { return run.document.value("energy_table", ""); }

void compare_energies(const ReportedRun& before, const ReportedRun& after, RunDifference& found) {
  const auto change = [&](const char* name, const char* text, const char* end) {
    const auto first = total_of(before.energy, name, end), second = total_of(after.energy, name, end);
    return first && second ? std::optional(Change{text, "", *first, *second}) : std::nullopt;
  };
  constexpr const char *kTotal = "total_energy_uj", *kText = "total energy";
  const auto total = change(kTotal, kText, "nominal");
  if (!total) return;
  found.energy = *total;
  found.energy_low = change(kTotal, kText, "low");
  found.energy_high = change(kTotal, kText, "high");
  found.same_table = table_of(before) == table_of(after);
  for (const auto& [name, text] : {std::pair{"active_energy_uj", "active"},
                                   {"leakage_energy_uj", "leakage"},
                                   {"clock_energy_uj", "clock"},
                                   {"dram_energy_uj", "DRAM"}})
    if (const auto part = change(name, text, "nominal")) found.parts.push_back(*part);
}

}  // namespace

RunDifference difference(const ReportedRun& before, const ReportedRun& after) {
  RunDifference found;
  found.cycles = {"cycles", "", before.document.value("cycles", 0.0), after.document.value("cycles", 0.0)};
  found.instructions = {"instructions", "", before.document.value("instructions", 0.0),
                        after.document.value("instructions", 0.0)};
  const Accounts first = accounts_of(before), second = accounts_of(after);
  Json meanings = before.document.value("reasons", Json::object());
  meanings.update(after.document.value("reasons", Json::object()));
  for (const auto& [name, account] : first)
    if (const auto other = second.find(name); other != second.end())
      found.accounts.push_back(account_change(name, account, other->second, meanings));
  std::stable_sort(found.accounts.begin(), found.accounts.end(),
                   [](const AccountChange& a, const AccountChange& b) { return a.busy > b.busy; });
  if (!before.energy.is_object() || !after.energy.is_object()) return found;
  compare_energies(before, after, found);
  std::map<std::string, double> units[2];
  add_units(before.energy.value("blocks", Json::object()), units[0]);
  add_units(after.energy.value("blocks", Json::object()), units[1]);
  found.units = changes_of(units[0], units[1]);
  found.functions = changes_of(functions_of(before.energy), functions_of(after.energy));
  return found;
}

namespace {

std::string words_of(const std::string& name) {
  std::string words = name;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string more_or_less(double delta, const std::string& amount) {
  return fmt::format("{} {}", amount, delta < 0 ? "less" : "more");
}

std::string cycles_text(double cycles) {
  return text::grouped(static_cast<std::uint64_t>(std::llround(std::fabs(cycles))));
}

/// The account whose reasons explain the cycles: the busiest one.
std::string reasons_sentence(const RunDifference& found) {
  if (found.accounts.empty()) return "The runs have no cycle accounts in common.";
  const AccountChange& account = found.accounts.front();
  std::vector<std::string> parts;
  constexpr std::size_t kMost = 3;
  for (const Change& reason : account.reasons) {
    if (parts.size() == kMost || std::llround(reason.delta()) == 0) break;
    const std::string what = reason.meaning.empty()
                                 ? words_of(reason.name)
                                 : fmt::format("{} ({})", words_of(reason.name), reason.meaning);
    parts.push_back(fmt::format("{} {}", more_or_less(reason.delta(), cycles_text(reason.delta())), what));
  }
  if (parts.empty()) return fmt::format("The account \"{}\" has not changed.", account.name);
  return fmt::format("In the account \"{}\", the busiest one that both have: {}.", account.name,
                     fmt::join(parts, ", "));
}

/// What the change may be, and whether the runs can be distinguished.
std::string interval_text(const RunDifference& found) {
  if (!found.energy_low || !found.energy_high) return {};
  const Change &low = *found.energy_low, &high = *found.energy_high;
  const auto percent = [](double after, double before) { return 100 * (after / before - 1); };
  if (low.before <= 0 || high.before <= 0) return {};
  // Errors of one table are common to both runs; those of two are not.
  const double ends[] = {
      found.same_table ? percent(low.after, low.before) : percent(low.after, high.before),
      found.same_table ? percent(high.after, high.before) : percent(high.after, low.before)};
  const double nominal = percent(found.energy.after, found.energy.before);
  const double least = std::min({ends[0], ends[1], nominal}), most = std::max({ends[0], ends[1], nominal});
  return fmt::format(", {:+.1f} % to {:+.1f} % within the ranges of the energy table{}{}", least, most,
                     found.same_table ? "" : "s",
                     least < 0 && most > 0 ? ", so they cannot be distinguished" : "");
}

std::string energy_sentence(const RunDifference& found) {
  const double before = found.energy.before, after = found.energy.after;
  if (before == 0 || after == 0) return "Energy was not measured in both (--energy).";
  std::vector<std::string> of_total;
  for (const Change& part : found.parts)
    of_total.push_back(fmt::format("{} {:.4g} instead of {:.4g}", part.name, part.after, part.before));
  std::vector<std::string> parts;
  constexpr std::size_t kMost = 3;
  for (const Change& unit : found.units) {
    if (parts.size() == kMost || std::fabs(unit.delta()) < 1e-3 * before) break;
    parts.push_back(fmt::format("{} {:+.3g}", unit.name, unit.delta()));
  }
  std::string text = fmt::format("Total energy is {:.4g} uJ instead of {:.4g} ({:+.1f} %){}", after, before,
                                 100 * (after / before - 1), interval_text(found));
  if (!of_total.empty()) text += fmt::format(": {}", fmt::join(of_total, ", "));
  if (!parts.empty()) text += fmt::format(". By unit, in uJ: {}", fmt::join(parts, ", "));
  return text + ".";
}

}  // namespace

std::string set_up_sentence(const ReportedRun& before, const ReportedRun& after) {
  const auto number = [](const ReportedRun& run, const char* name) {
    const auto found = run.document.find(name);
    return found != run.document.end() && found->is_number() ? std::optional(found->get<double>())
                                                             : std::nullopt;
  };
  const auto part = [&](const ReportedRun& run) -> std::optional<double> {
    const auto lead = number(run, "lead_cycles"), cycles = number(run, "cycles");
    if (!lead || !cycles || *cycles == 0) return std::nullopt;
    return 100 * *lead / *cycles;
  };
  const auto first = part(before), second = part(after);
  if (!first || !second || std::fabs(*first - *second) < 0.5) return "";
  const auto text = [&](const ReportedRun& run, double percent) {
    return fmt::format("{} cycles ({:.1f} %) in {}", cycles_text(*number(run, "lead_cycles")), percent,
                       run.name);
  };
  return fmt::format("Set-up before the first load of an operand takes {}, {}.", text(before, *first),
                     text(after, *second));
}

std::string region_sentence(const ReportedRun& before, const ReportedRun& after) {
  const auto window = [](const ReportedRun& run) { return run.document.value("window", ""); };
  const auto timed = [](const ReportedRun& run) {
    const std::string text = run.document.value("timed", "");
    return text.empty() ? "as its program marks it" : text;
  };
  if (window(before) == window(after))
    return window(before).empty() || window(before) == "results"
               ? ""
               : fmt::format("Both runs time an unusual region: {}.", timed(before));
  return fmt::format(
      "The runs are timed over different regions, so their cycles and energies cannot be compared. {}: {}. {}: {}.",
      before.name, timed(before), after.name, timed(after));
}

namespace {

/// Notes are one text in stats.json, with "; " between them.
std::vector<std::string> notes_of(const ReportedRun& run) {
  std::vector<std::string> notes;
  for (std::string rest = run.document.value("energy_notes", ""); !rest.empty();) {
    const std::size_t end = std::min(rest.find("; "), rest.size());
    notes.push_back(rest.substr(0, end));
    rest.erase(0, std::min(end + 2, rest.size()));
  }
  return notes;
}

}  // namespace

std::vector<EnergyNote> energy_notes(const ReportedRun& before, const ReportedRun& after) {
  std::vector<EnergyNote> notes;
  for (const std::string& text : notes_of(before)) notes.push_back({text, true, false});
  for (const std::string& text : notes_of(after)) {
    const auto same =
        std::find_if(notes.begin(), notes.end(), [&](const EnergyNote& note) { return note.text == text; });
    if (same != notes.end()) same->of_after = true;
    else notes.push_back({text, false, true});
  }
  return notes;
}

std::string sentences(const RunDifference& found, const std::string& before, const std::string& after) {
  const double cycles = found.cycles.before;
  std::string text = fmt::format("{} takes {} cycles, ", after, cycles_text(found.cycles.after));
  if (found.cycles.delta() == 0) text += fmt::format("as many as {}", before);
  else
    text += fmt::format(
        "{} than {} ({})",
        more_or_less(found.cycles.delta(),
                     cycles == 0 ? cycles_text(found.cycles.delta())
                                 : fmt::format("{} or {:.1f} %", cycles_text(found.cycles.delta()),
                                               100 * std::fabs(found.cycles.delta()) / cycles)),
        before, cycles_text(cycles));
  if (found.instructions.delta() == 0)
    text += fmt::format(", with the same {} warp instructions.\n", cycles_text(found.instructions.after));
  else
    text += fmt::format(", with {} warp instructions instead of {}.\n", cycles_text(found.instructions.after),
                        cycles_text(found.instructions.before));
  return text + reasons_sentence(found) + "\n" + energy_sentence(found) + "\n";
}

namespace {

Json change_json(const Change& change) {
  Json result{
      {"name", change.name}, {"before", change.before}, {"after", change.after}, {"delta", change.delta()}};
  if (!change.meaning.empty()) result["waits_for"] = change.meaning;
  return result;
}

Json changes_json(const std::vector<Change>& changes) {
  Json result = Json::array();
  for (const Change& change : changes) result.push_back(change_json(change));
  return result;
}

}  // namespace

Json difference_json(const RunDifference& found) {
  Json result{{"cycles", change_json(found.cycles)}, {"instructions", change_json(found.instructions)}};
  result["accounts"] = Json::array();
  for (const AccountChange& account : found.accounts)
    result["accounts"].push_back(
        {{"name", account.name}, {"busy", account.busy}, {"reasons", changes_json(account.reasons)}});
  result["energy_uj"] = change_json(found.energy);
  for (const auto& [name, change] :
       {std::pair{"energy_low_uj", &found.energy_low}, {"energy_high_uj", &found.energy_high}})
    result[name] = *change ? change_json(**change) : Json();
  result["energy_parts_uj"] = changes_json(found.parts);
  result["units_uj"] = changes_json(found.units);
  result["functions"] = changes_json(found.functions);
  return result;
}

}  // namespace spica::report
