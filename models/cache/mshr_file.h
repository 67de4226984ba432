// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/types.h"
#include "models/cache/request.h"

namespace spica::cache {

/// The origin of a prefetch: its line, the requester that it is counted for, and the partition that it may fill.
struct Cause {
  base::Address line = 0;
  protocol::Origin origin;
  unsigned part = 0;  // partition of the ways
};

/// The lines of one bank with sectors in flight from memory, and the requests that wait for each (merged misses), in
/// order.
class MshrFile {
 public:
  static constexpr unsigned kNone = ~0u;

  MshrFile(std::uint64_t lines, std::uint64_t requests) : entries_(lines), targets_(requests) { clear(); }

  /// The entry that fetches `line`, or kNone.
  unsigned find(base::Address line) const {
    for (unsigned i = 0; i < end_; ++i)
      if (entries_[i].line == line) return i;
    return kNone;
  }
  bool full() const { return used_entries_ == entries_.size(); }
  std::size_t free() const { return entries_.size() - used_entries_; }
  /// Number of requests waiting in all entries.
  std::size_t waiting() const { return waiting_; }
  std::size_t lines() const { return used_entries_; }
  base::Address line(unsigned entry) const { return entries_[entry].line; }
  /// Sectors in flight.
  Sectors coming(unsigned entry) const { return entries_[entry].coming; }
  /// True if a request waits for the line; false: it is a prefetch.
  bool awaited(unsigned entry) const { return entries_[entry].first != kNone; }
  /// The oldest waiting request; requires one.
  const Request& oldest(unsigned entry) const { return targets_[entries_[entry].first].request; }
  /// The reason for a prefetch.
  const Cause& cause(unsigned entry) const { return causes_[entry]; }

  /// Allocates an entry for a first miss that waits for sectors. Requires a free entry and a free request place.
  unsigned allocate(const Request& request, Sectors awaited) {
    const unsigned entry = take_entry();
    const unsigned target = take(request, awaited);
    entries_[entry] = {request.line, target, target, awaited};
    return entry;
  }
  /// Allocates an entry for a prefetch of these sectors: no request waits. Requires a free entry.
  unsigned prefetch(const Cause& cause, Sectors sectors) {
    const unsigned entry = take_entry();
    causes_.resize(entries_.size());
    causes_[entry] = cause;
    entries_[entry] = {cause.line, kNone, kNone, sectors};
    return entry;
  }
  /// Adds a miss to the line of `entry`. Requires a free request place. The awaited sectors are in flight from now on.
  void merge(unsigned entry, const Request& request, Sectors awaited) {
    const unsigned target = take(request, awaited);
    (this->awaited(entry) ? targets_[entries_[entry].last].next : entries_[entry].first) = target;
    entries_[entry].last = target;
    entries_[entry].coming |= awaited;
  }
  /// Passes requests that wait for nothing else to `consume`, in order of arrival. Frees the entry when nothing is in
  /// flight.
  template <class Consume>
  void arrive(unsigned entry, Sectors sectors, Consume&& consume) {
    entries_[entry].coming = static_cast<Sectors>(entries_[entry].coming & ~sectors);
    unsigned last = kNone;  // last of those still waiting
    for (unsigned target = entries_[entry].first; target != kNone;) {
      const unsigned next = targets_[target].next;
      targets_[target].awaited = static_cast<Sectors>(targets_[target].awaited & ~sectors);
      if (targets_[target].awaited != 0) {
        (last == kNone ? entries_[entry].first : targets_[last].next) = target;
        last = target;
      } else {
        consume(targets_[target].request);
        targets_[target].next = free_;
        free_ = target;
        --waiting_;
      }
      target = next;
    }
    if (last != kNone) targets_[last].next = kNone;
    else entries_[entry].first = kNone;
    entries_[entry].last = last;
    if (entries_[entry].coming != 0) return;
    entries_[entry].line = kNoLine;
    while (end_ != 0 && entries_[end_ - 1].line == kNoLine) --end_;
    --used_entries_;
  }
  void clear() {
    for (Entry& entry : entries_) entry.line = kNoLine;
    for (unsigned i = 0; i < targets_.size(); ++i) targets_[i].next = i + 1 < targets_.size() ? i + 1 : kNone;
    free_ = 0;
    end_ = 0;
    used_entries_ = 0;
    waiting_ = 0;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(entries_, targets_, causes_, end_, free_, used_entries_, waiting_);
  }

 private:
  static constexpr base::Address kNoLine = ~base::Address{0};
  struct Entry {
    base::Address line = kNoLine;  // kNoLine: the entry is free
    unsigned first = kNone;
    unsigned last = kNone;
    Sectors coming = 0;
  };
  struct Target {
    Request request;
    unsigned next = kNone;
    Sectors awaited = 0;
  };
  unsigned take_entry() {
    unsigned entry = 0;  // the lowest free one, so that find() searches few
    while (entry < end_ && entries_[entry].line != kNoLine) ++entry;
    if (entry == end_) ++end_;
    ++used_entries_;
    return entry;
  }
  unsigned take(const Request& request, Sectors awaited) {
    const unsigned target = free_;
    free_ = targets_[target].next;
    targets_[target] = {request, kNone, awaited};
    ++waiting_;
    return target;
  }

  std::vector<Entry> entries_;
  std::vector<Target> targets_;
  std::vector<Cause> causes_;  // by entry, of prefetches; empty while there was none
  unsigned end_ = 0;  // index after the last used entry
  unsigned free_ = 0;
  std::size_t used_entries_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace spica::cache
