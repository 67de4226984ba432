// SPDX-License-Identifier: Apache-2.0
#include "models/base/stats.h"

#include <numeric>
#include <utility>

#include "models/base/invariant.h"

namespace spica::base {

std::string_view unit_name(Unit unit) {
  switch (unit) {
    case Unit::kCount: return "count";
    case Unit::kCycles: return "cycles";
    case Unit::kBytes: return "bytes";
    case Unit::kWords: return "words";
    case Unit::kInstructions: return "instructions";
  }
  return "?";
}

CycleAccount::CycleAccount(std::string_view name, std::string_view description,
                           std::vector<std::string_view> reasons)
    : name_(name), description_(description), reasons_(std::move(reasons)) {
  SPICA_INVARIANT(reasons_.size() <= kMostReasons);
}

void CycleAccount::reset(Cycle now) {
  cycles_.fill(0);
  current_ = 0;
  since_ = now;
  start_ = now;
}

std::uint64_t CycleAccount::total() const {
  return std::accumulate(cycles_.begin(), cycles_.end(), std::uint64_t{0});
}

Counter::Counter(StatGroup& group, std::string_view name, Unit unit, std::string_view description) {
  group.counters_.push_back({name, unit, description, *this});
}

Counter& StatGroup::counter(std::string name, Unit unit, std::string description) {
  const std::string& kept_name = texts_.emplace_back(std::move(name));
  const std::string& kept_description = texts_.emplace_back(std::move(description));
  return values_.emplace_back(*this, kept_name, unit, kept_description);
}

CycleAccount& StatGroup::account(std::string_view name, std::string_view description,
                                 std::vector<std::string_view> reasons) {
  return accounts_.emplace_back(name, description, std::move(reasons));
}

void StatGroup::reset(Cycle now) {
  for (Entry& entry : counters_) entry.counter.reset();
  for (CycleAccount& account : accounts_) account.reset(now);
}

void StatGroup::settle(Cycle now) {
  for (CycleAccount& account : accounts_) account.settle(now);
}

}  // namespace spica::base
