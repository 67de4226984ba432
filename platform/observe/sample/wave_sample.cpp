// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/sample/wave_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace spica::sample {

namespace {

constexpr std::uint64_t kHead = 2;  // waves at the begin
constexpr std::uint64_t kWavesOfPair = 3;  // with its warm-up
constexpr std::size_t kMostSegments = 4000;  // soc::LaunchSeries accounts for each below 4,096

/// Of this number of waves.
std::uint64_t first_strata(std::uint64_t waves, const WavePlan& plan) {
  return std::clamp<std::uint64_t>(waves / kWavesOfPair, 1, plan.strata);
}
constexpr std::size_t kFewestDifferences = 5;  // for a significant one
constexpr std::uint64_t kWavesOfTurn = 3, kShortestRow = 8, kFewestMiddle = 12;

/// Waves of the first strata, at most.
std::uint64_t first_waves(std::uint64_t strata, const WavePlan& plan) {
  const std::uint64_t pairs = (strata + plan.pair_every - 1) / plan.pair_every;
  return kWavesOfPair * pairs + 2 * (strata - pairs);
}

bool has_rows(const WavePlan& plan) { return plan.row >= kShortestRow; }
/// Waves at the begin: with rows two of them and the turn behind them.
std::uint64_t first_in_order(const WavePlan& plan) {
  return has_rows(plan) ? 2 * plan.row + kWavesOfTurn - 1 : kHead;
}

}  // namespace

WaveSample::WaveSample(std::uint64_t groups, std::uint64_t per_wave, const WavePlan& plan,
                       const SampleOptions& options, SegmentQueue& queue, Measure measure, Filled filled)
    : groups_(groups),
      per_wave_(per_wave),
      waves_(groups / per_wave),
      plan_(plan),
      options_(options),
      queue_(queue),
      measure_(std::move(measure)),
      filled_(std::move(filled)) {
  if (whole()) {
    always_.push_back(add(0, groups_));
    queue_.close();
    return;
  }
  next_ = head_ = first_in_order(plan_);
  if (has_rows(plan_)) begin_rows();
  else always_.push_back(add(0, head_ * per_wave_));
  queue_.on_empty([this] { refill(); });
}

/// The second row begins with the end of a turn and ends with the begin of one.
void WaveSample::begin_rows() {
  rows_.emplace();
  const std::uint64_t inside = plan_.row + kWavesOfTurn - 1, turn = 2 * plan_.row - 1;
  always_.push_back(add(0, inside * per_wave_));
  rows_->inside = add(inside * per_wave_, turn * per_wave_);
  rows_->turn = add(turn * per_wave_, head_ * per_wave_);
  always_.insert(always_.end(), {rows_->inside, rows_->turn});
}

/// Extends the begin until the caches are filled, but leaves room for the smallest sample; then draws the waves.
void WaveSample::start() {
  const std::uint64_t left = waves_ - head_;
  const double smallest =
      static_cast<double>((first_waves(first_strata(left, plan_), plan_) + 3) * per_wave_);
  if (filled_ && !filled_(head_) && left > kFewestWaves &&
      static_cast<double>(planned_) + smallest < allowed()) {
    always_.push_back(add(head_ * per_wave_, (head_ + 1) * per_wave_));
    next_ = ++head_;
    return;
  }
  cold_ = filled_ && !filled_(head_);
  draw();
  add_waves();
}

/// Waves of the middle but those of turns, and the strata of them.
void WaveSample::draw() {
  const std::uint64_t end = waves_ - 1;
  if (rows_)
    for (std::uint64_t wave = head_; wave < end; ++wave) {
      if (!is_in_turn(wave)) rows_->drawn_from.push_back(wave);
      else if (wave % plan_.row == 0) ++rows_->turns;
    }
  const std::uint64_t drawn = rows_ ? rows_->drawn_from.size() : middle();
  strata_.emplace(drawn, first_strata(drawn, plan_), options_.seed, plan_.last_alone);
  for (std::size_t i = plan_.pair_every / 2; i < strata_->all().size(); i += plan_.pair_every)
    paired_.insert(wave_of(strata_->all()[i]));
  // With the pairs: a wave is known when the next one has begun.
  if (plan_.last_alone) paired_.insert(wave_of(strata_->all().back()));
}

std::uint64_t WaveSample::wave_of(const Stratum& one) const {
  return rows_ ? rows_->drawn_from[one.drawn] : head_ + one.drawn;
}

/// Of a whole turn in the middle.
bool WaveSample::is_in_turn(std::uint64_t wave) const {
  const std::uint64_t row = (wave + 1) / plan_.row, from = row * plan_.row - 1;
  return rows_ && wave < from + kWavesOfTurn && from >= head_ && from + kWavesOfTurn <= waves_ - 1;
}

std::string WaveSample::refusal(std::uint64_t waves, const std::string& what, const WavePlan& plan,
                                const SampleOptions& options) {
  if (options.whole()) return "";
  if (waves < kFewestWaves) return fmt::format("{}; a sample needs at least {}", what, kFewestWaves);
  const std::uint64_t head = first_in_order(plan);
  if (waves < head + kFewestMiddle)
    return fmt::format("{}; the first two rows are {} of them, a sample needs at least {}", what, head,
                       head + kFewestMiddle);
  const std::uint64_t fewest = head + first_waves(first_strata(waves - head - 1, plan), plan) + 2;
  const double least = static_cast<double>(fewest) / static_cast<double>(waves);
  if (least > options.most)
    return fmt::format("{}; the smallest sample has {}, {:.1f} %, but max is {:.1f} %", what, fewest,
                       100 * least, 100 * options.most);
  return "";
}

std::size_t WaveSample::add(std::uint64_t begin, std::uint64_t end) {
  queue_.add({begin, end});
  planned_ += end - begin;
  return segments_++;
}

/// The waves of all strata that were not measured yet, in ascending order; first the pairs. False: there was none.
bool WaveSample::add_waves() {
  std::map<std::uint64_t, bool> wanted;  // true: after a warm-up
  const std::uint64_t end = waves_ - 1;
  for (const Stratum& one : strata_->all()) {
    const std::uint64_t wave = wave_of(one);
    const bool pair = paired_.count(wave) != 0;
    if (pairs_only_ && !pair) continue;
    wanted.emplace(wave, pair || warm_up_);
    if (pair && one.size() > 1 && wave + 1 < end) wanted.emplace(wave + 1, true);
  }
  unsigned warm = 2;
  bool any = false;
  for (const auto& [wave, warmed] : wanted) {
    if (measured_.count(wave) != 0) continue;
    std::optional<std::size_t> before;
    if (next_ == wave) {
      ++warm;
    } else {
      if (warmed) before = add((wave - 1) * per_wave_, wave * per_wave_);
      if (is_in_turn(wave - 1)) before.reset();
      warm = warmed ? 1 : 0;
    }
    measured_[wave] = {add(wave * per_wave_, (wave + 1) * per_wave_), warm, before};
    next_ = wave + 1;
    any = true;
  }
  return any;
}

/// False if the waves of the pairs take as much as those right before them, within a quarter of the error.
bool WaveSample::needs_warm_up() const {
  std::vector<std::vector<double>> differences;
  std::vector<double> sums;
  for (const auto& [wave, one] : measured_) {
    const auto values = measure_(one.segment);
    const auto before = one.before ? measure_(*one.before) : std::nullopt;
    if (!values || !before) continue;
    differences.resize(values->size());
    sums.resize(values->size());
    for (std::size_t i = 0; i < values->size(); ++i) {
      differences[i].push_back((*values)[i] - (*before)[i]);
      sums[i] += (*values)[i];
    }
  }
  if (differences.empty()) return true;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const Bias bias = mean_difference(differences[i]);
    const double mean = sums[i] / static_cast<double>(differences[i].size());
    if (std::abs(bias.mean) + 2 * bias.error > options_.error / 4 * mean) return true;
  }
  return false;
}

void WaveSample::add_tail() {
  const std::uint64_t begin = waves_ - 1;
  if (next_ != begin) add((begin - 1) * per_wave_, begin * per_wave_);
  always_.push_back(add(begin * per_wave_, groups_));
  queue_.close();
}

void WaveSample::refill() {
  if (!strata_) {
    start();
    return;
  }
  if (std::exchange(pairs_only_, false)) {
    warm_up_ = needs_warm_up();
    if (add_waves()) return;
  }
  while (refine())
    if (add_waves()) return;
  add_tail();
}

/// Halves strata where the interval is too wide, as far as `max` allows. False: there was none.
bool WaveSample::refine() {
  const std::size_t before = strata_->all().size();
  const double room = allowed() - static_cast<double>(planned_ + 2 * per_wave_);
  const double pairs = std::max(0.0, room / static_cast<double>(kWavesOfPair * per_wave_));
  const std::size_t most = std::min(static_cast<std::size_t>(pairs),
                                    (kMostSegments - std::min(kMostSegments, segments_)) / kWavesOfPair);
  std::vector<Estimate> estimates;
  const std::vector<Projected> metrics = project_known(measure_, estimates);
  std::set<std::size_t> chosen;
  bool more_pairs = plan_.pair_every == 1;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const double wanted = options_.error * metrics[i].nominal;
    if (metrics[i].half_width() <= wanted || metrics[i].least_bias > 0.8 * wanted) continue;
    const double least = metrics[i].least_bias;
    if (metrics[i].bias - least > (wanted - least) / 2) {  // measured better with more pairs
      more_pairs = true;
      for (std::size_t stratum = 0; stratum < std::min(most, strata_->all().size()); ++stratum)
        chosen.insert(stratum);
    }
    const double left = std::max(wanted - metrics[i].bias, wanted / 3);
    for (const std::size_t stratum : strata_to_split(strata_->all(), estimates[i], left))
      if (chosen.size() < most) chosen.insert(stratum);
  }
  strata_->split({chosen.begin(), chosen.end()});
  if (more_pairs)
    for (const Stratum& one : strata_->all())
      if (measured_.count(wave_of(one)) == 0) paired_.insert(wave_of(one));
  return strata_->all().size() > before;
}

std::optional<std::vector<double>> WaveSample::of_wave(std::uint64_t wave, const Measure& measure) const {
  const auto found = measured_.find(wave);
  return found == measured_.end() ? std::nullopt : measure(found->second.segment);
}

std::vector<Projected> WaveSample::project_known(const Measure& measure,
                                                 std::vector<Estimate>& estimates) const {
  std::vector<double> always;
  const auto add_to = [](std::vector<double>& sum, const std::vector<double>& values) {
    sum.resize(std::max(sum.size(), values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) sum[i] += values[i];
  };
  for (const std::size_t segment : always_)
    if (const auto values = measure(segment)) add_to(always, *values);
  std::vector<Projected> metrics(always.size());
  for (std::size_t i = 0; i < always.size(); ++i) metrics[i].nominal = always[i];
  if (whole()) return metrics;

  std::vector<std::vector<Observed>> observed(always.size());  // by metric and stratum
  Differences differences{std::vector<std::vector<double>>(always.size()),
                          std::vector<std::vector<double>>(always.size())};
  Standing standing;
  for (const Stratum& stratum : strata_->all()) {
    const std::uint64_t wave = wave_of(stratum);
    const auto found = measured_.find(wave);
    const unsigned warm = found == measured_.end() ? 1 : found->second.warm;
    const auto first = of_wave(wave, measure);
    const bool has_second = stratum.size() > 1 && !is_in_turn(wave + 1);
    const auto second = has_second ? of_wave(wave + 1, measure) : std::nullopt;
    const auto before = first && found->second.before ? measure(*found->second.before) : std::nullopt;
    const bool second_inside = stratum.drawn + 1 < stratum.end;
    (second || stratum.size() == 1 ? standing.paired
     : warm == 0                   ? standing.cold
                                   : standing.warm) += static_cast<double>(stratum.size());
    // The wave that is not over yet: until then it is taken for the one before.
    for (std::size_t i = 0; i < always.size(); ++i) {
      Observed one = observed[i].empty() ? Observed() : observed[i].back();
      if (first) one = {(*first)[i], 1};
      if (first && second) {
        one = {((*first)[i] + (*second)[i]) / 2, second_inside ? 2u : 1u};
        if (warm == 1) differences.second[i].push_back((*second)[i] - (*first)[i]);
      }
      if (before) differences.first[i].push_back((*first)[i] - (*before)[i]);
      observed[i].push_back(one);
    }
  }
  const auto inside = rows_ ? measure(rows_->inside) : std::nullopt,
             turn = rows_ ? measure(rows_->turn) : std::nullopt;
  for (std::size_t i = 0; i < always.size(); ++i) {
    estimates.push_back(estimate(strata_->all(), observed[i], options_.confidence));
    if (inside && turn) add_rows(metrics[i], estimates[i], (*inside)[i], (*turn)[i]);
    else metrics[i].nominal += estimates[i].total;
    metrics[i].sampling = estimates[i].half_width;
    const bool all = std::all_of(strata_->all().begin(), strata_->all().end(),
                                 [](const Stratum& stratum) { return stratum.size() == 1; });
    if (!all) add_bias(metrics[i], standing, differences.second[i], differences.first[i]);
  }
  return metrics;
}

/// Adds the waves of the middle. `inside`, `turn`: of the second row, which was simulated in order. What it says of them and
/// what waves behind a jump say are two estimates: the result is between them, and their distance is a part of the bias.
void WaveSample::add_rows(Projected& metric, Estimate& drawn, double inside, double turn) const {
  const double waves = static_cast<double>(rows_->drawn_from.size());
  const double in_order = waves * inside / static_cast<double>(plan_.row - kWavesOfTurn);
  const double turns = static_cast<double>(rows_->turns) * turn;
  const double ratio = in_order > 0 ? drawn.total / in_order : 1;
  const double by_order = in_order + turns, by_jumps = drawn.total + ratio * turns;
  metric.nominal += (by_order + by_jumps) / 2;
  const double distance = std::abs(by_order - by_jumps) / 2;
  metric.bias += distance;
  metric.least_bias += distance;
  if (drawn.total > 0) drawn.half_width *= by_jumps / drawn.total;
}

/// The mean of a pair has half of the bias of its first wave; a wave without warm-up also that of the warm-up.
void WaveSample::add_bias(Projected& metric, const Standing& standing, const std::vector<double>& second,
                          const std::vector<double>& first) const {
  const auto add = [&metric](const std::vector<double>& differences, double units, double paired) {
    const Bias bias = mean_difference(differences);
    metric.bias += std::abs(bias.mean) * (units + paired / 2);
    if (differences.size() < kFewestDifferences) return;
    const double least = std::max(0.0, std::abs(bias.mean) - 2 * bias.error) * (units + paired / 2);
    metric.least_bias += least;
    if (least > 0) metric.sampling = std::hypot(metric.sampling, bias.error * (units + paired));
  };
  add(second, standing.warm + standing.cold, standing.paired);
  if (standing.cold > 0) add(first, standing.cold, 0);
}

std::vector<Projected> WaveSample::project(const Measure& measure) const {
  std::vector<Estimate> estimates;
  return project_known(measure, estimates);
}

std::uint64_t WaveSample::measured_waves() const { return whole() ? waves_ : measured_.size() + head_ + 1; }

bool WaveSample::reached(const std::vector<Projected>& metrics) const {
  return std::all_of(metrics.begin(), metrics.end(), [this](const Projected& one) {
    return one.half_width() <= options_.error * one.nominal + 1e-9;
  });
}

}  // namespace spica::sample
