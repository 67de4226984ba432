// SPDX-License-Identifier: Apache-2.0
// What an access means for the memory it touches: conflicts with what is remembered there, and what is
// remembered from now on.
#include <algorithm>

#include "platform/observe/check/hazard_checker.h"

namespace spica::check {

/// `offset`: in the shadow; `address`: the guest's, for reports.
void HazardChecker::access_bytes(Shadow& shadow, std::uint32_t offset, unsigned bytes, std::uint32_t address,
                                 bool is_write) {
  while (bytes != 0) {
    const unsigned first = offset % 4, count = std::min(bytes, 4 - first);
    Cell& word = shadow.word(offset / 4);
    if (count == 4 && !word.write.has(Mark::kSplit)) {
      is_write ? write(shadow, word, address) : read(shadow, word, address);
    } else {
      Shadow::Bytes& parts = shadow.divide(word);
      for (unsigned i = 0; i < count; ++i)
        is_write ? write(shadow, parts[first + i], address + i) : read(shadow, parts[first + i], address + i);
      if (count == 4 && is_write) shadow.unite(word);
    }
    offset += count;
    address += count;
    bytes -= count;
  }
}

void HazardChecker::read(Shadow& shadow, Cell& cell, std::uint32_t address) {
  const Mark& last = cell.write;
  const bool flag =
      actor_.waits == Waits::kInLoop || (actor_.waits == Waits::kFenced && last.has(Mark::kSynchronises));
  if (last.agent == Agents::kNobody) {
    if (memory_ == Memory::kShared && !last.has(Mark::kInitialised)) uninitialised(address);
  } else if (!flag && !before_actor(last, Access::kWrite, address)) {
    conflict(last, Access::kWrite, false, address);
  } else if (actor_.waits != Waits::kInLoop && from_other_lane(last)) {
    lane_order(last, address);
  }
  if (flag) {  // may read at any time: what counts is the value it sees
    sync_word(cell, address);
    waiting_.push_back(sync_key(address));
    return;
  }
  const Mark mark{actor_.epoch, actor_.site, actor_.agent, actor_.lane, 0};
  if (!cell.read.has(Mark::kShared)) {
    if (cell.read.agent == Agents::kNobody || before_actor(cell.read, Access::kRead, address))
      cell.read = mark;
    else shadow.share(cell).push_back(mark);
    return;
  }
  // Reads that are ordered before this one need not be remembered: whatever is ordered after it is after them.
  Shadow::Reads& reads = shadow.reads(cell);
  std::size_t kept = 0;
  for (const Mark& one : reads)
    if (!before_actor(one, Access::kRead, address)) reads[kept++] = one;
  reads.resize(kept);
  reads.push_back(mark);
}

void HazardChecker::write(Shadow& shadow, Cell& cell, std::uint32_t address) {
  const Mark last = cell.write;
  const auto own_flags = actor_.flags;
  const bool flag = last.has(Mark::kFlag), atomic = (own_flags & Mark::kAtomic) != 0;
  if (last.agent != Agents::kNobody && !before_actor(last, Access::kWrite, address)) {
    const bool both = last.has(Mark::kSynchronises) && (own_flags & Mark::kSynchronises) != 0;
    const bool seen = flag && order_.agents().is_warp(actor_.agent) &&
                      sync_word(cell, address).seen[actor_.agent] > order_.since(actor_.agent);
    if (!both && !seen) conflict(last, Access::kWrite, true, address);
  } else if (atomic && last.agent == Agents::kNobody && memory_ == Memory::kShared &&
             !last.has(Mark::kInitialised)) {
    uninitialised(address);
  }
  if (cell.read.has(Mark::kShared)) {
    for (const Mark& one : shadow.reads(cell))
      if (!before_actor(one, Access::kRead, address)) conflict(one, Access::kRead, true, address);
    shadow.forget_reads(cell);
  } else if (cell.read.agent != Agents::kNobody) {
    if (!before_actor(cell.read, Access::kRead, address)) conflict(cell.read, Access::kRead, true, address);
    cell.read = {};
  }
  if (flag || atomic) synchronise(sync_word(cell, address), atomic, address);
  auto kept = static_cast<std::uint8_t>(cell.write.flags & Mark::kFlag);
  if (last.agent == actor_.agent && last.site == actor_.site && last.epoch == actor_.epoch)
    kept |= last.lane != actor_.lane ? Mark::kLanes : last.flags & Mark::kLanes;
  cell.write = {actor_.epoch, actor_.site, actor_.agent, actor_.lane,
                static_cast<std::uint8_t>(own_flags | kept)};
}

/// Whether the access is in the clock. An agent that works for another kernel since then has one time for both.
bool HazardChecker::known(const Clock& clock, const Mark& mark, Access access) const {
  const Epoch until = clock.of(mark.agent, access);
  if (mark.epoch >= order_.since(mark.agent)) return until >= mark.epoch;
  return (until >= mark.epoch && kernels_.covers(mark.agent, until, mark.epoch)) ||
         kernels_.is_over(order_.seen(actor_.agent), mark.agent, mark.epoch);
}

/// Whether what `mark` remembers happened before what the actor does. Units keep some of their own work in
/// order themselves.
bool HazardChecker::before_actor(const Mark& mark, Access access, std::uint32_t address) {
  if (mark.agent == actor_.agent && (mark.epoch >= order_.since(mark.agent) || is_stack(address) ||
                                     kernels_.kernel(mark.agent, mark.epoch) == kernels_.kernel(mark.agent)))
    return true;
  if (known(*actor_.clock, mark, access)) return true;
  return memory_ != Memory::kGlobal && held_back(mark);
}

/// Stacks go with the warp to the next work group.
bool HazardChecker::is_stack(std::uint32_t address) const {
  if (!stacks_ || memory_ != Memory::kGlobal || address >= stacks_->top) return false;
  const std::uint64_t harts = order_.agents().warps() * params_.cluster.core.lanes;
  return address >= stacks_->top - harts * stacks_->stride;
}

/// Lanes of a warp are in program order each for itself. Where they leave the load/store unit one by one, one may load
/// before another has stored. A fence in front of the store orders what was before it, not the store itself.
bool HazardChecker::from_other_lane(const Mark& store) const {
  return lanes_are_independent_ && store.agent == actor_.agent && store.lane != actor_.lane &&
         order_.agents().is_warp(store.agent) &&
         (store.flags & (Mark::kAtomic | Mark::kFlag | Mark::kLanes)) == 0 &&
         store.epoch >= order_.since(store.agent) && !order_.complete(store.agent, store.epoch);
}

void HazardChecker::lane_order(const Mark& store, std::uint32_t address) {
  Finding f;
  f.kind = Kind::kLaneOrder;
  f.first = party(store, true);
  f.second = party(actor_mark(), false);
  f.cycle = cycle_;
  f.memory = memory_;
  f.address = address;
  if (findings_.known(f, event_)) return;
  f.detail = "lanes leave the load/store unit one by one (cluster.core.load_store.lanes: independent)";
  f.advice = "a fence (simt_fence) between the two";
  findings_.add(std::move(f), event_);
}

/// Only words that synchronise are in the table; the others need no lookup.
std::uint64_t HazardChecker::sync_key(std::uint32_t address) const {
  return std::uint64_t{memory_ == Memory::kShared ? cluster_ + 1 : 0} << 32 | address;
}

/// The word becomes one that synchronises. What its last store published counts from then on.
HazardChecker::SyncWord& HazardChecker::sync_word(Cell& cell, std::uint32_t address) {
  const auto [found, fresh] = sync_.try_emplace(sync_key(address));
  SyncWord& word = found->second;
  if (fresh) {
    word.seen.resize(order_.agents().warps(), 0);
    word.published = cell.write.agent != Agents::kNobody && order_.agents().is_warp(cell.write.agent)
                         ? order_.published_at(cell.write.agent, cell.write.epoch)
                         : Knowledge(order_.agents().count());
  }
  cell.write.flags |= Mark::kFlag;
  return word;
}

/// A store to a word that synchronises shows others what the warp has published; an atomic learns as well, when its
/// value has arrived: what the warp does before may take effect before it.
void HazardChecker::synchronise(SyncWord& word, bool atomic, std::uint32_t address) {
  if (!order_.agents().is_warp(actor_.agent)) return;
  if (atomic) waiting_.push_back(sync_key(address));
  word.published.join(order_.publish(actor_.agent));
  std::fill(word.seen.begin(), word.seen.end(), 0);
  if (!atomic) word.seen[actor_.agent] = order_.now(actor_.agent) + 1;
}

Party HazardChecker::party(const Mark& mark, bool write) const {
  const Agents& agents = order_.agents();
  if (agents.is_engine(mark.agent)) return unit_sites_[mark.site];
  Party result;
  result.core = static_cast<std::uint16_t>(agents.core_of(mark.agent));
  result.warp = static_cast<std::uint8_t>(agents.warp_of(mark.agent));
  result.pc = mark.site & ~3u;
  result.lanes = 1u << mark.lane;
  if (agents.is_tensor(mark.agent)) {
    result.what = (mark.site & 1) == 0 ? Party::What::kTensorTileA : Party::What::kTensorTileB;
    result.lanes = 0;
  } else if (agents.is_copies(mark.agent)) {
    result.what = Party::What::kCopy;
  } else {
    result.what = mark.has(Mark::kAtomic) ? Party::What::kAtomic
                  : write                 ? Party::What::kStore
                                          : Party::What::kLoad;
  }
  return result;
}

Mark HazardChecker::actor_mark() const {
  return {actor_.epoch, actor_.site, actor_.agent, actor_.lane, actor_.flags};
}

/// The two sides in the order in which the program has them, as far as it has one: a unit may do its work before
/// or after what a warp does after the command.
Relation HazardChecker::relate(Finding& f, const Mark& before, Access access, bool write) const {
  if (f.first.is_unit() == f.second.is_unit() || f.first.is_tensor() || f.second.is_tensor()) {
    return known(order_.issued(actor_.agent), before, access) ? Relation::kFenceMissing : Relation::kNone;
  }
  const bool unit_first = f.first.is_unit();
  const Party& unit = unit_first ? f.first : f.second;
  const unsigned warp = unit_first ? actor_.agent : before.agent;
  if (!unit_first && known(order_.issued(actor_.agent), before, access)) return Relation::kFenceMissing;
  if (!order_.behind_command(warp, unit.unit, unit.command)) return Relation::kNone;
  const bool unit_wrote = unit_first ? access == Access::kWrite : write;
  const bool warp_wrote = unit_first ? write : access == Access::kWrite;
  if (!unit_first) std::swap(f.first, f.second);
  f.kind = unit_wrote && !warp_wrote ? Kind::kEarlyRead : Kind::kOverwrittenInUse;
  return Relation::kBehindCommand;
}

void HazardChecker::conflict(const Mark& before, Access access, bool write, std::uint32_t address) {
  Finding f;
  f.first = party(before, access == Access::kWrite);
  f.second = party(actor_mark(), write);
  if (f.first.is_unit() && f.second.is_unit()) f.kind = Kind::kUnitOrder;
  else if (f.second.is_tensor() && f.first.is_unit()) f.kind = Kind::kEarlyRead;
  else if (f.first.is_tensor()) f.kind = Kind::kOverwrittenInUse;
  else if (f.first.is_copy()) f.kind = write ? Kind::kOverwrittenInUse : Kind::kEarlyRead;
  f.cycle = cycle_;
  f.memory = memory_;
  f.address = address;
  const bool ordered_here = known(order_.waited(actor_.agent), before, access);
  if (ordered_here) f.kind = Kind::kFenceMissing;
  if (findings_.known(f, event_)) return;
  const Relation relation = relate(f, before, access, write);
  if (ordered_here) {
    f.kind = Kind::kFenceMissing;
    f.detail =
        "this machine orders them, because its barriers wait for memory accesses "
        "(cluster.core.barrier_waits_for_memory); the published hardware does not";
  } else if (const std::string kernels = relation == Relation::kNone ? kernels_text(before) : "";
             !kernels.empty()) {
    f.detail = kernels;
    f.advice =
        "an event that the stream of the first records behind it and that of the second waits for, or both kernels in "
        "one stream";
    findings_.add(std::move(f), event_);
    return;
  }
  f.advice = advice(f, access == Access::kWrite, relation, order_.barrier_waits());
  findings_.add(std::move(f), event_);
}

void HazardChecker::uninitialised(std::uint32_t address) {
  Finding f;
  f.kind = Kind::kUninitialised;
  f.second = party(actor_mark(), false);
  f.cycle = cycle_;
  f.memory = memory_;
  f.address = address;
  if (findings_.known(f, event_)) return;
  f.advice = "write it first, with a barrier or a wait in between";
  findings_.add(std::move(f), event_);
}

}  // namespace spica::check
