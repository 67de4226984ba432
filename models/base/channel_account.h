// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "models/base/stats.h"

namespace spica::base {

/// The account of a channel that carries one transfer at a time, such as a port, a bus or a DRAM channel. Its owner
/// reports transfers and waits when it decides on them, which may be before they begin.
///
/// Reasons  idle; moving: a transfer passes; busy: a transfer passes, and another one waits; then the owner's own
///          ones: nothing passes although a transfer waits
class ChannelAccount {
 public:
  enum Reason : unsigned { kIdle, kMoving, kBusy, kFirstWait };

  /// `account` has these reasons in this order, and outlives this object.
  explicit ChannelAccount(CycleAccount& account) : account_(&account) {}

  /// A transfer passes in [from, to). Transfers come in their order: `from` is not before the end of the last one.
  void carry(Cycle from, Cycle to, Cycle now) {
    advance(now);
    Span& last = later_.empty() ? passing_ : later_.back();
    if (last.from == kNever) last = {from, to};
    else if (last.to == from) last.to = to;
    else later_.push_back({from, to});
    charge(now);
  }
  /// From now on, a transfer waits only in [from, until). `reason`: why nothing passes, if nothing does.
  void wait(Cycle from, Cycle until, unsigned reason, Cycle now) {
    advance(now);
    waiting_ = {from, until};
    reason_ = reason;
    charge(now);
  }
  void wait(unsigned reason, Cycle now) {
    if (!waiting_.has(now) || waiting_.to != kNever || reason_ != reason) wait(now, kNever, reason, now);
  }
  void stop_waiting(Cycle now) {
    if (waiting_.from != kNever) wait(kNever, kNever, reason_, now);
  }
  /// Charges the time before `now`.
  void advance(Cycle now) {
    while (next_ <= now) {
      const Cycle at = next_;
      while (passing_.to <= at) next_span();
      charge(at);
    }
  }
  /// Drops transfers and waits.
  void clear(Cycle now) {
    advance(now);
    passing_ = waiting_ = {};
    later_.clear();
    charge(now);
  }

  /// Not saved: account_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_, passing_, waiting_, reason_, later_);
  }

 private:
  struct Span {
    Cycle from = kNever, to = kNever;
    bool has(Cycle at) const { return from <= at && at < to; }
    Cycle change_after(Cycle at) const { return at < from ? from : at < to ? to : kNever; }
  };

  /// From `at` on, until the next change.
  void charge(Cycle at) {
    const bool waits = waiting_.has(at);
    account_->charge(passing_.has(at) ? (waits ? kBusy : kMoving) : waits ? reason_ : kIdle, at);
    next_ = std::min(passing_.change_after(at), waiting_.change_after(at));
  }
  void next_span() {
    passing_ = {};
    if (later_.empty()) return;
    passing_ = later_.front();
    later_.erase(later_.begin());
  }

  CycleAccount* account_;
  Cycle next_ = kNever;  // the next change of the reason
  Span passing_;  // this transfer, or the next one
  Span waiting_;
  unsigned reason_ = kIdle;
  std::vector<Span> later_;  // transfers after it
};

/// The accounts of equal channels. They have one name, and are one entry of the results.
class ChannelAccounts {
 public:
  ChannelAccounts(StatGroup& stats, std::size_t channels, std::string_view name, std::string_view description,
                  const std::vector<std::string_view>& reasons) {
    for (std::size_t i = 0; i < channels; ++i)
      channels_.emplace_back(stats.account(name, description, reasons));
  }
  std::size_t size() const { return channels_.size(); }
  ChannelAccount& operator[](std::size_t channel) { return channels_[channel]; }
  void advance(Cycle now) {
    for (ChannelAccount& channel : channels_) channel.advance(now);
  }
  void clear(Cycle now) {
    for (ChannelAccount& channel : channels_) channel.clear(now);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    for (ChannelAccount& channel : channels_) archive(channel);
  }

 private:
  std::vector<ChannelAccount> channels_;
};

}  // namespace spica::base
