// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/command_processor/command_processor_params.h"
#include "models/command_processor/concurrency.h"
#include "models/command_processor/firmware_view.h"
#include "models/command_processor/head_reader.h"
#include "models/command_processor/kernel_runs.h"
#include "models/command_processor/outside.h"
#include "models/command_processor/queue.h"
#include "models/command_processor/signals.h"
#include "models/protocol/host_queues/kernel_queue.h"
#include "models/protocol/host_queues/packets.h"
#include "models/protocol/host_queues/work_group.h"

namespace spica::command_processor {

/// The processor's next step that accesses memory.
enum class Step : std::uint8_t { kNone, kSignal, kHeads, kDecide, kWaits };

/// Operation of the queues, the same in both modes: heads are read, kernels and barriers start in order, signals are
/// written. The time is passed as an argument.
///
/// Order    packets of a queue start in order; one with its barrier bit set starts when all earlier ones have
///          completed. A packet stays at the head until all work groups of its kernel have been dispatched to clusters,
///          or its barrier is passed
/// Barrier  is passed when its signals are 0: checked when it reaches the head, and again after each signal and each
///          end of a kernel
/// an invalid packet, or one whose kernel no cluster can run: its queue stops, and problem() returns the reason
class Queues {
 public:
  using Outside = command_processor::Outside;
  Queues(const CommandProcessorParams& params, Outside outside);

  // -- registers (command_processor_regs.h): empty, or false, if there is no such register or the value is invalid
  std::optional<std::uint32_t> read(std::uint64_t offset) const;
  bool write(std::uint64_t offset, std::uint32_t value);
  void start(const protocol::QueueSetup& setup);

  // -- the firmware's view, and its commands
  FirmwareView& firmware() { return firmware_; }
  const FirmwareView& firmware() const { return firmware_; }
  /// Makes the kernel at the head of the queue the next one for choose(). Returns an error; "": none.
  std::string command(std::uint32_t queue, std::uint32_t variant);

  // -- the processor's steps
  Step next() const;
  /// Memory accesses of such a step.
  std::uint64_t accesses(Step step) const;
  /// Cycles of its own clock that the step takes.
  std::uint64_t own_cycles(Step step) const;
  void perform(Step step);
  /// The next kernel to launch in cycle `now`; empty: none.
  std::optional<protocol::GridLaunch> choose(base::Cycle now);
  /// The error in a packet; returned once.
  std::optional<std::string> problem() { return std::exchange(problem_, std::nullopt); }

  // -- progress of kernels, by GridLaunch::id
  void started(std::uint32_t kernel, base::Cycle now) { runs_.begin(kernel, now); }
  void dispatched(std::uint32_t kernel);
  void ended(std::uint32_t kernel, base::Cycle now);

  bool empty() const;
  protocol::QueueState state(unsigned queue) const;
  const std::vector<protocol::KernelRun>& runs() const { return runs_.all(); }
  const protocol::KernelRun& run(std::uint32_t kernel) const { return runs_.all()[kernel - 1]; }
  std::uint64_t completed() const { return signals_.completed(); }
  void reset();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(queues_, signals_, runs_, turn_, recheck_, problem_, fresh_, concurrency_, reader_, firmware_,
            command_);
  }

 private:
  void read_head(unsigned number);
  void check_waits();
  void break_at(unsigned number, const std::string& what);
  std::uint64_t products() const;
  bool must_decide() const;
  void decide();
  std::optional<unsigned> next_queue() const;

  const CommandProcessorParams params_;
  const Outside outside_;
  std::vector<Queue> queues_;
  Concurrency concurrency_{params_};
  HeadReader reader_{params_, outside_, concurrency_};
  Signals signals_{outside_};
  KernelRuns runs_;
  FirmwareView firmware_{params_, outside_, queues_, runs_, concurrency_, reader_};
  unsigned turn_ = 0;  // the queue to be considered first
  bool fresh_ = false;  // the heads have just been read
  bool recheck_ = false;  // the conditions of barriers may have changed
  std::optional<unsigned> command_;  // queue whose head the firmware launches
  std::optional<std::string> problem_;
};

}  // namespace spica::command_processor
