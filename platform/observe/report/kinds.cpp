// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/kinds.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace spica::report {

namespace {

using Json = json::Value;

/// The name without the number at the end of each part.
std::string kind_of(std::string_view name) {
  std::string kind;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('.', start), name.size());
    std::string_view part = name.substr(start, end - start);
    const std::size_t last = part.find_last_not_of("0123456789");
    if (last != std::string_view::npos && last + 1 < part.size() && part[last] == '_')
      part = part.substr(0, last);
    kind.append(kind.empty() ? "" : ".").append(part);
    start = end + 1;
  }
  return kind;
}

struct Spread {
  std::uint64_t sum = 0, least = 0, most = 0;
  std::size_t count = 0;
  const std::string* largest = nullptr;

  void add(std::uint64_t value, const std::string& block) {
    sum += value;
    if (count == 0 || value > most) {
      most = value;
      largest = &block;
    }
    least = count == 0 ? value : std::min(least, value);
    ++count;
  }
  Json json() const {
    return {{"sum", sum},
            {"mean", static_cast<double>(sum) / static_cast<double>(count)},
            {"min", least},
            {"max", most},
            {"largest", *largest}};
  }
};

/// A counter has an empty reason.
struct Row {
  std::string_view name, reason;
  Spread spread;
};

/// What the blocks of a kind have counted, in the order in which its first block declares it.
class Kind {
 public:
  explicit Kind(const base::StatWindow* region) : region_(region) {}

  void add(const NamedStats& block) {
    next_ = 0;
    for (const base::StatGroup::Entry& entry : block.group->counters())
      count(entry.name, {}, region_ == nullptr ? entry.counter.value() : region_->value(entry.counter),
            block.name);
    const std::deque<base::CycleAccount>& accounts = block.group->accounts();
    for (std::size_t i = 0; i < accounts.size(); ++i)
      if (!is_one_of_several(accounts, i)) add(accounts[i], block.name);
    ++blocks_;
  }
  std::size_t blocks() const { return blocks_; }
  Json json() const {
    Json spreads = Json::object();
    for (const Row& row : rows_) {
      if (row.spread.count != blocks_) continue;
      Json& entry = spreads[std::string(row.name)];
      (row.reason.empty() ? entry : entry[std::string(row.reason)]) = row.spread.json();
    }
    return {{"blocks", blocks_}, {"spread", std::move(spreads)}};
  }

 private:
  static bool is_one_of_several(const std::deque<base::CycleAccount>& accounts, std::size_t i) {
    return (i > 0 && accounts[i - 1].name() == accounts[i].name()) ||
           (i + 1 < accounts.size() && accounts[i + 1].name() == accounts[i].name());
  }
  void add(const base::CycleAccount& account, const std::string& block) {
    std::vector<std::uint64_t> in_region;
    if (region_ != nullptr) in_region = region_->cycles(account);
    for (std::size_t i = 0; i < account.size(); ++i)
      count(account.name(), account.reason(i), region_ == nullptr ? account.cycles(i) : in_region[i], block);
  }
  /// Blocks of a kind declare their statistics in the same order, mostly.
  void count(std::string_view name, std::string_view reason, std::uint64_t value, const std::string& block) {
    const auto is_it = [&](const Row& row) { return row.name == name && row.reason == reason; };
    if (next_ >= rows_.size() || !is_it(rows_[next_]))
      next_ = static_cast<std::size_t>(std::find_if(rows_.begin(), rows_.end(), is_it) - rows_.begin());
    if (next_ == rows_.size()) rows_.push_back({name, reason, {}});
    rows_[next_++].spread.add(value, block);
  }

  const base::StatWindow* region_;
  std::vector<Row> rows_;
  std::size_t blocks_ = 0, next_ = 0;
};

}  // namespace

Json kinds_json(const std::vector<NamedStats>& groups, const base::StatWindow* region) {
  std::vector<std::pair<std::string, Kind>> kinds;
  std::unordered_map<std::string, std::size_t> places;
  for (const NamedStats& group : groups) {
    const auto [place, is_new] = places.try_emplace(kind_of(group.name), kinds.size());
    if (is_new) kinds.emplace_back(place->first, Kind(region));
    kinds[place->second].second.add(group);
  }
  Json result = Json::object();
  for (const auto& [name, kind] : kinds)
    if (kind.blocks() > 1) result[name] = kind.json();
  return result;
}

}  // namespace spica::report
