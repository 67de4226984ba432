// SPDX-License-Identifier: Apache-2.0
// What blocks report to the observers of a run: traces, checkers, debuggers. One stream of events for
// all of them. Nothing is reported, and almost nothing is spent, without an observer.
#pragma once

#include <cstdint>

#include "models/base/types.h"
#include "models/protocol/kernel_queue.h"
#include "models/protocol/move.h"
#include "models/protocol/origin.h"
#include "models/protocol/packets.h"
#include "models/protocol/work_group.h"

namespace spica::isa {
struct Instruction;
class RegisterFile;
}  // namespace spica::isa

namespace spica::protocol {

struct FragmentAccess;

/// A warp instruction at some point of its life. `origin` names core, warp, pc and active lanes.
struct InstructionEvent {
  base::Cycle cycle;
  const Origin& origin;
  const isa::Instruction& instruction;
  const isa::RegisterFile& registers;  // of the warp
  /// For a load or store of a fragment (wmma32): its accesses, from the address in rs1 on, with the distance in rs2.
  const FragmentAccess* fragment = nullptr;
};

/// A rectangle of bytes that a unit reads or writes: `rows` rows of `row_bytes`, `stride` apart, `blocks` of
/// them side by side, `block_stride` apart.
struct Piece {
  enum class Space : std::uint8_t { kNone, kGlobal, kShared, kAccumulator };
  Space space = Space::kNone;
  bool write = false;
  std::uint32_t address = 0;  // global: guest address; shared: byte offset; accumulator: first row
  std::uint32_t rows = 0, row_bytes = 0, stride = 0;
  std::uint32_t blocks = 1, block_stride = 0;
  std::uint32_t word_bytes = 1;  // global: what address and stride should be multiples of
};

/// One piece of work of a unit: a load or store of its DMA, a preload, a compute, the tile of a tensor core.
struct UnitWork {
  enum class Kind : std::uint8_t { kLoad, kStore, kPreload, kCompute, kTensor };
  Kind kind;
  std::uint32_t id;  // names it until it ends; used again afterwards
  const Origin& origin;  // who issued the command it belongs to, and the number of that command
  Piece from, to;  // what it reads, what it writes; kNone where it has none
  /// The loop (LOOP_WS) it is part of, counted from 1 on in the order of the unit's commands; 0: none. Parts of
  /// neighbouring loops may overlap, see LoopUnroller.
  std::uint32_t loop = 0;
  Move::Stream stream = Move::Stream::kA;  // loads and stores: which matrix they move
  bool accumulate = false;  // what it writes to the accumulator is added to the previous contents
};

/// Implemented by observers. Overrides what it wants to know. `source` is the number of the block that
/// speaks, as given to Probed::attach_probe(); `core` in an origin is the number over all clusters.
class ProbeIf {
 public:
  virtual ~ProbeIf() = default;

  // -- cores
  /// A fetch of the instruction at origin.pc is sent.
  virtual void on_fetch(base::Cycle, const Origin&) {}
  /// It is decoded and waits in the instruction buffer.
  virtual void on_decode(base::Cycle, const Origin&, const isa::Instruction&) {}
  /// It issues, past all checks. Operands of loads, stores, atomics, CSR and tensor instructions are still in the
  /// registers; the results of all others are there already. A synchronous tensor instruction issues with its
  /// last micro-op.
  virtual void on_issue(const InstructionEvent&) {}
  /// A CSR access that has issued takes effect: its result is in the register. In the fast mode at once.
  virtual void on_csr(const InstructionEvent&) {}
  /// The instruction that origin.warp issued at origin.pc has committed: its results can be seen. Different
  /// instructions of a warp may commit out of order.
  virtual void on_commit(base::Cycle, const Origin&, const isa::RegisterFile&) {}
  /// The instruction at origin.pc does not issue: the warp's own trap handler takes over.
  virtual void on_trap(base::Cycle, const Origin&) {}
  /// A fetched instruction is dropped before it issued.
  virtual void on_drop(base::Cycle, const Origin&) {}
  /// The warp has arrived at barrier `id`, which waits for `count` warps of each core.
  virtual void on_barrier_arrival(base::Cycle, const Origin&, unsigned /*id*/, unsigned /*count*/) {}
  /// All warps of core `core` at barrier `id` continue.
  virtual void on_barrier_release(base::Cycle, unsigned /*core*/, unsigned /*id*/) {}
  /// `by` starts warp `warp` of its core at `pc`; the first warp of a run has no starter (unit kNone).
  virtual void on_warp_start(base::Cycle, const Origin& /*by*/, unsigned /*core*/, unsigned /*warp*/,
                             std::uint32_t /*pc*/) {}
  virtual void on_warp_end(base::Cycle, const Origin&) {}
  /// From this cycle on the warp does `reason`, an IssueReason, with the instruction at origin.pc: it
  /// issues, waits or has ended. Reported when one of the two changes, in cycle mode only.
  virtual void on_warp_state(base::Cycle, const Origin&, unsigned /*reason*/) {}
  /// From this cycle on the issue slot of core `core` spends its time for `reason` on the instruction at
  /// origin.pc of origin.warp (unit kNone: on no warp). In cycle mode only.
  virtual void on_issue_slot(base::Cycle, unsigned /*core*/, const Origin&, unsigned /*reason*/) {}

  // -- memory
  /// A warp access has come to shared memory: at most `degree` of its lanes want the same word bank, and
  /// `unaligned` lanes are not at their own word of a line and take the unaligned path.
  virtual void on_shared_access(base::Cycle, unsigned /*source*/, const Origin&, unsigned /*degree*/,
                                unsigned /*unaligned*/) {}
  /// Lanes origin.lanes of a warp access to global memory go to the caches as one request; `first`: the first
  /// one of the access.
  virtual void on_global_request(base::Cycle, unsigned /*source*/, const Origin&, bool /*first*/) {}

  // -- work groups
  /// The work group is given to a cluster: its warps start soon. The old contents of its shared memory are undefined.
  virtual void on_group_start(base::Cycle, unsigned /*source*/, const WorkGroupStart&) {}

  // -- queues of the command processor
  /// `by` has rung the doorbell of the queue: its packets before number `written` are there.
  virtual void on_doorbell(base::Cycle, unsigned /*source*/, const Origin& /*by*/, unsigned /*queue*/,
                           std::uint32_t /*written*/) {}
  /// Packet `number` of the queue begins: its kernel is launched next, or its barrier is passed.
  virtual void on_packet(base::Cycle, unsigned /*source*/, unsigned /*queue*/, std::uint32_t /*number*/,
                         const Packet&) {}
  /// The firmware stores a word outside of its own memory, or uses the value of one that it has loaded there.
  virtual void on_firmware(base::Cycle, unsigned /*source*/, std::uint64_t /*address*/,
                           std::uint32_t /*value*/, bool /*store*/) {}

  // -- kernels of queues; `kernel` is the WorkGroupStart::grid of their work groups
  /// The command processor launches it; all that has ended before has been seen by it.
  virtual void on_kernel_launch(base::Cycle, unsigned /*source*/, std::uint32_t /*kernel*/,
                                const KernelRun&) {}
  /// Its last warp has ended.
  virtual void on_kernel_end(base::Cycle, unsigned /*source*/, std::uint32_t /*kernel*/, const KernelRun&) {}

  // -- units of a cluster
  /// The unit took a command: `word` of CSR 0xACC, or the function of a launch by MMIO. Origin::command is its
  /// number in that unit. Behind on_issue() of the instruction that gave it.
  virtual void on_command(base::Cycle, unsigned /*source*/, const Origin&, std::uint32_t /*word*/) {}
  virtual void on_work_begin(base::Cycle, unsigned /*source*/, const UnitWork&) {}
  virtual void on_work_end(base::Cycle, unsigned /*source*/, std::uint32_t /*id*/) {}
};

/// A block that reports what it does to a probe.
class Probed {
 public:
  /// Between two cycles; `source` is the block's number in the events.
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
  /// For blocks whose parts notify the probe.
  virtual void probe_changed() {}
  ProbeIf* probe_ = nullptr;
  unsigned source_ = 0;
};

}  // namespace spica::protocol
