// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace spica::check {

/// Number of a stretch of an agent's program between two points that others can order themselves against.
using Epoch = std::uint32_t;

/// Reads and writes of an agent become known to others at different times: a load is complete when its value is
/// used, a store when a fence has waited for it.
enum class Access : std::uint8_t { kWrite, kRead };

/// For each agent up to which epoch its writes and its reads are known to be complete.
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
  /// Joins what the other clock knows of agents [first, last).
  void join(const Clock& other, unsigned first, unsigned last) {
    for (std::size_t i = 2 * first; i < 2 * last; ++i) known_[i] = std::max(known_[i], other.known_[i]);
  }

 private:
  static std::size_t index(unsigned agent, Access access) {
    return 2 * agent + static_cast<unsigned>(access);
  }
  std::vector<Epoch> known_;
};

/// What an agent knows of the others' accesses, by how certain it is.
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
  Clock issued;  // they were made, but a store may still be under way: a fence is missing
  Clock done;  // before what the agent's load/store unit or unit does from here on
  Clock settled;  // really complete, also for readers of shared memory that bypass the load/store unit
  Clock waited;  // really complete because a barrier has waited for them, which only this machine's do
  std::vector<std::uint32_t> packets;  // by queue of kernels: those before this number have completed
};

}  // namespace spica::check
