// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace spica::check {

/// Number of a section of an agent's execution, between two points at which others can synchronise with it.
using Epoch = std::uint32_t;

/// Reads and writes of an agent are ordered for others at different times: a load when its value is used, a store when
/// a fence has waited for it.
enum class Access : std::uint8_t { kWrite, kRead };

/// For each agent, the epoch up to which its writes and its reads are known to be complete.
class Clock {
 public:
  explicit Clock(unsigned agents = 0) : known_(2 * agents, 0) {}

  Epoch of(unsigned agent, Access access) const { return known_[index(agent, access)]; }
  void raise(unsigned agent, Access access, Epoch epoch) {
    Epoch& known = known_[index(agent, access)];
    known = std::max(known, epoch);
  }
  void raise(unsigned agent, Epoch epoch) {
    raise(agent, Access::kWrite, epoch);
    raise(agent, Access::kRead, epoch);
  }
  void join(const Clock& other) {
    for (std::size_t i = 0; i < known_.size(); ++i) known_[i] = std::max(known_[i], other.known_[i]);
  }
  /// Merges the other clock for agents [first, last).
  void join(const Clock& other, unsigned first, unsigned last) {
    for (std::size_t i = 2 * first; i < 2 * last; ++i) known_[i] = std::max(known_[i], other.known_[i]);
  }

 private:
  static std::size_t index(unsigned agent, Access access) {
    return 2 * agent + static_cast<unsigned>(access);
  }
  std::vector<Epoch> known_;
};

/// An agent's knowledge of the accesses of others, by certainty.
struct Knowledge {
  explicit Knowledge(unsigned agents = 0) : issued(agents), done(agents), settled(agents), waited(agents) {}
  void join(const Knowledge& other) {
    issued.join(other.issued);
    done.join(other.done);
    settled.join(other.settled);
    waited.join(other.waited);
    if (packets.size() < other.packets.size()) packets.resize(other.packets.size(), 0);
    for (std::size_t i = 0; i < other.packets.size(); ++i)
      packets[i] = std::max(packets[i], other.packets[i]);
  }
  /// Packet `number` of a queue has completed.
  void complete(unsigned queue, std::uint32_t number) {
    if (packets.size() <= queue) packets.resize(queue + 1, 0);
    packets[queue] = std::max(packets[queue], number + 1);
  }
  bool is_complete(unsigned queue, std::uint32_t number) const {
    return queue < packets.size() && packets[queue] > number;
  }
  Clock issued;  // issued, but a store may be in flight: a fence is missing
  Clock done;  // before any later work of the agent's load/store unit or unit
  Clock settled;  // complete, also for readers of shared memory that bypass the load/store unit
  Clock waited;  // complete because a barrier has waited, which only this machine guarantees
  std::vector<std::uint32_t> packets;  // by queue of kernels: packets below this number have completed
};

}  // namespace spica::check
