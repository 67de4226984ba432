// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/barrier_rules.h"

#include <fmt/format.h>

namespace spica::check {

void BarrierRules::arrive(base::Cycle cycle, const protocol::Origin& origin, unsigned warp, unsigned id,
                          unsigned count) {
  Accessor accessor;
  accessor.what = Accessor::What::kBarrier;
  accessor.core = origin.core;
  accessor.warp = origin.warp;
  accessor.lanes = origin.lanes;
  accessor.pc = origin.pc;
  Finding finding;
  finding.cycle = cycle;
  finding.second = accessor;
  if (!splits_[warp].empty()) {
    finding.kind = Kind::kBarrierInSplit;
    finding.detail =
        fmt::format("barrier {}: only some of the warp's lanes arrive, the others would arrive again", id);
    finding.advice =
        "move the barrier past the end of the SIMT_IF or SIMT_WHILE, so that all lanes arrive together";
    findings_.add(finding, cycle);
  }
  const auto [found, fresh] = open_.try_emplace({origin.core, id}, Open{accessor, id, count, {}});
  if (fresh) return;
  Open& open = found->second;
  open.others.push_back(accessor);
  finding.kind = Kind::kBarrierCount;
  finding.first = open.first;
  const auto arrived = static_cast<unsigned>(open.others.size()) + 1;
  if (count != open.count)
    finding.detail = fmt::format("barrier {} of core {}: the first waits for {} warps, the second for {}", id,
                                 origin.core, open.count, count);
  else if (arrived > count)
    finding.detail =
        fmt::format("barrier {} of core {} waits for {} warps, but warp {} is number {} to arrive", id,
                    origin.core, count, origin.warp, arrived);
  else return;
  finding.advice = "give the number of warps of the core that reach this barrier, the same number everywhere";
  findings_.add(finding, cycle);
}

void BarrierRules::end(base::Cycle cycle) {
  for (const auto& [place, open] : open_) {
    const auto arrived = static_cast<unsigned>(open.others.size()) + 1;
    Finding finding;
    finding.kind = Kind::kBarrierCount;
    finding.cycle = cycle;
    finding.second = open.first;
    finding.detail = fmt::format(
        arrived < open.count
            ? "barrier {0} of core {1}: {2} of the {3} warps it waits for have arrived when the run ends"
            : "barrier {0} of core {1}: all {3} warps have arrived, other cores of the cluster never do",
        place.second, place.first, arrived, open.count);
    finding.advice =
        "check the count, and that every core of the cluster reaches this barrier as often as the others";
    findings_.add(finding, cycle + 1 + place.first);
  }
}

}  // namespace spica::check
