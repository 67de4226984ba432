// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/memory_hazards.h"

#include <algorithm>

namespace spica::check {

MemoryHazards::MemoryHazards(const soc::SocParams& params, const protocol::AddressMap& map,
                             const loader::Program& program, Order& order, const Precedence& precedence,
                             const UnitSites& sites, Conflicts& conflicts)
    : map_(map),
      shape_(params),
      order_(order),
      precedence_(precedence),
      sites_(sites),
      conflicts_(conflicts),
      lanes_are_independent_(params.cluster.core.load_store.lanes ==
                             decltype(params.cluster.core.load_store.lanes)::kIndependent),
      lanes_(params.cluster.core.lanes),
      stacks_(loader::stack_layout(program)) {
  for (unsigned cluster = 0; cluster < shape_.clusters; ++cluster) {
    shared_.emplace_back(shape_.shared_bytes / 4);
    for (const auto& unit : params.cluster.matrix_units) {
      accumulator_rows_.push_back(static_cast<std::uint32_t>(unit.accumulator_rows()));
      accumulators_.emplace_back(accumulator_rows_.back());
    }
  }
}

void MemoryHazards::initialised(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t at = address; at < address + bytes; ++at) {
    const std::uint64_t offset = at - shape_.shared_base;
    if (offset >= shape_.shared_bytes) continue;
    Cell& word = shared_[0].word(static_cast<std::uint32_t>(offset / 4));
    const bool whole = offset % 4 == 0 && at + 4 <= address + bytes;
    if (whole && !word.write.has(Mark::kSplit)) {
      word.write.flags |= Mark::kInitialised;
      at += 3;
    } else {
      shared_[0].divide(word)[offset % 4].write.flags |= Mark::kInitialised;
    }
  }
}

void MemoryHazards::forget_shared(unsigned cluster, std::uint32_t address, std::uint32_t bytes) {
  shared_[cluster].forget((address - shape_.shared_base) / 4, (bytes + 3) / 4);
}

void MemoryHazards::forget_accumulator(unsigned unit) {
  accumulators_[unit].forget(0, accumulator_rows_[unit]);
}

bool MemoryHazards::access(std::uint32_t address, unsigned bytes, bool writes) {
  if (shape_.in_shared(address)) {
    access_shared(address - shape_.shared_base, bytes, writes);
    return true;
  }
  return access_global(address, bytes, writes);
}

bool MemoryHazards::access_global(std::uint32_t address, unsigned bytes, bool writes) {
  if (map_.route(address) != protocol::Route::kGlobal) return false;
  memory_ = Memory::kGlobal;
  access_bytes(global_, address, bytes, address, writes);
  return true;
}

void MemoryHazards::access_shared(std::uint32_t offset, unsigned bytes, bool writes) {
  memory_ = Memory::kShared;
  access_bytes(shared_[cluster_], offset, bytes, shape_.shared_base + offset, writes);
}

void MemoryHazards::access_accumulator(unsigned unit, std::uint32_t row, bool writes) {
  memory_ = Memory::kAccumulator;
  Shadow& rows = accumulators_[unit];
  if (!rows.holds(row)) return;
  if (writes) write(rows, rows.word(row), row);
  else read(rows, rows.word(row), row);
}

/// `offset`: in the shadow; `address`: the guest's, for reports.
void MemoryHazards::access_bytes(Shadow& shadow, std::uint32_t offset, unsigned bytes, std::uint32_t address,
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

void MemoryHazards::read(Shadow& shadow, Cell& cell, std::uint32_t address) {
  const Mark& last = cell.write;
  const bool flag =
      actor_.waits == Waits::kInLoop || (actor_.waits == Waits::kFenced && last.has(Mark::kSynchronises));
  if (last.agent == Agents::kNone) {
    if (memory_ == Memory::kShared && !last.has(Mark::kInitialised))
      conflicts_.uninitialised(actor_, place(address));
  } else if (!flag && !before_actor(last, Access::kWrite, address) &&
             (last.has(Mark::kAtomic) || !knows_store(cell, address))) {
    conflicts_.unordered(actor_, last, Access::kWrite, false, place(address));
  } else if (actor_.waits != Waits::kInLoop && from_other_lane(last)) {
    conflicts_.lane_order(actor_, last, place(address));
  }
  if (flag) {  // may read at any time: what counts is the value it sees
    sync_word(cell, address);
    waiting_.push_back(sync_key(address));
    return;
  }
  const Mark mark{actor_.epoch, actor_.site, actor_.agent, actor_.lane,
                  static_cast<std::uint8_t>(actor_.waits == Waits::kFenced ? Mark::kAcquiring : 0)};
  if (!cell.read.has(Mark::kShared)) {
    if (cell.read.agent == Agents::kNone || before_actor(cell.read, Access::kRead, address)) cell.read = mark;
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

void MemoryHazards::write(Shadow& shadow, Cell& cell, std::uint32_t address) {
  const Mark last = cell.write;
  const auto own_flags = actor_.flags;
  const bool flag = last.has(Mark::kFlag), atomic = (own_flags & Mark::kAtomic) != 0;
  if (last.agent != Agents::kNone && !before_actor(last, Access::kWrite, address)) {
    const bool both = last.has(Mark::kSynchronises) && (own_flags & Mark::kSynchronises) != 0;
    if (!both && !knows_store(cell, address))
      conflicts_.unordered(actor_, last, Access::kWrite, true, place(address));
  } else if (atomic && last.agent == Agents::kNone && memory_ == Memory::kShared &&
             !last.has(Mark::kInitialised)) {
    conflicts_.uninitialised(actor_, place(address));
  }
  const auto check_read = [&](const Mark& one) {
    const bool both = one.has(Mark::kAcquiring) && (own_flags & Mark::kSynchronises) != 0;
    if (!both && !before_actor(one, Access::kRead, address))
      conflicts_.unordered(actor_, one, Access::kRead, true, place(address));
  };
  if (cell.read.has(Mark::kShared)) {
    for (const Mark& one : shadow.reads(cell)) check_read(one);
    shadow.forget_reads(cell);
  } else if (cell.read.agent != Agents::kNone) {
    check_read(cell.read);
    cell.read = {};
  }
  if (flag || atomic) {
    SyncWord& word = sync_word(cell, address);
    if (!atomic) word.plain = {};
    else if (!flag) word.plain = last.has(Mark::kSynchronises) ? Mark() : last;
    else follow_plain_store(word, address);
    synchronise(word, atomic, address);
  }
  auto kept = static_cast<std::uint8_t>(cell.write.flags & Mark::kFlag);
  if (last.agent == actor_.agent && last.site == actor_.site && last.epoch == actor_.epoch)
    kept |= last.lane != actor_.lane ? Mark::kLanes : last.flags & Mark::kLanes;
  cell.write = {actor_.epoch, actor_.site, actor_.agent, actor_.lane,
                static_cast<std::uint8_t>(own_flags | kept)};
}

/// An atomic of the word: also of the plain store before the first one, which later atomics of the same warp would hide.
void MemoryHazards::follow_plain_store(const SyncWord& word, std::uint32_t address) {
  if (word.plain.agent != Agents::kNone && !before_actor(word.plain, Access::kWrite, address))
    conflicts_.unordered(actor_, word.plain, Access::kWrite, true, place(address));
}

/// Whether what `mark` remembers happened before what the actor does. Units keep some of their own work in
/// order themselves.
bool MemoryHazards::before_actor(const Mark& mark, Access access, std::uint32_t address) {
  if (mark.agent == actor_.agent &&
      (mark.epoch >= order_.since(mark.agent) || is_stack(address) ||
       precedence_.kernels().kernel(mark.agent, mark.epoch) == precedence_.kernels().kernel(mark.agent)))
    return true;
  if (precedence_.known(actor_.agent, *actor_.clock, mark, access)) return true;
  return memory_ != Memory::kGlobal && held_back(mark);
}

/// Whether the last store of a word that synchronises is before the actor because its value was seen: by the actor, or
/// by a warp before what the actor does. A fence in front of the store orders what was before it, not the store itself.
bool MemoryHazards::knows_store(const Cell& cell, std::uint32_t address) const {
  if (!cell.write.has(Mark::kFlag)) return false;
  const auto word = sync_.find(sync_key(address));
  if (word == sync_.end()) return false;  // a byte of it
  const std::vector<Epoch>& seen = word->second.seen;
  for (unsigned warp = 0; warp < seen.size(); ++warp) {
    if (seen[warp] <= order_.since(warp)) continue;
    Mark when;
    when.agent = static_cast<std::uint16_t>(warp);
    when.epoch = seen[warp] - 1;
    if (warp == actor_.agent || precedence_.known(actor_.agent, *actor_.clock, when, Access::kRead))
      return true;
  }
  return false;
}

/// A unit keeps some of its own work in order. If it does so for the actor and `before`, what was before is known
/// from here on.
bool MemoryHazards::held_back(const Mark& before) {
  const Agents& agents = order_.agents();
  if (!agents.is_engine(actor_.agent) || !agents.is_engine(before.agent) ||
      agents.unit_of(actor_.agent) != agents.unit_of(before.agent) ||
      !sites_.in_order(actor_.site, agents.engine_of(actor_.agent), before.site,
                       agents.engine_of(before.agent)))
    return false;
  order_.hold_back(actor_.agent, before.agent, before.epoch);
  return true;
}

/// Stacks go with the warp to the next work group.
bool MemoryHazards::is_stack(std::uint32_t address) const {
  if (!stacks_ || memory_ != Memory::kGlobal || address >= stacks_->top) return false;
  return address >= stacks_->end(order_.agents().warps() * lanes_);
}

/// Lanes of a warp are in program order each for itself. Where they leave the load/store unit one by one, one may load
/// before another has stored. A fence in front of the store orders what was before it, not the store itself.
bool MemoryHazards::from_other_lane(const Mark& store) const {
  return lanes_are_independent_ && store.agent == actor_.agent && store.lane != actor_.lane &&
         order_.agents().is_warp(store.agent) &&
         (store.flags & (Mark::kAtomic | Mark::kFlag | Mark::kLanes)) == 0 &&
         store.epoch >= order_.since(store.agent) && !order_.complete(store.agent, store.epoch);
}

/// Only words that synchronise are in the table; the others need no lookup.
std::uint64_t MemoryHazards::sync_key(std::uint32_t address) const {
  return std::uint64_t{memory_ == Memory::kShared ? cluster_ + 1 : 0} << 32 | address;
}

/// The word becomes one that synchronises. What its last store published counts from then on.
MemoryHazards::SyncWord& MemoryHazards::sync_word(Cell& cell, std::uint32_t address) {
  const auto [found, fresh] = sync_.try_emplace(sync_key(address));
  SyncWord& word = found->second;
  if (fresh) {
    word.seen.resize(order_.agents().warps(), 0);
    word.published = cell.write.agent != Agents::kNone && order_.agents().is_warp(cell.write.agent)
                         ? order_.published_at(cell.write.agent, cell.write.epoch)
                         : Knowledge(order_.agents().count());
  }
  cell.write.flags |= Mark::kFlag;
  return word;
}

/// A store to a word that synchronises shows others what the warp has published; an atomic learns as well, when its
/// value has arrived: what the warp does before may take effect before it.
void MemoryHazards::synchronise(SyncWord& word, bool atomic, std::uint32_t address) {
  if (!order_.agents().is_warp(actor_.agent)) return;
  if (atomic) waiting_.push_back(sync_key(address));
  word.published.join(order_.publish(actor_.agent));
  std::fill(word.seen.begin(), word.seen.end(), 0);
  if (!atomic) word.seen[actor_.agent] = order_.now(actor_.agent) + 1;
}

std::vector<std::uint64_t> MemoryHazards::take_waiting() {
  std::vector<std::uint64_t> words = waiting_;
  waiting_.clear();
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

void MemoryHazards::observe(unsigned warp, const std::vector<std::uint64_t>& words) {
  for (const std::uint64_t key : words) {
    SyncWord& word = sync_.at(key);
    if (word.seen[warp] > order_.since(warp)) continue;
    word.seen[warp] = order_.now(warp) + 1;
    order_.acquire_value(warp, word.published);
  }
}

MemoryHazards::SyncWord& MemoryHazards::signal(std::uint32_t address) {
  memory_ = Memory::kGlobal;
  return sync_word(global_.word(address / 4), address);
}

void MemoryHazards::release(std::uint32_t address, const Knowledge& what) {
  SyncWord& word = signal(address);
  word.published.join(what);
  std::fill(word.seen.begin(), word.seen.end(), 0);
}

bool MemoryHazards::has_value(std::uint32_t address) {
  memory_ = Memory::kGlobal;
  return global_.word(address / 4).write.agent != Agents::kNone || sync_.count(sync_key(address)) != 0;
}

}  // namespace spica::check
