// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/host_queues/packets.h"

namespace spica::session {

/// Signals in a range of memory that are used again. A signal is free when it has been released by all its
/// users: the packet that completes it, and those that wait for it.
class SignalPool {
 public:
  SignalPool(std::uint32_t base, std::uint32_t count) : base_(base), users_(count) {
    for (std::uint32_t i = count; i-- != 0;) free_.push_back(i);
  }

  std::uint32_t begin() const { return base_; }
  std::uint32_t end() const { return address(static_cast<std::uint32_t>(users_.size())); }
  bool empty() const { return free_.empty(); }
  /// Address of a free signal, with one user. Not when empty().
  std::uint32_t take() {
    const std::uint32_t number = free_.back();
    free_.pop_back();
    users_[number] = 1;
    return address(number);
  }
  void share(std::uint32_t signal) { ++users_[number(signal)]; }
  void release(std::uint32_t signal) {
    if (--users_[number(signal)] == 0) free_.push_back(number(signal));
  }

 private:
  std::uint32_t address(std::uint32_t number) const { return base_ + number * protocol::kSignalBytes; }
  std::uint32_t number(std::uint32_t signal) const { return (signal - base_) / protocol::kSignalBytes; }

  const std::uint32_t base_;
  std::vector<std::uint32_t> users_, free_;  // by number; numbers
};

}  // namespace spica::session
