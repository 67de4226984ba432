// SPDX-License-Identifier: Apache-2.0
#include "platform/sweep/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "platform/job/child_process.h"
#include "platform/json/parse.h"
#include "platform/loader/user_error.h"
#include "platform/soc/soc_config.h"
#include "platform/workloads/design_file.h"

namespace spica::sweep {

namespace {

/// The words of a command line as report::shell_text() writes it. Throws UserError for what it does not write.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false, any = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') {
      inside = !inside;
      any = true;
    } else if (!inside && c == '\\' && i + 1 < text.size()) {
      word += text[++i];
    } else if (!inside && c == '$') {
      throw loader::UserError("the command line of this run has bytes that are no text");
    } else if (!inside && c == ' ') {
      if (any || !word.empty()) words.push_back(std::exchange(word, {}));
      any = false;
    } else {
      word += c;
    }
  }
  if (any || !word.empty()) words.push_back(word);
  return words;
}

/// Options that only look at a run, with a value and without.
const std::set<std::string> kLooking{"--out",          "--report",       "--record",  "--keep",     "--trace",
                                     "--trace-filter", "--trace-limit",  "--profile", "--activity", "--save",
                                     "--save-memory",  "--power-window", "--top"};
const std::set<std::string> kLookingFlags{
    "--area", "--lines", "--annotate", "--disassembly", "--trace-no-cycles", "-q", "--quiet"};

}  // namespace

RunAgain run_again_of(const std::filesystem::path& folder, const std::filesystem::path& configs_dir) {
  const auto stats = json::read_file((folder / "stats.json").string());
  const auto origin = stats ? stats->find("provenance") : json::Value::const_iterator();
  if (!stats || origin == stats->end() || !origin->contains("command_line"))
    throw loader::UserError(fmt::format(
        "{} has no stats.json with a command line; a folder that --out wrote is expected, or a sweep with --point N",
        folder.string()));
  std::vector<std::string> words = words_of(origin->at("command_line").get<std::string>());
  if (words.size() < 2 || (words[1] != "gemm" && words[1] != "attention" && words[1] != "run"))
    throw loader::UserError(fmt::format("{} is no run of gemm, attention or run", folder.string()));
  words.erase(words.begin());
  return run_again(words, configs_dir);
}

RunAgain run_again(const std::vector<std::string>& words, const std::filesystem::path& configs_dir) {
  RunAgain again;
  std::string design;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    const bool joined = name.size() < words[i].size() && words[i].rfind("--", 0) == 0;
    if (kLookingFlags.count(words[i]) != 0) continue;
    if (kLooking.count(name) != 0) {
      if (!joined) ++i;
      continue;
    }
    again.words.push_back(words[i]);
    const bool has_value = joined || i + 1 < words.size();
    if (!has_value || (name != "--config" && name != "--design" && name != "--set")) continue;
    if (!joined) again.words.push_back(words[++i]);
    const std::string value = joined ? words[i].substr(name.size() + 1) : words[i];
    if (name == "--config") again.config = value;
    else if (name == "--design") design = value;
    else again.overrides.push_back(value);
  }
  if (words[0] == "run") {
    const auto config = std::find_if(again.words.begin() + 1, again.words.end(),
                                     [](const std::string& word) { return word[0] != '-'; });
    if (config != again.words.end()) again.config = *config;
  } else if (again.config.empty()) {
    again.config =
        words[0] == "gemm"
            ? workloads::read_gemm_design(design.empty() ? "virgo-dma" : design, configs_dir).config
            : workloads::read_attention_design(design.empty() ? "virgo" : design, configs_dir).config;
  }
  return again;
}

std::optional<std::uint64_t> one_step(std::uint64_t value, double lowest, double highest, bool power_of_two,
                                      bool up) {
  const std::uint64_t step = power_of_two ? (up ? value : value / 2) : std::max<std::uint64_t>(1, value / 8);
  if (!up && step > value) return std::nullopt;
  const std::uint64_t next = up ? value + step : value - step;
  if (static_cast<double>(next) < lowest || static_cast<double>(next) > highest || next == value ||
      (power_of_two && next == 0))
    return std::nullopt;
  return next;
}

namespace {

struct Parameter {
  std::string key, group, unit;
  std::uint64_t value = 0;
  std::optional<std::uint64_t> up, down;
};

/// Whole numbers that change no result, and are no matter of measuring.
void find_parameters(const config::Field& field, const std::string& path,
                     std::vector<Parameter>& parameters) {
  for (const config::Field& child : field.children) {
    const std::string key = path.empty() ? child.name : path + '.' + child.name;
    if (!child.is_value()) {
      find_parameters(child, key, parameters);
      continue;
    }
    if (child.kind != config::Field::Kind::kInteger || !child.timing || child.unit == "address" ||
        child.unit == "seed")
      continue;
    if (key.rfind("run.", 0) == 0 || key.rfind("power.", 0) == 0) continue;
    Parameter one;
    one.key = key;
    one.group = path;
    one.unit = child.unit;
    one.value = std::get<std::uint64_t>(child.get());
    const bool power = child.range.shape == base::Shape::kPow2;
    one.up = one_step(one.value, child.range.min, child.range.max, power, true);
    one.down = one_step(one.value, child.range.min, child.range.max, power, false);
    if (one.value != 0 && (one.up || one.down)) parameters.push_back(one);
  }
}

/// A machine to try.
struct Trial {
  std::vector<std::string> overrides;
  std::uint64_t cycles = 0;
  std::optional<double> energy_uj, area_mm2;
  std::string refused;
};

void run_trials(const RunAgain& run, std::vector<Trial>& trials, unsigned jobs) {
  std::vector<job::ChildJob> children;
  for (const Trial& trial : trials) {
    job::ChildJob child;
    child.arguments = run.words;
    for (const std::string& one : trial.overrides)
      child.arguments.insert(child.arguments.end(), {"--set", one});
    if (run.has_area) child.arguments.emplace_back("--area");
    child.arguments.insert(child.arguments.end(), {"--record", "/dev/fd/3"});
    child.captures = true;
    children.push_back(std::move(child));
  }
  const std::vector<job::ChildResult> results = job::run_all(jobs, children);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Trial& trial = trials[i];
    const auto record = json::parse(results[i].record);
    if (results[i].exit_code == 0 && record && record->is_object()) {
      trial.cycles = record->value("cycles", std::uint64_t{0});
      if (record->contains("active_energy_uj"))
        trial.energy_uj = record->at("active_energy_uj").get<double>();
      if (record->contains("area_mm2")) trial.area_mm2 = record->at("area_mm2").get<double>();
      continue;
    }
    trial.refused = job::first_message(results[i].errors);
    if (trial.refused.empty()) trial.refused = fmt::format("exit code {}", results[i].exit_code);
  }
}

std::string override_text(const std::string& key, std::uint64_t value) {
  return fmt::format("{}={}", key, value);
}

/// The words say --mode fast.
bool is_fast(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == "--mode=fast" || (words[i] == "fast" && i != 0 && words[i - 1] == "--mode")) return true;
  return false;
}

class Search {
 public:
  Search(const RunAgain& run, const NeighbourhoodOptions& options) : run_(run), options_(options) {}

  Neighbourhood explore(const std::vector<Parameter>& parameters) {
    result_.parameters = parameters.size();
    run_itself();
    std::map<std::string, std::vector<const Parameter*>> groups;
    for (const Parameter& one : parameters) groups[one.group].push_back(&one);
    // Half of the budget is for groups, two runs each.
    if (4 * groups.size() <= options_.budget) try_one_by_one(with_effect(groups));
    else divide(groups);
    std::stable_sort(result_.found.begin(), result_.found.end(), [&](const Neighbour& a, const Neighbour& b) {
      return a.gain(result_.cycles) > b.gain(result_.cycles);
    });
    return std::move(result_);
  }

 private:
  void run_itself() {
    std::vector<Trial> itself(1);
    run_trials(run_, itself, 1);
    ++result_.runs;
    if (!itself.front().refused.empty())
      throw loader::UserError("the run cannot be made again: " + itself.front().refused);
    result_.cycles = itself.front().cycles;
    result_.energy_uj = itself.front().energy_uj;
    result_.area_mm2 = itself.front().area_mm2;
  }

  double effect(const Trial& trial) const {
    if (!trial.refused.empty()) return 1;
    return std::fabs(1 - static_cast<double>(trial.cycles) / static_cast<double>(result_.cycles));
  }

  /// A set of parameters that were stepped together.
  struct Set {
    std::vector<const Parameter*> members;
    double effect = 0;  // on the cycles, whichever
    double gain =
        0;  // of the better step; of a machine that cannot be built that of the set it was a part of
  };

  /// All members a step in the direction that makes a machine faster where nothing else holds it up, and all the other way:
  /// so that they do not undo each other's effect. A latency is better when it is shorter, all else when there is more of it.
  static std::pair<Trial, Trial> steps(const std::vector<const Parameter*>& members) {
    Trial better, worse;
    for (const Parameter* one : members) {
      const bool is_time =
          one->key.find("latency") != std::string::npos || one->key.find("interval") != std::string::npos;
      if (one->up) (is_time ? worse : better).overrides.push_back(override_text(one->key, *one->up));
      if (one->down) (is_time ? better : worse).overrides.push_back(override_text(one->key, *one->down));
    }
    return {better, worse};
  }

  /// For a budget that is too small for all groups: the set with the largest gain is divided in two, again and again, down to
  /// single parameters. So a larger budget finds what a smaller one does, and more.
  void divide(const std::map<std::string, std::vector<const Parameter*>>& groups) {
    std::vector<const Parameter*> all;
    for (const auto& [name, members] : groups) all.insert(all.end(), members.begin(), members.end());
    std::vector<Set> sets{{all, 1, 1}};
    while (!sets.empty()) {
      const auto next = std::max_element(sets.begin(), sets.end(), [](const Set& a, const Set& b) {
        return std::tie(a.gain, a.effect) < std::tie(b.gain, b.effect);
      });
      Set set = std::move(*next);
      sets.erase(next);
      const std::size_t half = half_of(set.members);
      Set parts[2];
      parts[0].members.assign(set.members.begin(), set.members.begin() + static_cast<std::ptrdiff_t>(half));
      parts[1].members.assign(set.members.begin() + static_cast<std::ptrdiff_t>(half), set.members.end());
      if (result_.runs + 4 > options_.budget) {
        sets.push_back(std::move(set));
        break;
      }
      parts[0].gain = parts[1].gain = set.gain;
      try_sets(parts);
      for (Set& part : parts)
        if (part.members.size() > 1 && part.effect >= options_.threshold / 2) sets.push_back(std::move(part));
    }
    for (const Set& set : sets)
      for (const Parameter* one : set.members) result_.not_tried.push_back(one->key);
    std::sort(result_.not_tried.begin(), result_.not_tried.end());
  }

  /// Where to divide: the border between two groups that is nearest to the middle, else the middle.
  static std::size_t half_of(const std::vector<const Parameter*>& members) {
    const std::size_t middle = members.size() / 2;
    for (std::size_t distance = 0; distance < middle; ++distance)
      for (const std::size_t at : {middle - distance, middle + distance})
        if (at > 0 && at < members.size() && members[at - 1]->group != members[at]->group) return at;
    return std::max<std::size_t>(1, middle);
  }

  void try_sets(Set (&parts)[2]) {
    std::vector<Trial> trials;
    for (const Set& part : parts) {
      auto [better, worse] = steps(part.members);
      trials.push_back(std::move(better));
      trials.push_back(std::move(worse));
    }
    run_trials(run_, trials, options_.jobs);
    result_.runs += trials.size();
    for (std::size_t i = 0; i < 2; ++i) {
      Set& part = parts[i];
      const Trial &better = trials[2 * i], &worse = trials[2 * i + 1];
      part.effect = std::max(effect(better), effect(worse));
      if (better.refused.empty())
        part.gain = 1 - static_cast<double>(better.cycles) / static_cast<double>(result_.cycles);
      if (part.members.size() > 1) {
        if (part.effect < options_.threshold / 2)
          for (const Parameter* one : part.members) result_.without_effect.push_back(one->key);
        continue;
      }
      for (std::size_t way = 0; way < 2; ++way) keep(*part.members.front(), trials[2 * i + way]);
    }
  }

  /// A neighbour that was run, if it has an effect.
  void keep(const Parameter& one, const Trial& trial) {
    if (trial.overrides.empty() || !trial.refused.empty()) return;
    Neighbour neighbour;
    neighbour.key = one.key;
    neighbour.unit = one.unit;
    neighbour.value = one.value;
    const bool is_up = one.up && trial.overrides.front() == override_text(one.key, *one.up);
    neighbour.tried = is_up ? *one.up : one.down.value_or(one.value);
    neighbour.cycles = trial.cycles;
    neighbour.energy_uj = trial.energy_uj;
    neighbour.area_mm2 = trial.area_mm2;
    if (neighbour.key.find("latency") != std::string::npos && neighbour.tried > neighbour.value)
      result_.jitter = std::max(result_.jitter, neighbour.gain(result_.cycles));
    if (effect(trial) >= options_.threshold) result_.found.push_back(neighbour);
  }

  /// Parameters of groups that have an effect, those with the largest first. At most half of the budget.
  std::vector<const Parameter*> with_effect(
      const std::map<std::string, std::vector<const Parameter*>>& groups) {
    std::vector<Trial> trials;
    std::vector<std::string> names;
    for (const auto& [name, members] : groups) {
      auto [better, worse] = steps(members);
      names.push_back(name);
      trials.push_back(std::move(better));
      trials.push_back(std::move(worse));
    }
    run_trials(run_, trials, options_.jobs);
    result_.runs += trials.size();
    std::vector<std::pair<double, std::string>> ranked;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double most = std::max(effect(trials[2 * i]), effect(trials[2 * i + 1]));
      if (most < options_.threshold / 2) result_.without_effect.push_back(names[i]);
      else ranked.emplace_back(-most, names[i]);
    }
    std::stable_sort(ranked.begin(), ranked.end());
    std::vector<const Parameter*> parameters;
    for (const auto& [unused, name] : ranked)
      parameters.insert(parameters.end(), groups.at(name).begin(), groups.at(name).end());
    return parameters;
  }

  void try_one_by_one(const std::vector<const Parameter*>& parameters) {
    std::vector<Trial> trials;
    std::vector<const Parameter*> tried;
    for (const Parameter* one : parameters) {
      const std::uint64_t needed = (one->up ? 1 : 0) + (one->down ? 1 : 0);
      if (result_.runs + trials.size() + needed > options_.budget) {
        result_.not_tried.push_back(one->key);
        continue;
      }
      for (const auto& step : {one->up, one->down}) {
        if (!step) continue;
        Trial trial;
        trial.overrides.push_back(override_text(one->key, *step));
        trials.push_back(trial);
        tried.push_back(one);
      }
    }
    run_trials(run_, trials, options_.jobs);
    result_.runs += trials.size();
    for (std::size_t i = 0; i < trials.size(); ++i) keep(*tried[i], trials[i]);
  }

  const RunAgain& run_;
  const NeighbourhoodOptions& options_;
  Neighbourhood result_;
};

}  // namespace

Neighbourhood neighbourhood(const RunAgain& run, const std::filesystem::path& configs_dir,
                            const NeighbourhoodOptions& options) {
  const config::Source source = config::load(run.config, run.overrides, configs_dir);
  auto params = config::read<soc::SocParams>(source);
  std::vector<Parameter> parameters;
  find_parameters(config::describe(params, "", "", ""), "", parameters);
  constexpr std::uint64_t kLeast = 5;  // the run itself, and two sets of parameters a step either way
  if (options.budget < kLeast)
    throw loader::UserError(
        fmt::format("--budget {}: no parameter can be tried with less than {} runs; {} try all {} parameters",
                    options.budget, kLeast, 1 + 4 * parameters.size(), parameters.size()));
  RunAgain with_area = run;
  with_area.has_area = params.run.mode == soc::Mode::kCycle && !is_fast(run.words);
  return Search(with_area, options).explore(parameters);
}

}  // namespace spica::sweep
