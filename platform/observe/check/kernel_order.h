// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "models/protocol/packets.h"
#include "platform/observe/check/clock.h"

namespace spica::check {

/// What kernels of queues are ordered behind: packets before them in their queue, as far as the barrier bit has it,
/// signals that barriers have waited for, who rang the doorbell, and what the firmware that launched them has
/// observed. Not by when they ran, nor by the policy of the command processor. Signals are words of memory, which the
/// caller knows.
class KernelOrder {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  KernelOrder(unsigned queues, unsigned agents);

  // -- the queue
  /// Its packets from the last doorbell up to number `written` are behind what the ringer knew.
  void ring(unsigned queue, std::uint32_t written, const Knowledge& ringer);
  /// What begins from now on comes after what a signal published.
  void wait(unsigned queue, const Knowledge& signal) { queues_[queue].passed.join(signal); }
  /// Packet `number` begins. Returns what it is ordered behind.
  const Knowledge& begin(unsigned queue, std::uint32_t number, const protocol::Packet& packet);

  // -- its kernels, by GridLaunch::id
  /// It is packet `number` of the queue, the one that has begun last.
  void launch(std::uint32_t kernel, unsigned queue, std::uint32_t number);
  /// The kernel that the agent works for now; kNone: none.
  std::uint32_t kernel(unsigned agent) const {
    return runs_[agent].empty() ? kNone : runs_[agent].back().kernel;
  }
  /// The agent works for another one from epoch `since` on.
  void assign(unsigned agent, Epoch since, std::uint32_t kernel) { runs_[agent].push_back({since, kernel}); }
  /// What a warp of it knows when it begins; nullptr: the kernel is of no queue.
  const Knowledge* behind(unsigned warp) const;
  /// A warp of it has ended, and left that.
  void leave(unsigned warp, const Knowledge& left);
  struct End {
    std::uint32_t signal;  // 0: none
    const Knowledge& left;  // by all of its warps; until the next end
  };
  End end(std::uint32_t kernel);

  // -- who observes completions
  /// Left by all kernels so far.
  const Knowledge& ended() const { return ended_; }
  bool any_ended() const { return any_ended_; }
  /// The firmware has observed what an agent published.
  void observe(const Knowledge& what) { firmware_.join(what); }
  /// That all kernels of the queue that have ended have.
  void observe_queue(std::uint64_t queue) {
    if (queue < queues_.size()) firmware_.join(queues_[queue].ended);
  }
  const Knowledge& firmware() const { return firmware_; }

  // -- agents that have worked for several kernels
  /// The kernel that the agent worked for in that epoch; kNone: none.
  std::uint32_t kernel(unsigned agent, Epoch epoch) const;
  /// Queue of a kernel; kNone: none.
  std::uint32_t queue_of(std::uint32_t kernel) const {
    return kernel < all_.size() ? all_[kernel].queue : kNone;
  }
  /// Who knows of the agent's later epoch knows of the earlier one: they are of one kernel, or of two of which the
  /// second was launched behind the first.
  bool covers(unsigned agent, Epoch later, Epoch earlier) const;
  /// Who knows that knows that the kernel of that epoch has ended.
  bool is_over(const Knowledge& known, unsigned agent, Epoch epoch) const;

 private:
  struct Ring {
    std::uint32_t first;  // packet
    Knowledge ringer;
  };
  struct Queue {
    std::uint32_t written = 0;
    std::deque<Ring> rings;  // of packets that have not begun
    Knowledge passed;  // what all packets from here on are behind
    Knowledge ended;  // left by its kernels
    Knowledge begins;  // what the packet that has begun last is behind,
    std::uint32_t signal = 0;  // and its signal
  };
  struct Kernel {  // that runs
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
