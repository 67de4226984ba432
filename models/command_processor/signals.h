// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/command_processor/outside.h"
#include "models/protocol/host_queues/packets.h"

namespace spica::command_processor {

/// The signals of packets: words in memory that are decremented when a packet completes, and for which barriers wait.
class Signals {
 public:
  explicit Signals(const Outside& outside) : outside_(outside) {}

  /// A packet with this signal (0: none) has completed; the signal will be written.
  void complete(std::uint32_t signal) {
    ++completed_;
    if (signal != 0) pending_.push_back(signal);
  }
  std::uint64_t completed() const { return completed_; }
  /// True if signals are to be written.
  bool pending() const { return !pending_.empty(); }
  /// Writes one of them. Returns its address if that is not in memory.
  std::optional<std::uint32_t> write_next();
  /// The signals for which a barrier still waits.
  std::vector<std::uint32_t> open(const protocol::Packet& barrier) const;

  void reset() {
    pending_.clear();
    completed_ = 0;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(pending_, completed_);
  }

 private:
  using Bytes = std::array<unsigned char, protocol::kSignalBytes>;
  std::optional<std::uint64_t> value_of(std::uint32_t signal) const;

  const Outside& outside_;
  std::deque<std::uint32_t> pending_;
  std::uint64_t completed_ = 0;  // completed packets
};

}  // namespace spica::command_processor
