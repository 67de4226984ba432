// SPDX-License-Identifier: Apache-2.0
// Events that blocks report to the observers of a run: traces, checkers, debuggers. All observers receive the same
// stream of events. Without an observer nothing is reported, at almost no cost.
#pragma once

#include <cstdint>

#include "models/base/types.h"
#include "models/protocol/host_queues/kernel_queue.h"
#include "models/protocol/host_queues/packets.h"
#include "models/protocol/host_queues/work_group.h"
#include "models/protocol/payload/move.h"
#include "models/protocol/payload/origin.h"

namespace spica::isa {
struct Instruction;
class RegisterFile;
}  // namespace spica::isa

namespace spica::protocol {

struct FragmentAccess;

/// A warp instruction at one stage of its execution. `origin` names core, warp, pc and active lanes.
struct InstructionEvent {
  base::Cycle cycle;
  const Origin& origin;
  const isa::Instruction& instruction;
  const isa::RegisterFile& registers;  // registers of the warp
  /// Loads and stores of a fragment (wmma32): its accesses, starting at the address in rs1, with the row stride in rs2.
  const FragmentAccess* fragment = nullptr;
};

/// A rectangle of bytes that a unit reads or writes: `rows` rows of `row_bytes` bytes, `stride` apart; `blocks` of them
/// next to each other, `block_stride` apart.
struct Piece {
  enum class Space : std::uint8_t { kNone, kGlobal, kShared, kAccumulator };
  Space space = Space::kNone;
  bool write = false;
  std::uint32_t address = 0;  // global: guest address; shared: byte offset; accumulator: first row
  std::uint32_t rows = 0, row_bytes = 0, stride = 0;
  std::uint32_t blocks = 1, block_stride = 0;
  std::uint32_t word_bytes = 1;  // global: the required alignment of address and stride
};

/// One item of work of a unit: a load or store of its DMA, a preload, a compute, the tile of a tensor core.
struct UnitWork {
  enum class Kind : std::uint8_t { kLoad, kStore, kPreload, kCompute, kTensor };
  Kind kind;
  std::uint32_t id;  // identifies the work until it ends; reused afterwards
  const Origin& origin;  // requester of the command it belongs to, and the number of that command
  Piece from, to;  // what it reads and writes; kNone: nothing
  /// Number of the loop (LOOP_WS) it is part of, from 1 in the order of the unit's commands; 0: none. Consecutive loops
  /// may overlap, see LoopUnroller.
  std::uint32_t loop = 0;
  Move::Stream stream = Move::Stream::kA;  // loads and stores: which matrix they move
  bool accumulate = false;  // its results are added to the previous contents of the accumulator
};

/// Implemented by observers, which override the events they need. `source` is the number of the reporting block, as
/// passed to Probed::attach_probe(). `core` in an origin is the number within the machine.
class ProbeIf {
 public:
  virtual ~ProbeIf() = default;

  // -- cores
  /// A fetch of the instruction at origin.pc is sent.
  virtual void on_fetch(base::Cycle, const Origin&) {}
  /// The instruction is decoded and waits in the instruction buffer.
  virtual void on_decode(base::Cycle, const Origin&, const isa::Instruction&) {}
  /// The instruction issues; all checks have passed. Operands of loads, stores, atomics, CSR and tensor instructions
  /// are still in the registers; all other instructions have written their results. A synchronous tensor instruction
  /// issues with its last micro-op.
  virtual void on_issue(const InstructionEvent&) {}
  /// A CSR access that has issued takes effect: its result is in the register. In the fast mode this happens at once.
  virtual void on_csr(const InstructionEvent&) {}
  /// The instruction that origin.warp issued at origin.pc has committed: its results are visible. Instructions of a
  /// warp may commit out of order.
  virtual void on_commit(base::Cycle, const Origin&, const isa::RegisterFile&) {}
  /// The instruction at origin.pc does not issue, because the warp's own trap handler is entered.
  virtual void on_trap(base::Cycle, const Origin&) {}
  /// A fetched instruction is dropped before issue.
  virtual void on_drop(base::Cycle, const Origin&) {}
  /// The warp has arrived at barrier `id`, which waits for `count` warps of each core.
  virtual void on_barrier_arrival(base::Cycle, const Origin&, unsigned /*id*/, unsigned /*count*/) {}
  /// All warps of core `core` at barrier `id` continue.
  virtual void on_barrier_release(base::Cycle, unsigned /*core*/, unsigned /*id*/) {}
  /// `by` starts warp `warp` of its core at `pc`; the first warp of a run has no starter (unit kNone).
  virtual void on_warp_start(base::Cycle, const Origin& /*by*/, unsigned /*core*/, unsigned /*warp*/,
                             std::uint32_t /*pc*/) {}
  virtual void on_warp_end(base::Cycle, const Origin&) {}
  /// From this cycle on the warp has state `reason` (an IssueReason) at the instruction at origin.pc: it issues, waits
  /// or has ended. Reported when either changes, in cycle mode only.
  virtual void on_warp_state(base::Cycle, const Origin&, unsigned /*reason*/) {}
  /// From this cycle on the issue slot of core `core` is charged to `reason`, for the instruction at origin.pc of
  /// origin.warp (unit kNone: no warp). In cycle mode only.
  virtual void on_issue_slot(base::Cycle, unsigned /*core*/, const Origin&, unsigned /*reason*/) {}

  // -- memory
  /// A warp access has reached shared memory. At most `degree` of its lanes access the same word bank; `unaligned`
  /// lanes are not at their own word of a line and use the unaligned path.
  virtual void on_shared_access(base::Cycle, unsigned /*source*/, const Origin&, unsigned /*degree*/,
                                unsigned /*unaligned*/) {}
  /// Lanes origin.lanes of a warp access to global memory are sent to the caches as one request; `first`: the first
  /// request of the access.
  virtual void on_global_request(base::Cycle, unsigned /*source*/, const Origin&, bool /*first*/) {}

  // -- work groups
  /// A work group is dispatched to a cluster; its warps start soon. The previous contents of its shared memory are
  /// undefined.
  virtual void on_group_start(base::Cycle, unsigned /*source*/, const WorkGroupStart&) {}

  // -- queues of the command processor
  /// `by` has rung the doorbell of the queue: packets with numbers below `written` are in the ring.
  virtual void on_doorbell(base::Cycle, unsigned /*source*/, const Origin& /*by*/, unsigned /*queue*/,
                           std::uint32_t /*written*/) {}
  /// Packet `number` of the queue begins: its kernel is launched next, or its barrier is passed.
  virtual void on_packet(base::Cycle, unsigned /*source*/, unsigned /*queue*/, std::uint32_t /*number*/,
                         const Packet&) {}
  /// The firmware stores a word outside of its own memory, or uses a word that it has loaded from there.
  virtual void on_firmware(base::Cycle, unsigned /*source*/, std::uint64_t /*address*/,
                           std::uint32_t /*value*/, bool /*store*/) {}

  // -- kernels of queues; `kernel` is the WorkGroupStart::grid of their work groups
  /// The command processor launches a kernel. It has observed the end of all kernels that ended before.
  virtual void on_kernel_launch(base::Cycle, unsigned /*source*/, std::uint32_t /*kernel*/,
                                const KernelRun&) {}
  /// The last warp of a kernel has ended.
  virtual void on_kernel_end(base::Cycle, unsigned /*source*/, std::uint32_t /*kernel*/, const KernelRun&) {}

  // -- units of a cluster
  /// The unit accepted a command: `word` of CSR 0xACC, or the function launched through a register. Origin::command is
  /// its number in that unit. Follows on_issue() of the instruction.
  virtual void on_command(base::Cycle, unsigned /*source*/, const Origin&, std::uint32_t /*word*/) {}
  virtual void on_work_begin(base::Cycle, unsigned /*source*/, const UnitWork&) {}
  virtual void on_work_end(base::Cycle, unsigned /*source*/, std::uint32_t /*id*/) {}
};

/// A block that reports events to a probe.
class Probed {
 public:
  /// Attaches a probe, between two cycles. `source` is the block's number in the events.
  void attach_probe(ProbeIf& probe, unsigned source) {
    probe_ = &probe;
    source_ = source;
    probe_changed();
  }
  void detach_probe() {
    probe_ = nullptr;
    probe_changed();
  }
  /// nullptr: no observer.
  ProbeIf* probe() const { return probe_; }
  unsigned source() const { return source_; }

 protected:
  ~Probed() = default;
  /// Called when the probe changes, for blocks whose parts report events.
  virtual void probe_changed() {}
  ProbeIf* probe_ = nullptr;
  unsigned source_ = 0;
};

}  // namespace spica::protocol
