// SPDX-License-Identifier: Apache-2.0
#include "platform/run/limiter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

#include "platform/machine/soc/blocks.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/run/limiter_words.h"

namespace spica::job {

bool comes_before(const base::BlockType* a, const base::BlockType* b) {
  const auto place = [](const base::BlockType* type) {
    return std::make_tuple(type->limiter.sentence.empty(), type->limiter.rank, type->order);
  };
  return place(a) < place(b);
}

const std::vector<base::Reason>& reason_meanings() {
  static const std::vector<base::Reason> meanings = [] {
    std::vector<const base::BlockType*> types = base::block_types();
    std::stable_sort(types.begin(), types.end(), comes_before);
    std::vector<base::Reason> all;
    for (const base::BlockType* type : types)
      for (const base::Reason& reason : type->reasons)
        if (std::none_of(all.begin(), all.end(),
                         [&](const base::Reason& known) { return known.name == reason.name; }))
          all.push_back(reason);
    return all;
  }();
  return meanings;
}

std::string_view meaning(const base::BlockType& type, std::string_view reason) {
  for (const std::vector<base::Reason>* reasons : {&type.reasons, &reason_meanings()})
    for (const base::Reason& known : *reasons)
      if (known.name == reason) return known.waits_for;
  return reason;
}

namespace {

struct Largest {
  std::string_view reason;
  double share = 0;
};

/// Shares of an account group; `busy` is left out.
Largest largest_except(const base::StatWindow& window, const std::vector<const base::CycleAccount*>& accounts,
                       std::string_view busy, double& busy_share) {
  std::vector<std::uint64_t> cycles(accounts.front()->size(), 0);
  std::uint64_t total = 0;
  for (const base::CycleAccount* account : accounts) {
    const std::vector<std::uint64_t> spent = window.cycles(*account);
    for (std::size_t i = 0; i < spent.size(); ++i) cycles[i] += spent[i];
    total += std::accumulate(spent.begin(), spent.end(), std::uint64_t{0});
  }
  Largest largest;
  busy_share = 0;
  if (total == 0) return largest;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const double share = static_cast<double>(cycles[i]) / static_cast<double>(total);
    if (accounts.front()->reason(i) == busy) busy_share = share;
    else if (share > largest.share) largest = {accounts.front()->reason(i), share};
  }
  return largest;
}

/// The type of the blocks that did the work of the run; nullptr when none says that it can.
const base::BlockType* worker(const soc::MeasuredMachine& soc) {
  const base::BlockType* first = nullptr;
  for (base::Component* block : soc.components()) {
    const base::BlockType& type = block->type();
    const base::Limiter& limiter = type.limiter;
    if (limiter.sentence.empty()) continue;
    if (!limiter.worked.empty() && soc::counted(block->stats(), limiter.worked) == 0) continue;
    if (first == nullptr || comes_before(&type, first)) first = &type;
  }
  return first;
}

}  // namespace

std::vector<ChannelUse> channel_use(soc::MeasuredMachine& soc) {
  std::vector<std::pair<unsigned, ChannelUse>> found;  // by the order of the type
  const base::StatWindow window = soc.region().window();
  for (base::Component* block : soc.components())
    for (const base::Channel& channel : block->type().channels) {
      const double peak = channel.peak.empty() ? 1 : soc::property(*block, channel.peak);
      const double room = peak * static_cast<double>(soc.region().cycles(*block));
      if (room <= 0) continue;  // not known, or no time
      const double full = static_cast<double>(soc::counted(window, block->stats(), channel.counters)) / room;
      const auto known = std::find_if(found.begin(), found.end(),
                                      [&](const auto& one) { return one.second.name == channel.name; });
      if (known == found.end()) found.push_back({block->type().order, {std::string(channel.name), full}});
      else known->second.full = std::max(known->second.full, full);
    }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<ChannelUse> channels;
  for (auto& [order, channel] : found) channels.push_back(std::move(channel));
  return channels;
}

namespace {

/// Follows waits from block to block.
class TimeByPart {
 public:
  explicit TimeByPart(soc::MeasuredMachine& soc) : soc_(soc), window_(soc.region().window()) {}

  std::vector<PartTime> follow(const base::BlockType& type) {
    spread(type, 1);
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const PartTime& a, const PartTime& b) { return a.share > b.share; });
    return std::move(parts_);
  }

 private:
  static constexpr double kLeast = 0.001;  // shares that are not followed

  /// `share` of the time was spent on blocks of this type, or waited for them.
  void spread(const base::BlockType& type, double share) {
    path_.push_back(&type);
    double own = share;
    for (const auto& [reason, part] : shares_of(type, path_.size() == 1)) {
      bool has_successor = false;
      for (const base::Reason& known : type.reasons)
        if (known.name == reason)
          for (const std::string_view name : known.blocks)
            if (const base::BlockType* next = type_in_machine(name);
                next != nullptr && part * share >= kLeast &&
                std::find(path_.begin(), path_.end(), next) == path_.end()) {
              spread(*next, part * share);
              has_successor = true;
            }
      if (has_successor) own -= part * share;
    }
    path_.pop_back();
    add(type.parameters.empty() ? type.name : type.parameters, own);
  }

  /// Of all blocks of a type, by reason. `whole`: of all their time; else of that in which they were not idle.
  std::vector<std::pair<std::string_view, double>> shares_of(const base::BlockType& type, bool whole) const {
    std::vector<std::pair<std::string_view, double>> shares;
    double total = 0;
    for (base::Component* block : soc_.components()) {
      if (&block->type() != &type) continue;
      for (const base::CycleAccount& account : block->stats().accounts()) {
        if (whole ? account.name() != type.limiter.account : !leads_on(type, account)) continue;
        const std::vector<std::uint64_t> cycles = window_.cycles(account);
        for (std::size_t i = 0; i < account.size(); ++i) {
          if (!whole && account.reason(i) == "idle") continue;
          total += static_cast<double>(cycles[i]);
          shares.emplace_back(account.reason(i), static_cast<double>(cycles[i]));
        }
      }
    }
    if (total <= 0) return {};
    std::vector<std::pair<std::string_view, double>> sums;
    for (const auto& share : shares) {
      const auto known =
          std::find_if(sums.begin(), sums.end(), [&](const auto& one) { return one.first == share.first; });
      if (known == sums.end()) sums.emplace_back(share.first, share.second / total);
      else known->second += share.second / total;
    }
    return sums;
  }

  /// True if some of its waits are for other blocks.
  static bool leads_on(const base::BlockType& type, const base::CycleAccount& account) {
    for (std::size_t i = 0; i < account.size(); ++i)
      for (const base::Reason& known : type.reasons)
        if (known.name == account.reason(i) && !known.blocks.empty()) return true;
    return false;
  }

  const base::BlockType* type_in_machine(std::string_view name) const {
    for (const base::Component* block : soc_.components())
      if (block->type().name == name) return &block->type();
    return nullptr;
  }

  void add(std::string_view part, double share) {
    if (share < kLeast) return;
    for (PartTime& known : parts_)
      if (known.part == part) {
        known.share += share;
        return;
      }
    parts_.push_back({std::string(part), share});
  }

  soc::MeasuredMachine& soc_;
  const base::StatWindow window_;
  std::vector<const base::BlockType*> path_;
  std::vector<PartTime> parts_;
};

}  // namespace

std::vector<PartTime> time_by_part(soc::MeasuredMachine& soc) {
  const base::BlockType* type = worker(soc);
  return type == nullptr ? std::vector<PartTime>() : TimeByPart(soc).follow(*type);
}

std::string nearly_full(const std::vector<ChannelUse>& channels) {
  constexpr double kNearlyFull = 0.75;
  std::string text;
  for (const ChannelUse& one : channels)
    if (one.full >= kNearlyFull)
      text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", one.name, 100 * one.full);
  return text;
}

namespace {

/// " Nearly full: main memory 89 %."
std::string full_channels(const std::vector<ChannelUse>& channels) {
  const std::string text = nearly_full(channels);
  return text.empty() ? "" : fmt::format(" Nearly full: {}.", text);
}

/// " Limits: l2 31 % (room behind the cache).": waits of shared blocks that no other block explains, each of the block
/// of its type that waited longest.
std::string limits(soc::MeasuredMachine& soc) {
  constexpr double kLeast = 0.05;
  std::vector<std::pair<const base::BlockType*, Largest>> found;
  const base::StatWindow window = soc.region().window();
  const auto add = [&](const base::BlockType& type, const Largest& limit) {
    for (auto& [known, largest] : found)
      if (known == &type && largest.reason == limit.reason) {
        largest.share = std::max(largest.share, limit.share);
        return;
      }
    found.emplace_back(&type, limit);
  };
  for (base::Component* block : soc.components()) {
    const base::BlockType& type = block->type();
    if (!type.limiter.sentence.empty()) continue;  // it computes, and is not shared
    for (const base::CycleAccount& account : block->stats().accounts()) {
      const std::vector<std::uint64_t> cycles = window.cycles(account);
      const auto total = static_cast<double>(std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0}));
      for (std::size_t i = 0; i < cycles.size(); ++i)
        for (const base::Reason& reason : type.reasons)
          if (const auto held = static_cast<double>(cycles[i]);
              reason.name == account.reason(i) && reason.blocks.empty() && held > kLeast * total)
            add(type, {reason.waits_for, held / total});
    }
  }
  std::string text;
  for (const auto& [type, limit] : found)
    text += fmt::format("{}{} {:.0f} % ({})", text.empty() ? " Limits: " : ", ", type->name,
                        100 * limit.share, limit.reason);
  return text.empty() ? "" : text + ".";
}

}  // namespace

std::string limiter(soc::MeasuredMachine& soc) {
  const base::BlockType* type = worker(soc);
  if (type == nullptr) return "";
  const base::Limiter& of = type->limiter;
  std::vector<const base::CycleAccount*> accounts;
  for (base::Component* block : soc.components())
    if (&block->type() == type && (of.worked.empty() || soc::counted(block->stats(), of.worked) != 0))
      accounts.push_back(&soc::account(*block, of.account));
  double busy = 0;
  const Largest wait = largest_except(soc.region().window(), accounts, of.busy, busy);
  return fmt::format("{} {:.0f} % of the {}; most of the rest ({:.0f} %) is spent waiting for {}.{}{}",
                     of.sentence, 100 * busy, soc.region().complete() ? "timed region" : "run",
                     100 * wait.share, meaning(*type, wait.reason), full_channels(channel_use(soc)),
                     limits(soc));
}

}  // namespace spica::job
