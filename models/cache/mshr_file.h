// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/types.h"
#include "models/cache/request.h"

namespace spica::cache {

/// Outstanding line fills of one bank, and the requests that wait for each (merged misses), in
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
  /// Requests waiting in all entries.
  std::size_t waiting() const { return waiting_; }
  std::size_t lines() const { return used_entries_; }
  base::Address line(unsigned entry) const { return entries_[entry].line; }

  /// A first miss. Needs a free entry and a free request place.
  unsigned allocate(const Request& request) {
    unsigned entry = 0;  // the lowest free one, so that find() has few to look at
    while (entry < end_ && entries_[entry].line != kNoLine) ++entry;
    if (entry == end_) ++end_;
    ++used_entries_;
    const unsigned target = take(request);
    entries_[entry] = {request.line, target, target};
    return entry;
  }
  /// A further miss to the line of `entry`. Needs a free request place.
  void merge(unsigned entry, const Request& request) {
    const unsigned target = take(request);
    targets_[entries_[entry].last].next = target;
    entries_[entry].last = target;
  }
  /// Frees the entry and gives its requests to `consume` in order of arrival.
  template <class Consume>
  void release(unsigned entry, Consume&& consume) {
    for (unsigned target = entries_[entry].first; target != kNone;) {
      consume(targets_[target].request);
      const unsigned next = targets_[target].next;
      targets_[target].next = free_;
      free_ = target;
      target = next;
      --waiting_;
    }
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

 private:
  static constexpr base::Address kNoLine = ~base::Address{0};
  struct Entry {
    base::Address line = kNoLine;  // kNoLine: the entry is free
    unsigned first = kNone;
    unsigned last = kNone;
  };
  struct Target {
    Request request;
    unsigned next = kNone;
  };
  unsigned take(const Request& request) {
    const unsigned target = free_;
    free_ = targets_[target].next;
    targets_[target] = {request, kNone};
    ++waiting_;
    return target;
  }

  std::vector<Entry> entries_;
  std::vector<Target> targets_;
  unsigned end_ = 0;  // after the last used entry
  unsigned free_ = 0;
  std::size_t used_entries_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace spica::cache
