// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "models/protocol/host_queues/packets.h"
#include "platform/observe/check/clock.h"

namespace spica::check {

/// The order of kernels in queues, derived from packets before them in their queue (if the barrier bit requires it),
/// signals that barriers waited for, the doorbell, and what the launching firmware has observed. It does not use the
/// times of a run or the policy of the command processor. Signals are words of memory, known to the caller.
class KernelOrder {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  KernelOrder(unsigned queues, unsigned agents);

  // -- the queue
  /// Packets from the last doorbell up to number `written` are ordered after everything the ringing agent has observed.
  void ring(unsigned queue, std::uint32_t written, const Knowledge& ringer);
  /// Later packets of the queue are ordered after everything published by this signal.
  void wait(unsigned queue, const Knowledge& signal) { queues_[queue].passed.join(signal); }
  /// Packet `number` begins. Returns the knowledge it is ordered after.
  const Knowledge& begin(unsigned queue, std::uint32_t number, const protocol::Packet& packet);

  // -- its kernels, by GridLaunch::id
  /// The kernel is packet `number` of the queue, the last one that began.
  void launch(std::uint32_t kernel, unsigned queue, std::uint32_t number);
  /// The kernel for which the agent works now; kNone: none.
  std::uint32_t kernel(unsigned agent) const {
    return runs_[agent].empty() ? kNone : runs_[agent].back().kernel;
  }
  /// The agent works for another kernel from epoch `since` on.
  void assign(unsigned agent, Epoch since, std::uint32_t kernel) { runs_[agent].push_back({since, kernel}); }
  /// The initial knowledge of its warps; nullptr: the kernel is of no queue.
  const Knowledge* behind(unsigned warp) const;
  /// A warp of the kernel has ended with this knowledge.
  void leave(unsigned warp, const Knowledge& left);
  struct End {
    std::uint32_t signal;  // 0: none
    const Knowledge& left;  // knowledge of all of its warps; valid until the next end
  };
  End end(std::uint32_t kernel);

  // -- after completions
  /// Knowledge of all kernels that have ended.
  const Knowledge& ended() const { return ended_; }
  bool any_ended() const { return any_ended_; }
  /// The firmware has observed what an agent published.
  void observe(const Knowledge& what) { firmware_.join(what); }
  /// The firmware has observed that all ended kernels of the queue have ended.
  void observe_queue(std::uint64_t queue) {
    if (queue < queues_.size()) firmware_.join(queues_[queue].ended);
  }
  const Knowledge& firmware() const { return firmware_; }

  // -- agents that have worked for several kernels
  /// The kernel for which the agent worked in that epoch; kNone: none.
  std::uint32_t kernel(unsigned agent, Epoch epoch) const;
  /// Queue of a kernel; kNone: none.
  std::uint32_t queue_of(std::uint32_t kernel) const {
    return kernel < all_.size() ? all_[kernel].queue : kNone;
  }
  /// True if knowing the agent's later epoch implies the earlier one: both belong to one kernel, or to two that were
  /// launched in that order.
  bool covers(unsigned agent, Epoch later, Epoch earlier) const;
  /// True if `known` implies that the kernel of that epoch has ended.
  bool is_over(const Knowledge& known, unsigned agent, Epoch epoch) const;

 private:
  struct Ring {
    std::uint32_t first;  // packet
    Knowledge ringer;
  };
  struct Queue {
    std::uint32_t written = 0;
    std::deque<Ring> rings;  // doorbells of packets that have not begun
    Knowledge passed;  // knowledge before all further packets
    Knowledge ended;  // knowledge of its ended kernels
    Knowledge begins;  // knowledge before the packet that began last
    std::uint32_t signal = 0;  // and its signal
  };
  struct Kernel {  // a running kernel
    std::uint32_t signal = 0;
    Knowledge behind, left;
  };
  struct Launched {
    std::uint32_t queue = kNone, number = 0;
    std::vector<std::uint32_t> behind;  // Knowledge::packets
  };
  struct Run {
    Epoch since;
    std::uint32_t kernel;
  };

  std::vector<Queue> queues_;
  std::map<std::uint32_t, Kernel> kernels_;
  std::vector<Launched> all_;  // by kernel
  std::vector<std::vector<Run>> runs_;  // by agent
  Knowledge ended_, firmware_, last_;
  bool any_ended_ = false;
};

}  // namespace spica::check
