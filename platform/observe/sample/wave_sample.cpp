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
std::uint64_t first_strata(std::uint64_t waves) {
  return std::clamp<std::uint64_t>(waves / kWavesOfPair, 1, WaveSample::kFirstStrata);
}

}  // namespace

WaveSample::WaveSample(std::uint64_t groups, std::uint64_t per_wave, const SampleOptions& options,
                       SegmentQueue& queue, Measure measure, Filled filled)
    : groups_(groups),
      per_wave_(per_wave),
      waves_(groups / per_wave),
      options_(options),
      queue_(queue),
      measure_(std::move(measure)),
      filled_(std::move(filled)),
      whole_(options.error == 0) {
  if (whole_) {
    always_.push_back(add(0, groups_));
    queue_.close();
    return;
  }
  always_.push_back(add(0, kHead * per_wave_));
  next_ = head_ = kHead;
  queue_.on_empty([this] { refill(); });
}

/// Extends the begin until the caches are filled, but leaves room for the smallest sample; then draws the waves.
void WaveSample::start() {
  const std::uint64_t left = waves_ - head_;
  const double smallest = static_cast<double>((kWavesOfPair * first_strata(left) + 3) * per_wave_);
  if (filled_ && !filled_(head_) && left > kFewestWaves &&
      static_cast<double>(planned_) + smallest < allowed()) {
    always_.push_back(add(head_ * per_wave_, (head_ + 1) * per_wave_));
    next_ = ++head_;
    return;
  }
  cold_ = filled_ && !filled_(head_);
  strata_.emplace(middle(), first_strata(middle()), options_.seed);
  add_pairs();
}

std::string WaveSample::refusal(std::uint64_t groups, std::uint64_t per_wave, const SampleOptions& options) {
  if (options.error == 0) return "";
  const std::uint64_t waves = groups / per_wave;
  if (waves < kFewestWaves)
    return fmt::format(
        "the grid has {} work groups, the machine holds {} at once: {} whole waves; a sample needs at least {}",
        groups, per_wave, waves, kFewestWaves);
  const std::uint64_t fewest = kHead + kWavesOfPair * first_strata(waves - kHead - 1) + 2;
  const double least = static_cast<double>(fewest) / static_cast<double>(waves);
  if (least > options.most)
    return fmt::format(
        "the grid has {} waves of work groups, the smallest sample {}: {:.1f} %, but max is {:.1f} %", waves,
        fewest, 100 * least, 100 * options.most);
  return "";
}

std::size_t WaveSample::add(std::uint64_t begin, std::uint64_t end) {
  queue_.add({begin, end});
  planned_ += end - begin;
  return segments_++;
}

/// The pairs of all strata that were not measured yet, in ascending order. False: there was none.
bool WaveSample::add_pairs() {
  std::set<std::uint64_t> wanted;
  const std::uint64_t end = waves_ - 1;
  for (const Stratum& one : strata_->all()) {
    const std::uint64_t wave = head_ + one.drawn;
    wanted.insert(wave);
    if (one.size() > 1 && wave + 1 < end) wanted.insert(wave + 1);
  }
  unsigned warm = 2;
  bool any = false;
  for (const std::uint64_t wave : wanted) {
    if (measured_.count(wave) != 0) continue;
    if (next_ == wave) {
      ++warm;
    } else {
      add((wave - 1) * per_wave_, wave * per_wave_);
      warm = 1;
    }
    measured_[wave] = {add(wave * per_wave_, (wave + 1) * per_wave_), warm};
    next_ = wave + 1;
    any = true;
  }
  return any;
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
  refine();
  if (!add_pairs()) add_tail();
}

/// Halves strata where the interval is too wide, as far as `max` allows.
void WaveSample::refine() {
  const double room = allowed() - static_cast<double>(planned_ + 2 * per_wave_);
  const double pairs = std::max(0.0, room / static_cast<double>(kWavesOfPair * per_wave_));
  const std::size_t most = std::min(static_cast<std::size_t>(pairs),
                                    (kMostSegments - std::min(kMostSegments, segments_)) / kWavesOfPair);
  std::vector<Estimate> estimates;
  const std::vector<Projected> metrics = project_known(measure_, estimates);
  std::set<std::size_t> chosen;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const double wanted = options_.error * metrics[i].nominal;
    if (metrics[i].half_width() <= wanted || metrics[i].least_bias > 0.8 * wanted) continue;
    if (metrics[i].bias > wanted / 2)  // measured better with more pairs
      for (std::size_t stratum = 0; stratum < std::min(most, strata_->all().size()); ++stratum)
        chosen.insert(stratum);
    const double left = std::max(wanted - metrics[i].bias, wanted / 3);
    for (const std::size_t stratum : strata_to_split(strata_->all(), estimates[i], left))
      if (chosen.size() < most) chosen.insert(stratum);
  }
  strata_->split({chosen.begin(), chosen.end()});
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
  if (whole_) return metrics;

  // By metric: observations by stratum, and differences between the waves of a pair.
  std::vector<std::vector<Observed>> observed(always.size());
  std::vector<std::vector<double>> differences(always.size());
  for (const Stratum& stratum : strata_->all()) {
    const std::uint64_t wave = head_ + stratum.drawn;
    const auto first = of_wave(wave, measure);
    const auto second = stratum.size() > 1 ? of_wave(wave + 1, measure) : std::nullopt;
    const bool second_inside = stratum.drawn + 1 < stratum.end;
    for (std::size_t i = 0; i < always.size(); ++i) {
      Observed one = observed[i].empty() ? Observed() : observed[i].back();
      if (first) one = {(*first)[i], 1};
      if (first && second) {
        one = {((*first)[i] + (*second)[i]) / 2, second_inside ? 2u : 1u};
        if (measured_.at(wave).warm == 1) differences[i].push_back((*second)[i] - (*first)[i]);
      }
      observed[i].push_back(one);
    }
  }
  const auto waves = static_cast<double>(middle());
  for (std::size_t i = 0; i < always.size(); ++i) {
    estimates.push_back(estimate(strata_->all(), observed[i], options_.confidence));
    metrics[i].nominal += estimates[i].total;
    metrics[i].sampling = estimates[i].half_width;
    const bool all = std::all_of(strata_->all().begin(), strata_->all().end(),
                                 [](const Stratum& stratum) { return stratum.size() == 1; });
    if (all) continue;
    // The mean of a pair has half of the bias of its first wave.
    const Bias bias = mean_difference(differences[i]);
    metrics[i].bias = std::abs(bias.mean) * waves / 2;
    metrics[i].least_bias = std::max(0.0, std::abs(bias.mean) - 2 * bias.error) * waves / 2;
    if (metrics[i].least_bias > 0) metrics[i].sampling = std::hypot(metrics[i].sampling, bias.error * waves);
  }
  return metrics;
}

std::vector<Projected> WaveSample::project(const Measure& measure) const {
  std::vector<Estimate> estimates;
  return project_known(measure, estimates);
}

std::uint64_t WaveSample::measured_waves() const { return whole_ ? waves_ : measured_.size() + head_ + 1; }

bool WaveSample::reached(const std::vector<Projected>& metrics) const {
  return std::all_of(metrics.begin(), metrics.end(), [this](const Projected& one) {
    return one.half_width() <= options_.error * one.nominal + 1e-9;
  });
}

}  // namespace spica::sample
