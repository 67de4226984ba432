// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/base/invariant.h"
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
  static constexpr std::uint64_t kMost = 256;  // lines

  MshrFile(std::uint64_t lines, std::uint64_t requests) : entries_(lines), targets_(requests) {
    SPICA_INVARIANT(lines != 0 && lines <= kMost);
    clear();
  }

  /// The entry that fetches `line`, or kNone.
  unsigned find(base::Address line) const {
    if (used_entries_ == 0) return kNone;
    unsigned entry = links_[bucket(line)];
    while (entry != kNone && entries_[entry].line != line) entry = links_[place(entry)];
    return entry;
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
    const unsigned entry = take_entry(request.line);
    const unsigned target = take(request, awaited);
    entries_[entry] = {request.line, target, target, awaited};
    return entry;
  }
  /// Allocates an entry for a prefetch of these sectors: no request waits. Requires a free entry.
  unsigned prefetch(const Cause& cause, Sectors sectors) {
    const unsigned entry = take_entry(cause.line);
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
    if (entries_[entry].coming == 0) release(entry);
  }
  void clear() {
    for (Entry& entry : entries_) entry.line = kNoLine;
    for (unsigned i = 0; i < targets_.size(); ++i) targets_[i].next = i + 1 < targets_.size() ? i + 1 : kNone;
    free_ = 0;
    used_entries_ = 0;
    waiting_ = 0;
    clear_index();
  }

  /// Not saved: links_, hash_shift_ and free_entries_, which follow from entries_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(entries_, targets_, causes_, free_, used_entries_, waiting_);
    if constexpr (Archive::is_loading::value) {
      clear_index();
      for (unsigned entry = 0; entry < entries_.size(); ++entry)
        if (entries_[entry].line != kNoLine) insert(entry, entries_[entry].line);
    }
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
  // links_: of each bucket the first entry, then of each entry the next one in its bucket.
  std::size_t bucket(base::Address line) const { return line * 0x9E37'79B9'7F4A'7C15u >> hash_shift_; }
  std::size_t place(unsigned entry) const { return links_.size() - entries_.size() + entry; }
  /// The lowest free entry, for `line`.
  unsigned take_entry(base::Address line) {
    unsigned word = 0;
    while (free_entries_[word] == 0) ++word;
    const unsigned entry = 64 * word + static_cast<unsigned>(__builtin_ctzll(free_entries_[word]));
    insert(entry, line);
    ++used_entries_;
    return entry;
  }
  void insert(unsigned entry, base::Address line) {
    if (__builtin_expect(links_.empty(), 0)) make_index();
    unsigned& first = links_[bucket(line)];
    links_[place(entry)] = first;
    first = entry;
    free_entries_[entry / 64] &= ~(std::uint64_t{1} << entry % 64);
  }
  void release(unsigned entry) {
    unsigned* at = &links_[bucket(entries_[entry].line)];
    while (*at != entry) at = &links_[place(*at)];
    *at = links_[place(entry)];
    entries_[entry].line = kNoLine;
    free_entries_[entry / 64] |= std::uint64_t{1} << entry % 64;
    --used_entries_;
  }
  /// With the first miss: a cache that is not used has none.
  [[gnu::noinline]] void make_index() {
    unsigned bits = 1;
    while (std::uint64_t{1} << bits < entries_.size()) ++bits;
    links_.assign((std::size_t{1} << bits) + entries_.size(), kNone);
    hash_shift_ = 64 - bits;
  }
  void clear_index() {
    std::fill(links_.begin(), links_.end(), kNone);
    for (std::size_t word = 0; word < free_entries_.size(); ++word) {
      const std::size_t rest = entries_.size() - std::min(entries_.size(), 64 * word);
      free_entries_[word] = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
    }
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
  std::vector<unsigned> links_;  // entries by the hash of their line
  std::array<std::uint64_t, kMost / 64> free_entries_{};  // a bit each
  unsigned hash_shift_ = 0;
  unsigned free_ = 0;
  std::size_t used_entries_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace spica::cache
