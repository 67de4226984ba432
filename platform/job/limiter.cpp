// SPDX-License-Identifier: Apache-2.0
#include "platform/job/limiter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

#include "platform/soc/blocks.h"
#include "platform/soc/soc.h"

namespace spica::job {

namespace {

/// Those that can have the sentence first, by rank.
bool comes_before(const base::BlockType* a, const base::BlockType* b) {
  const auto place = [](const base::BlockType* type) {
    return std::make_tuple(type->limiter.sentence.empty(), type->limiter.rank, type->order);
  };
  return place(a) < place(b);
}

}  // namespace

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

namespace {

/// What a reason means to a first-time reader: to who knows the block, or else to others.
std::string_view meaning(const base::BlockType& type, std::string_view reason) {
  for (const std::vector<base::Reason>* reasons : {&type.reasons, &reason_meanings()})
    for (const base::Reason& known : *reasons)
      if (known.name == reason) return known.waits_for;
  return reason;
}

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
const base::BlockType* worker(const soc::Soc& soc) {
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

std::string limiter(soc::Soc& soc) {
  const base::BlockType* type = worker(soc);
  if (type == nullptr) return "";
  const base::Limiter& of = type->limiter;
  std::vector<const base::CycleAccount*> accounts;
  for (base::Component* block : soc.components())
    if (&block->type() == type && (of.worked.empty() || soc::counted(block->stats(), of.worked) != 0))
      accounts.push_back(&soc::account(*block, of.account));
  double busy = 0;
  const Largest wait = largest_except(soc.region().window(), accounts, of.busy, busy);
  return fmt::format("{} {:.0f} % of the {}; most of the rest ({:.0f} %) is spent waiting for {}.",
                     of.sentence, 100 * busy, soc.region().complete() ? "timed region" : "run",
                     100 * wait.share, meaning(*type, wait.reason));
}

}  // namespace spica::job
