// SPDX-License-Identifier: Apache-2.0
// Arriving requests, and the cycle.
#include "models/multicast/multicast_unit.h"

#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"
#include "models/base/invariant.h"

namespace spica::multicast {

using base::Cycle;
using protocol::Payload;
using protocol::WarpPayload;

MulticastUnit::MulticastUnit(const sc_core::sc_module_name& name, const MulticastParams& params,
                             const base::ClockDomain& clock)
    : Component(name, clock),
      in("in", params.cores),
      out("out", params.cores),
      params_(params),
      table_(params.entries),
      cores_(params.cores) {
  for (unsigned core = 0; core < params.cores; ++core) {
    in[core].attach(*this, core);
    out[core].attach(*this, core);
  }
  hints.bind(*this);
  reset();
}

bool MulticastUnit::overlaps(const Accesses& open, const WarpPayload& one) {
  return std::any_of(open.begin(), open.end(),
                     [&](const WarpPayload* other) { return may_overlap(other->access, one.access); });
}

void MulticastUnit::remove(Accesses& open, const WarpPayload& one) {
  open.erase(std::find(open.begin(), open.end(), &one));
}

bool MulticastUnit::on_request(unsigned core, Payload& payload) {
  auto& request = static_cast<WarpPayload&>(payload);
  if (is_marked(request)) {
    arrive(core, request);
    return true;
  }
  const unsigned warp = request.info.origin.warp;
  if (stores(request) && overlaps(cores_[core].loads[warp], request)) release_warp(core, warp);
  return pass(core, request);
}

/// Passes on an unmarked request, if possible. False: it is held.
bool MulticastUnit::pass(unsigned number, WarpPayload& request) {
  Core& core = cores_[number];
  const unsigned warp = request.info.origin.warp;
  const bool waits = stores(request) && overlaps(core.loads[warp], request);
  if (waits || !core.reads.empty() || !out[number].ready()) return false;
  if (stores(request)) core.stores[warp].push_back(&request);
  ++open_;
  out[number].send(request);
  core.passes = !out[number].ready();
  return !core.passes;
}

void MulticastUnit::pass_held(unsigned core) {
  Payload* const held = in[core].held();
  if (held == nullptr || cores_[core].passes) return;
  if (pass(core, static_cast<WarpPayload&>(*held))) in[core].take_held();
}

/// An access of a marked load arrives: the first of a new load, or the next of one that is arriving.
void MulticastUnit::arrive(unsigned core, WarpPayload& part) {
  const unsigned warp = part.info.origin.warp;
  std::uint32_t& coming = cores_[core].coming[warp];
  if (coming == kNone) {
    if (free_loads_.empty()) {
      free_loads_.push_back(static_cast<std::uint32_t>(loads_.size()));
      loads_.emplace_back();
    }
    coming = free_loads_.back();
    free_loads_.pop_back();
    PendingLoad& load = loads_[coming];
    load = {};
    load.state = State::kUndecided;
    load.core = static_cast<std::uint16_t>(core);
    load.warp = static_cast<std::uint16_t>(warp);
    load.since = now();
    load.key = {static_cast<std::uint32_t>(part.get_address()), part.access.sharing.source,
                part.access.sharing.destination};
    undecided_.push_back(coming);
    timeout_ = std::min(timeout_, patience(load));
    ++stats_.loads;
  }
  const std::uint32_t number = coming;
  PendingLoad& load = loads_[number];
  SPICA_INVARIANT(load.came < PendingLoad::kMostParts);
  load.parts[load.came++] = &part;
  const bool decided = load.state == State::kWaiting || load.state == State::kPaired;
  if (decided && overlaps(cores_[core].stores[warp], part)) release(number, stats_.fallbacks_store);
  load.complete = part.access.sharing.last;
  if (load.complete) coming = kNone;
  cores_[core].loads[warp].push_back(&part);
  ++open_;
  leave(number);
  wake_next();
}

void MulticastUnit::drain(unsigned core, std::uint32_t warps) {
  for (PendingLoad& load : loads_) {
    const bool waits = load.state != State::kFree && load.state != State::kAlone;
    if (!waits || load.drained || load.core != core || (warps >> load.warp & 1) == 0) continue;
    load.drained = true;
    wait_until(load, now() + params_.drain_timeout);
  }
  wake_next();
}

/// A store or atomic arrives for words that these loads may access.
void MulticastUnit::release_warp(unsigned core, unsigned warp) {
  for (std::uint32_t number = 0; number < loads_.size(); ++number)
    if (loads_[number].state != State::kFree && loads_[number].core == core && loads_[number].warp == warp)
      release(number, stats_.fallbacks_store);
  wake_next();
}

void MulticastUnit::tick() {
  if (timeout_ <= now()) release_late();
  for (unsigned core = 0; core < cores_.size(); ++core) {
    answer_late(core);
    send_reads(core);
  }
  const bool decides = !undecided_.empty() && queued_ < params_.queue &&
                       loads_[undecided_.front()].since + params_.compare_latency <= now();
  if (decides) {
    const std::uint32_t number = undecided_.front();
    undecided_.erase(undecided_.begin());
    decide(number);
  }
  for (unsigned core = 0; core < cores_.size(); ++core) pass_held(core);
  plan();
}

/// Plans the next tick for events that no neighbour announces.
void MulticastUnit::plan() {
  if (loads_.size() == free_loads_.size()) timeout_ = base::kNever;  // nothing waits
  Cycle next = timeout_;
  if (!undecided_.empty())
    next = std::min(next, std::max(now() + 1, loads_[undecided_.front()].since + params_.compare_latency));
  for (unsigned core = 0; core < cores_.size(); ++core) {
    if (!cores_[core].late.empty()) next = now() + 1;
    if (!cores_[core].reads.empty() && out[core].ready())
      next = std::min(next, std::max(now() + 1, reads_[cores_[core].reads.front()].ready));
  }
  if (next != base::kNever) wake_at(std::max(next, now() + 1));
}

void MulticastUnit::reset() {
  for (unsigned core = 0; core < cores_.size(); ++core) {
    in[core].reset();
    out[core].reset();
    cores_[core] = {};
    cores_[core].coming.assign(params_.warps, kNone);
    cores_[core].loads.resize(params_.warps);
    cores_[core].stores.resize(params_.warps);
  }
  table_.clear();
  loads_.clear();
  free_loads_.clear();
  undecided_.clear();
  reads_.clear();
  free_reads_.clear();
  queued_ = 0;
  timeout_ = base::kNever;
  open_ = 0;
}

void MulticastUnit::dump_state(std::ostream& to) const {
  if (open_ == 0) return;
  to << name() << ": " << open_ << " accesses open, " << table_.size() << " loads wait for another warp\n";
  for (const PendingLoad& load : loads_)
    if (load.state == State::kUndecided || load.state == State::kWaiting)
      to << "  core " << load.core << " warp " << load.warp << " address 0x" << std::hex << load.key.address
         << std::dec << " waits since cycle " << load.since << "\n";
}

bool MulticastUnit::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(in);
  checkpoint.each(out);
  checkpoint(table_, loads_, free_loads_, undecided_, reads_, free_reads_, cores_, queued_, timeout_, open_,
             stats_);
  return true;
}

}  // namespace spica::multicast
