// SPDX-License-Identifier: Apache-2.0
// Decides on marked loads: half of a multicast, or a read of its own.
#include <algorithm>

#include "models/multicast/multicast_unit.h"

namespace spica::multicast {

void MulticastUnit::decide(std::uint32_t number) {
  PendingLoad& load = loads_[number];
  stats_.compared_entries += table_.size();
  const Accesses& stores = cores_[load.core].stores[load.warp];
  const auto overlaps_a_store = [&](const protocol::WarpPayload* part) { return overlaps(stores, *part); };
  if (!stores.empty() && std::any_of(load.parts.begin(), load.parts.begin() + load.came, overlaps_a_store))
    return go_alone(number, &stats_.fallbacks_store);
  if (finds_partner(number)) return;
  if (!table_.insert(load.entry(number))) return go_alone(number, &stats_.fallbacks_full);
  load.state = State::kWaiting;
  load.since = now();
  wait_until(load, now() + params_.timeout);
  if (table_.size() > stats_.max_fill.value()) stats_.max_fill += table_.size() - stats_.max_fill.value();
}

/// True: it forms a pair with a waiting load.
bool MulticastUnit::finds_partner(std::uint32_t number) {
  PendingLoad& load = loads_[number];
  const auto fits = [&](const LoadRequestTable::Entry& entry) {
    if (params_.same_subcore == SameSubcore::kRefuse && entry.core == load.core) return false;
    const bool same = same_lanes(loads_[entry.load].parts[0]->access, load.parts[0]->access);
    if (!same) ++stats_.false_matches;
    return same;
  };
  LoadRequestTable::Entry entry;
  if (!table_.take(load.entry(number), fits, entry)) return false;
  PendingLoad& partner = loads_[entry.load];
  stats_.wait_cycles += now() - partner.since;
  load.state = partner.state = State::kPaired;
  load.partner = entry.load;
  partner.partner = number;
  load.since = partner.since = now();
  ++queued_;
  leave(number);
  return true;
}

/// Nothing delays the load any longer: without a partner it is sent alone.
void MulticastUnit::release(std::uint32_t number, base::Counter& reason) {
  PendingLoad& load = loads_[number];
  switch (load.state) {
    case State::kUndecided:
      undecided_.erase(std::find(undecided_.begin(), undecided_.end(), number));
      return go_alone(number, &reason);
    case State::kWaiting:
      table_.remove(number);
      stats_.wait_cycles += now() - load.since;
      return go_alone(number, &reason);
    case State::kPaired:
      if (!load.complete || !loads_[load.partner].complete) unpair(number, &reason);
      return;
    default: return;
  }
}

/// Not longer.
void MulticastUnit::wait_until(PendingLoad& load, base::Cycle cycle) {
  load.patience = std::min(load.patience, cycle);
  timeout_ = std::min(timeout_, load.patience);
}

/// The latest cycle until which a load waits. Queued loads may need the table entry of an undecided one that is still
/// arriving.
base::Cycle MulticastUnit::patience(const PendingLoad& load) const {
  if (load.state != State::kUndecided) return load.patience;
  return std::min(load.patience, load.since + params_.compare_latency + params_.timeout);
}

/// Releases loads that have waited long enough, in the table or for the rest of a partner.
void MulticastUnit::release_late() {
  timeout_ = base::kNever;
  for (std::uint32_t number = 0; number < loads_.size(); ++number) {
    const PendingLoad& load = loads_[number];
    const bool waits = load.state == State::kUndecided || load.state == State::kWaiting ||
                       (load.state == State::kPaired && !(load.complete && loads_[load.partner].complete));
    if (!waits) continue;
    if (const base::Cycle end = patience(load); end <= now())
      release(number, load.drained ? stats_.fallbacks_drain : stats_.fallbacks_timeout);
    else timeout_ = std::min(timeout_, end);
  }
}

/// `reason`: nullptr if already counted.
void MulticastUnit::go_alone(std::uint32_t number, base::Counter* reason) {
  loads_[number].state = State::kAlone;
  ++stats_.fallbacks;
  if (reason != nullptr) ++*reason;
  if (!loads_[number].all_left()) ++queued_;
  leave(number);
}

/// The remaining accesses of both loads of a pair are sent separately.
void MulticastUnit::unpair(std::uint32_t number, base::Counter* reason) {
  const std::uint32_t partner = loads_[number].partner;
  loads_[number].partner = loads_[partner].partner = kNone;
  --queued_;
  go_alone(number, reason);
  go_alone(partner, reason);
}

/// Turns the arrived accesses that may leave into reads.
void MulticastUnit::leave(std::uint32_t number) {
  PendingLoad& load = loads_[number];
  if (load.state == State::kAlone) {
    for (; load.left != load.came; ++load.left) {
      const auto core = static_cast<std::uint8_t>(load.core);
      add_read(core, {load.parts[load.left], nullptr, core, core, load.complete && load.left + 1 == load.came,
                      now()});
    }
    if (load.all_left()) free(number);
    return;
  }
  if (load.state != State::kPaired) return;
  const std::uint32_t partner = load.partner;
  PendingLoad& other = loads_[partner];
  while (load.left < std::min(load.came, other.came)) {
    if (!same_lanes(load.parts[load.left]->access, other.parts[load.left]->access)) {
      ++stats_.false_matches;
      return unpair(number, nullptr);
    }
    leave_together(load, other);
  }
  if (!load.all_left()) return;
  ++stats_.multicasts;
  free(number);
  free(partner);
}

/// Through the port of the later load.
void MulticastUnit::leave_together(PendingLoad& load, PendingLoad& other) {
  const unsigned part = load.left++;
  ++other.left;
  add_read(load.core, {load.parts[part], other.parts[part], static_cast<std::uint8_t>(load.core),
                       static_cast<std::uint8_t>(other.core), load.all_left(),
                       std::max(now(), load.since + params_.enable_latency)});
}

void MulticastUnit::free(std::uint32_t number) {
  loads_[number].state = State::kFree;
  free_loads_.push_back(number);
}

}  // namespace spica::multicast
