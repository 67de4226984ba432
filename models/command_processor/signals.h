// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/command_processor/outside.h"
#include "models/protocol/packets.h"

namespace spica::command_processor {

/// Signals of packets: words in memory that are counted down when a packet has completed, and that barriers wait for.
class Signals {
 public:
  explicit Signals(const Outside& outside) : outside_(outside) {}

  /// A packet with this signal (0: none) has completed; the signal will be written.
  void complete(std::uint32_t signal) {
    ++completed_;
    if (signal != 0) pending_.push_back(signal);
  }
  std::uint64_t completed() const { return completed_; }
  /// Signals are to be written.
  bool pending() const { return !pending_.empty(); }
  /// Writes one of them. Returns its address where there is no memory.
  std::optional<std::uint32_t> write_next();
  /// Those of a barrier that it still waits for.
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
  std::uint64_t completed_ = 0;  // packets
};

}  // namespace spica::command_processor
