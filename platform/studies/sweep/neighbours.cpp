// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "platform/base/input/user_error.h"

namespace spica::sweep {

std::vector<Neighbour> Neighbourhood::advice(const std::vector<Neighbour>& list, double threshold) const {
  std::vector<Neighbour> good;
  std::copy_if(list.begin(), list.end(), std::back_inserter(good), [&](const Neighbour& one) {
    const double gain = one.gain(itself.cost);
    return one.step.direction != Direction::kWorse && gain > noise && gain >= threshold;
  });
  return good;
}

namespace {

constexpr std::size_t kBatch = 4;  // sets that are run before the next ones are chosen
constexpr std::size_t kFew = 4;  // parameters of a set that are tried one by one

/// Parameters that are stepped together.
struct Set {
  std::vector<const Parameter*> members;
  double priority = 0;
  double expected = 0;  // of a part: half of what all of which it is a part gained
};

class Search {
 public:
  Search(Itself itself, const std::filesystem::path& configs_dir, const NeighbourhoodOptions& options)
      : options_(options), steps_(itself.config, configs_dir) {
    result_.itself = std::move(itself);
    result_.runs = 1;
    result_.parameters = steps_.parameters().size();
  }

  Neighbourhood explore() {
    const std::vector<Step> of_program = steps_of_program();
    const std::uint64_t noise = std::clamp<std::uint64_t>(options_.budget / 8, 1, 16);
    const std::uint64_t program = std::min<std::uint64_t>(of_program.size(), options_.budget / 4);
    make_sets();
    search(options_.budget - std::min(options_.budget, noise + program));
    try_program(of_program, options_.budget - std::min(options_.budget, noise));
    measure_noise(noise);
    finish();
    return std::move(result_);
  }

 private:
  // What programs do not see.

  /// Share of the time that the accounts charge to the part of the machine that the group is.
  double weight(const std::string& group) const {
    for (std::size_t end = group.size(); end != std::string::npos && end != 0;) {
      const std::size_t dot = group.rfind('.', end - 1);
      const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
      const auto part = result_.itself.parts.find(group.substr(begin, end - begin));
      if (part != result_.itself.parts.end()) return part->second;
      end = dot;
    }
    return group.empty() ? 1 : 0;  // the machine itself
  }

  /// Groups by what the accounts say of them; those of which they say nothing are one set, the last one.
  void make_sets() {
    std::map<std::string, Set> by_group;
    for (const Parameter& one : steps_.parameters())
      if (!one.of_program && one.better) by_group[one.group].members.push_back(&one);
    Set rest;
    for (auto& [group, set] : by_group) {
      set.priority = weight(group);
      if (set.priority > 0) groups_.push_back(std::move(set));
      else rest.members.insert(rest.members.end(), set.members.begin(), set.members.end());
    }
    sort(groups_);

    if (!rest.members.empty()) groups_.push_back(std::move(rest));
  }

  static void sort(std::vector<Set>& sets) {
    std::stable_sort(sets.begin(), sets.end(),
                     [](const Set& a, const Set& b) { return a.priority > b.priority; });
  }

  /// Half of a batch goes deeper where the gain is the largest, the other half looks at the next groups.
  std::vector<Set> next_batch(std::uint64_t most) {
    std::vector<Set> batch;
    sort(parts_);
    const auto take = [&](std::vector<Set>& from, std::size_t count) {
      for (; count != 0 && !from.empty() && batch.size() < std::min<std::uint64_t>(kBatch, most); --count) {
        batch.push_back(std::move(from.front()));
        from.erase(from.begin());
      }
    };
    take(parts_, kBatch / 2);
    take(groups_, kBatch);
    take(parts_, kBatch);
    return batch;
  }

  void search(std::uint64_t until) {
    while (result_.runs < until) {
      std::vector<Set> batch = next_batch(until - result_.runs);
      if (batch.empty()) return;
      run_batch(batch);
    }
  }

  void run_batch(const std::vector<Set>& batch) {
    std::vector<Trial> trials;
    std::vector<std::size_t> of_trial;  // index in `batch`
    std::vector<Step> singles(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      std::vector<std::string> overrides;
      if (batch[i].members.size() == 1) {
        singles[i] = steps_.better(*batch[i].members.front());
        result_.tried.push_back(singles[i].key);
        if (!singles[i].refused.empty()) {
          result_.refused.push_back(singles[i]);
          continue;
        }
        overrides = singles[i].overrides;
      } else {
        overrides = steps_.together(batch[i].members, true);
      }
      trials.push_back(trial_of(overrides));
      of_trial.push_back(i);
    }
    run(trials);
    for (std::size_t k = 0; k < trials.size(); ++k) {
      const Set& set = batch[of_trial[k]];
      if (set.members.size() == 1) keep(singles[of_trial[k]], trials[k], result_.found);
      else divide(set, trials[k]);
    }
  }

  void divide(const Set& set, const Trial& trial) {
    double gain = options_.threshold;
    if (trial.refused.empty()) {
      gain = 1 - trial.cost.microseconds / result_.itself.cost.microseconds;
      if (std::fabs(gain) < options_.threshold / 2) {
        for (const Parameter* one : set.members) result_.without_effect.push_back(one->key);
        return;
      }
    }
    // Steps can undo each other's effects: a set that gains little may have a member that gains much.
    const double worth = std::max(gain > 0 ? gain : -gain / 4, set.expected);
    const auto part = [&](std::vector<const Parameter*> members) {
      const double pointed_at = weight(members.front()->group);
      parts_.push_back({std::move(members), worth * (0.5 + pointed_at), worth / 2});
    };
    std::map<std::string, std::vector<const Parameter*>> groups;
    for (const Parameter* one : set.members) groups[one->group].push_back(one);
    if (groups.size() > 1) {
      for (auto& [group, members] : groups) part(std::move(members));
      return;
    }
    const auto middle = set.members.begin() + static_cast<std::ptrdiff_t>(set.members.size() / 2);
    if (set.members.size() > kFew) {
      part({set.members.begin(), middle});
      part({middle, set.members.end()});
      return;
    }
    for (const Parameter* one : set.members) part({one});
  }

  // What programs see.

  std::vector<Step> steps_of_program() const {
    std::vector<std::pair<double, const Parameter*>> sorted;
    for (const Parameter& one : steps_.parameters())
      if (one.of_program) sorted.emplace_back(one.group == "power" ? 1 : weight(one.group), &one);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Step> steps;
    for (const auto& [unused, one] : sorted) {
      if (one->better) steps.push_back(steps_.better(*one));
      for (Step& choice : steps_.choices(*one)) steps.push_back(std::move(choice));
    }
    return steps;
  }

  void try_program(const std::vector<Step>& steps, std::uint64_t until) {
    std::vector<Trial> trials;
    std::vector<const Step*> of_trial;
    for (const Step& step : steps) {
      if (!step.refused.empty()) {
        result_.refused.push_back(step);
      } else if (result_.runs + trials.size() >= until) {
        result_.not_tried.push_back(step.key);
        continue;
      } else {
        trials.push_back(trial_of(step.overrides));
        of_trial.push_back(&step);
      }
      result_.tried.push_back(step.key);
    }
    run(trials);
    for (std::size_t i = 0; i < trials.size(); ++i) keep(*of_trial[i], trials[i], result_.of_program);
  }

  // Noise.

  /// Machines that are worse: half of them by the opposite of the steps that gain most, the others by a few parameters
  /// at random, the same ones in each search.
  void measure_noise(std::uint64_t count) {
    std::vector<std::vector<std::string>> machines;
    sort_by_gain(result_.found);
    for (const Neighbour& one : result_.found)
      if (const Parameter* known = parameter(one.step.key);
          known->worse && 2 * machines.size() < count && one.gain(result_.itself.cost) > 0)
        if (const Step worse = steps_.worse(*known); worse.refused.empty())
          machines.push_back(worse.overrides);
    std::vector<const Parameter*> all;
    for (const Parameter& one : steps_.parameters())
      if (!one.of_program && one.worse && weight(one.group) > 0) all.push_back(&one);
    std::mt19937_64 random(1);
    constexpr std::size_t kAtOnce = 3;
    for (std::size_t attempt = 0; attempt < 4 * count && machines.size() < count && !all.empty(); ++attempt) {
      std::set<const Parameter*> some;
      for (std::size_t i = 0; i < kAtOnce; ++i) some.insert(all[random() % all.size()]);
      std::vector<const Parameter*> in_order;
      std::copy_if(all.begin(), all.end(), std::back_inserter(in_order),
                   [&](const Parameter* one) { return some.count(one) != 0; });
      if (std::vector<std::string> overrides = steps_.together(in_order, false); !overrides.empty())
        machines.push_back(std::move(overrides));
    }
    std::vector<Trial> trials;
    for (const auto& overrides : machines) trials.push_back(trial_of(overrides));
    run(trials);
    for (const Trial& trial : trials) {
      if (!trial.refused.empty()) continue;
      ++result_.noise_runs;
      const double gain = 1 - trial.cost.microseconds / result_.itself.cost.microseconds;
      if (gain <= result_.noise) continue;
      result_.noise = gain;
      result_.noise_from = trial.overrides;
    }
  }

  // All of them.

  Trial trial_of(const std::vector<std::string>& overrides) const {
    Trial trial;
    trial.overrides = overrides;
    trial.mhz = steps_.mhz(overrides);
    return trial;
  }

  void run(std::vector<Trial>& trials) {
    run_trials(result_.itself.words, trials, options_.jobs);
    result_.runs += trials.size();
  }

  /// A step that was run, if it has an effect.
  void keep(const Step& step, const Trial& trial, std::vector<Neighbour>& list) {
    if (!trial.refused.empty()) {
      result_.refused.push_back(step);
      result_.refused.back().refused = trial.refused;
      return;
    }
    const RunCost &before = result_.itself.cost, &now = trial.cost;
    const Neighbour neighbour{step, now};
    const double energy = before.energy_uj && now.energy_uj && *before.energy_uj > 0
                              ? *now.energy_uj / *before.energy_uj - 1
                              : 0;
    const bool shows_energy = &list == &result_.of_program && std::fabs(energy) >= options_.threshold;
    if (std::fabs(neighbour.gain(before)) >= options_.threshold || shows_energy) list.push_back(neighbour);
  }

  const Parameter* parameter(const std::string& key) const {
    const auto found = std::find_if(steps_.parameters().begin(), steps_.parameters().end(),
                                    [&](const Parameter& one) { return one.key == key; });
    return &*found;
  }

  void sort_by_gain(std::vector<Neighbour>& list) const {
    std::stable_sort(list.begin(), list.end(), [&](const Neighbour& a, const Neighbour& b) {
      return a.gain(result_.itself.cost) > b.gain(result_.itself.cost);
    });
  }

  void finish() {
    sort_by_gain(result_.found);
    sort_by_gain(result_.of_program);
    std::uint64_t singles = 0;
    for (const std::vector<Set>* sets : {&groups_, &parts_})
      for (const Set& set : *sets)
        for (const Parameter* one : set.members) {
          result_.not_tried.push_back(one->key);
          ++singles;
        }
    // Sets on the way to single parameters are half as many as these, at most.
    result_.enough = result_.not_tried.empty()
                         ? result_.runs
                         : result_.runs * 8 / 7 + 2 * singles + 4 * (result_.not_tried.size() - singles) + 8;
    for (std::vector<std::string>* keys : {&result_.tried, &result_.without_effect, &result_.not_tried}) {
      std::sort(keys->begin(), keys->end());
      keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
    }
  }

  const NeighbourhoodOptions options_;
  const MachineSteps steps_;
  std::vector<Set> groups_;  // that were not run yet, in their order
  std::vector<Set> parts_;  // of sets that have an effect
  Neighbourhood result_;
};

}  // namespace

Neighbourhood neighbourhood(const std::vector<std::string>& words, const std::filesystem::path& configs_dir,
                            const NeighbourhoodOptions& options) {
  constexpr std::uint64_t kLeast =
      5;  // the run itself, one for noise, one for what programs see, two for the rest
  if (options.budget < kLeast)
    throw input::UserError(fmt::format("--budget {}: at least {} runs are needed", options.budget, kLeast));
  return Search(run_itself(words), configs_dir, options).explore();
}

}  // namespace spica::sweep
