// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/command_processor/command_processor_params.h"
#include "models/command_processor/concurrency.h"
#include "models/protocol/kernel_queue.h"
#include "models/protocol/packets.h"
#include "models/protocol/work_group.h"

namespace spica::command_processor {

/// What the processor does next that takes accesses to memory.
enum class Step : std::uint8_t { kNone, kSignal, kHeads, kDecide, kWaits };

/// The queues: registers, heads, what runs, and which kernels may begin; what both modes do the same. Knows only
/// the time that it gets as an argument.
///
/// Order    packets of a queue are taken in their order; one with its barrier bit begins when all before it have completed. A
///          packet is at the head until all work groups of its kernel have been given to clusters, or its barrier is passed
/// Barrier  is passed when its signals are 0: looked at when it comes to the head, and again after each signal and each end
///          of a kernel
/// a packet that means nothing, or whose kernel no cluster can run: its queue stops, problem() has the reason
class Queues {
 public:
  struct Outside {
    /// Of memory; false where there is none.
    std::function<bool(std::uint64_t address, unsigned char* to, unsigned bytes)> read;
    std::function<bool(std::uint64_t address, const unsigned char* from, unsigned bytes)> write;
    std::function<std::vector<std::string>(const protocol::GridLaunch&)> why_not;  // it cannot run
    std::function<std::uint64_t(const protocol::GridLaunch&)>
        occupancy;  // its work groups that a cluster holds
    /// A packet of a queue begins: its kernel is launched, or its barrier passed.
    std::function<void(unsigned queue, std::uint32_t number, const protocol::Packet&)> begins;
  };
  Queues(const CommandProcessorParams& params, Outside outside);

  // -- registers (command_processor_regs.h): nothing, and false, where there is none or the value means nothing
  std::optional<std::uint32_t> read(std::uint64_t offset) const;
  bool write(std::uint64_t offset, std::uint32_t value);
  void start(const protocol::QueueSetup& setup);

  // -- what a firmware sees (NEW, GIVEN and ENDED are then 0), and commands; nothing where there is no such register
  std::optional<std::uint32_t> firmware_read(std::uint64_t offset);
  /// The kernel at the head of the queue is the one that choose() takes next. What is wrong with that; "": nothing.
  std::string command(std::uint32_t queue, std::uint32_t variant);
  /// Something that wakes it.
  bool changed() const { return (changes_.heads | changes_.given | changes_.ended) != 0; }

  // -- what the processor does
  Step next() const;
  /// Of memory, in such a step.
  std::uint64_t accesses(Step step) const;
  /// Cycles of its own clock that the step takes.
  std::uint64_t own_cycles(Step step) const;
  void perform(Step step);
  /// The next kernel to launch in cycle `now`; nothing: none.
  std::optional<protocol::GridLaunch> choose(base::Cycle now);
  /// What is wrong with a packet; told once.
  std::optional<std::string> problem() { return std::exchange(problem_, std::nullopt); }

  // -- what becomes of kernels, by GridLaunch::id
  void begun(std::uint32_t kernel, base::Cycle now) { runs_[kernel - 1].begun = now; }
  void given(std::uint32_t kernel);
  void ended(std::uint32_t kernel, base::Cycle now);

  bool empty() const;
  protocol::QueueState state(unsigned queue) const;
  const std::vector<protocol::KernelRun>& runs() const { return runs_; }
  const protocol::KernelRun& run(std::uint32_t kernel) const { return runs_[kernel - 1]; }
  std::uint64_t completed() const { return completed_; }
  void reset();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(queues_, signals_, runs_, under_way_, turn_, recheck_, completed_, problem_, fresh_, concurrency_,
            model_, changes_, command_);
  }

 private:
  struct Queue {
    std::uint32_t base = 0, packets = 0, written = 0, read = 0, clusters = 0;
    std::optional<protocol::Packet> head;
    protocol::GridLaunch launch;  // of the head
    std::optional<Product> product;  // that it is
    bool launched = false;  // it is
    bool broken = false;
    std::uint32_t running = 0;  // kernels

    bool unread() const { return written != read && !head && !broken; }
    bool waits() const { return head && head->type == protocol::Packet::Type::kBarrierAnd; }
    /// Nothing before the head blocks it.
    bool is_free() const { return !head->barrier || running == 0; }
    bool has_kernel() const { return head && !waits() && !launched; }
    bool has_product() const { return product && !launched; }
    template <class Archive>
    void serialize(Archive& archive) {
      archive(base, packets, written, read, clusters, head, launch, product, launched, broken, running);
    }
  };
  struct UnderWay {
    unsigned queue = 0;
    std::uint32_t signal = 0;
    std::optional<unsigned> degree;  // index, of a product
    template <class Archive>
    void serialize(Archive& archive) {
      archive(queue, signal, degree);
    }
  };

  struct Changes {  // since the firmware has looked: queues, a bit each
    std::uint32_t heads = 0, given = 0, ended = 0;
    template <class Archive>
    void serialize(Archive& archive) {
      archive(heads, given, ended);
    }
  };

  std::optional<std::uint32_t> head_register(std::uint64_t offset) const;
  std::uint32_t state_bits(const Queue& queue) const;
  bool read_model();
  void read_head(unsigned number);
  std::string launch_of(Queue& queue);
  std::string make_launch(const protocol::KernelChoice::Variant& kernel, std::uint32_t arguments,
                          std::uint32_t clusters, protocol::GridLaunch& launch) const;
  std::string product_of(Queue& queue);
  std::uint64_t products() const;
  bool must_decide() const;
  void decide();
  std::optional<unsigned> next_queue() const;
  void break_at(unsigned number, const std::string& what);
  void check_waits();
  void write_signal();
  void complete(std::uint32_t signal);
  std::optional<std::uint64_t> value_of(std::uint32_t signal) const;

  const CommandProcessorParams params_;
  const Outside outside_;
  std::vector<Queue> queues_;
  std::deque<std::uint32_t> signals_;  // that are to be written
  std::vector<protocol::KernelRun> runs_;  // that of id 1 first
  std::map<std::uint32_t, UnderWay> under_way_;  // kernels that have not ended
  unsigned turn_ = 0;  // the first queue that is asked next
  bool fresh_ = false;  // the heads have just been read
  Concurrency concurrency_;
  std::uint32_t model_ = 0;  // its address
  Changes changes_;
  std::optional<unsigned> command_;  // queue whose head a firmware launches
  bool recheck_ = false;  // something may have become of what barriers wait for
  std::uint64_t completed_ = 0;  // packets
  std::optional<std::string> problem_;
};

}  // namespace spica::command_processor
