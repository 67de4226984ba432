// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/types.h"
#include "models/isa/control_flow.h"
#include "models/isa/lane_kernels.h"
#include "models/isa/machine_mode.h"
#include "models/isa/registers.h"
#include "models/isa/stacks.h"
#include "models/protocol/address_map.h"
#include "models/protocol/barrier_visits.h"
#include "models/protocol/gate_if.h"
#include "models/protocol/kernel_queue.h"
#include "models/protocol/probe_if.h"
#include "models/protocol/reservations.h"
#include "models/protocol/work_group.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/soc/run_observer.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::base {
class ClockDomain;
}

namespace spica::loader {
struct Program;
}

namespace spica::soc {

/// One warp as tools see it between two instructions.
struct WarpView {
  isa::RegisterFile* registers;
  isa::ControlFlow* flow;
  isa::FloatState* floating;
  std::uint32_t pc;   // of the next instruction it will execute
  bool running;       // not ended
  bool at_barrier;
  unsigned barrier_id, barrier_count;  // of the last one it came to
  const isa::MachineMode* machine_mode;
  /// Words of fragments of a tensor core: isa::kFragmentSlots of isa::kFragmentRegisters rows of isa::kMaxLanes words.
  /// nullptr: the machine has no registers for them.
  std::uint32_t* fragments = nullptr;
  const protocol::WorkGroup* group = nullptr;  // that it belongs, or belonged, to; nullptr: none
  const std::vector<protocol::BarrierVisits>* barrier_visits = nullptr;  // by id; may be empty
};

/// A barrier that some cores of a cluster have completed and others have not.
struct OpenBarrier {
  unsigned cluster, id;
  std::uint32_t arrived;  // cores of the cluster that have, one bit each
};

/// A machine between two cycles: all that its future depends on.
struct MachineState {
  struct Block {
    std::string name;  // in the machine
    std::string architecture, objects, timing;  // of base::Block
  };
  bool fast = false;  // the mode
  base::Cycle cycle = 0;
  std::vector<Block> blocks;
  std::string own;  // what belongs to none of them
  std::string time, plans;  // of the clocks, in the cycle mode
};

/// What debuggers, checkers and reports see of a machine, in the cycle mode and in the fast mode alike. No SystemC.
/// Warps are named by core over all clusters and warp within the core.
class Machine {
 public:
  virtual ~Machine() = default;

  virtual const SocParams& params() const = 0;
  virtual const protocol::AddressMap& map() const = 0;
  /// Cycles so far; in the fast mode an estimate that only grows.
  virtual base::Cycle now() const = 0;

  virtual unsigned core_count() const = 0;
  /// Cores that can be looked at, warp by warp: core_count() of them, and one more where the command processor has a
  /// firmware, whose hart is lane 0 of warp 0 there.
  virtual unsigned view_count() const = 0;
  virtual WarpView warp_view(unsigned core, unsigned warp) = 0;
  /// Lets the warp continue at `pc`; what it has fetched is dropped. Only while the machine is stopped.
  virtual void set_pc(unsigned core, unsigned warp, std::uint32_t pc) = 0;
  /// No warp has an instruction under way: the views show each between two of its instructions.
  virtual bool at_rest() const = 0;
  /// A control and status register as an instruction of that lane would read it.
  virtual std::uint32_t read_csr(unsigned core, unsigned warp, unsigned lane, std::uint32_t number) const = 0;
  /// Sets one that holds state of the warp; false for all others. Only while the machine is stopped.
  virtual bool write_csr(unsigned core, unsigned warp, std::uint32_t number, std::uint32_t value) = 0;
  /// What the warp is doing, in a few words.
  virtual std::string describe_warp(unsigned core, unsigned warp) const = 0;
  /// A count that grows whenever a matrix unit, tensor core or DMA moves or computes something.
  virtual std::uint64_t work_done() const = 0;
  /// True when no matrix unit, DMA or tensor core has work.
  virtual bool units_idle() const = 0;
  /// The lane whose atomic changed that word of global memory last, without place in the program; nothing: none did, or
  /// it is no longer known.
  virtual std::optional<protocol::Origin> last_change(std::uint64_t address) const = 0;
  /// By cluster and id.
  virtual std::vector<OpenBarrier> open_barriers() const = 0;

  /// Global memory, and shared memory of one cluster; takes no time. False outside both.
  virtual bool read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, unsigned cluster = 0) = 0;
  virtual bool write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
                     unsigned cluster = 0) = 0;

  /// The memory of a firmware; of size 0 where there is none. read() and write() reach it.
  virtual protocol::Region firmware_memory() const = 0;
  /// Before the run: the program that command_processor.firmware names. Throws UserError where it is not linked for
  /// that memory.
  virtual void load_firmware(const loader::Program& program) = 0;

  /// The first byte of main memory, which is contiguous; for tools that scan all of it. nullptr where it is external.
  virtual const unsigned char* main_memory_bytes() = 0;

  /// Tells `probe` what the blocks do from now on, until unwatch(); between two cycles.
  virtual void watch(protocol::ProbeIf& probe) = 0;
  virtual void unwatch(protocol::ProbeIf& probe) = 0;
  /// Name of the block that speaks as `source` in the events: "cluster_0.matrix_unit_0".
  virtual std::string source_name(unsigned source) const = 0;
  /// Number over all clusters of the unit that speaks as `source`; Region::kNoUnit: it takes no commands.
  virtual unsigned unit_of_source(unsigned source) const = 0;
  /// State and queues of all blocks with `kind` in their name ("barrier", "matrix_unit", "dma"), for people.
  virtual std::string describe_blocks(const std::string& kind) const = 0;
  /// Asks `gate` before each instruction, from now on; nullptr: no longer. Warps it has held ask again.
  virtual void set_gate(protocol::GateIf* gate) = 0;

  // -- for the driver of the run
  virtual base::ClockDomain& clock() = 0;
  /// Starts all cores at `entry` in the same cycle (D2).
  virtual void launch(std::uint32_t entry) = 0;
  /// Runs a kernel as a grid of work groups; in a machine with a dispatcher, whose work groups fit
  /// (SocParams::launch_problems).
  virtual void launch(const protocol::GridLaunch& grid) = 0;
  /// As built, but for global memory, counts and a host port; work in flight is dropped. Between two cycles, or at the
  /// end of one.
  virtual void reset() = 0;
  /// No core executes another instruction until reset().
  virtual void halt() = 0;
  /// The cycle from which on the program has ended and nothing is under way; kNever while it runs.
  virtual base::Cycle ended() const = 0;
  /// While it runs: the cycle in which ended() may have another answer.
  virtual base::Cycle look_again() const = 0;
  /// Before the run: looks for overflows of these stacks in all cores.
  virtual void guard_stacks(const isa::StackGuard& guard) = 0;
  /// The simulation pauses soon, so that the caller can act.
  virtual void pause() = 0;
  /// The current part of the run ends after that number of warp instructions, or soon after: stopped_after(). In the
  /// fast mode, whose pieces are long.
  virtual void stop_after(std::uint64_t /*instructions*/) {}
  virtual bool stopped_after() const { return false; }
  /// Continues after a pause; before the next piece of the run.
  virtual void resume() {}
  /// Between two pieces of a run. Throws UserError when a block cannot be saved, with its name.
  virtual MachineState save() = 0;
  /// Takes over the state of a machine of the same parameters. One of the fast mode may resume in the cycle mode, with
  /// empty caches.
  virtual void restore(const MachineState& state) = 0;
  /// The same from a signal handler, for good: no piece of the run takes long any more.
  virtual void interrupt() = 0;
  /// Calls `watcher` after each store to global memory that touches [begin, end). One range at a time.
  virtual void watch_stores(std::uint64_t begin, std::uint64_t end,
                            protocol::Reservations::Watcher watcher) = 0;
  /// Starts queues of kernels that are in memory; in a machine with a command processor.
  virtual void launch(const std::vector<protocol::QueueSetup>& queues, std::uint32_t model) = 0;
  /// Kernels of queues so far, in the order of their launches; where each queue is. Empty without a command processor.
  virtual std::vector<protocol::KernelRun> kernel_runs() const = 0;
  virtual std::vector<protocol::QueueState> queue_states() const = 0;
  /// Work groups that wait and those that run, a line each, for people; "" without any.
  virtual std::string describe_work_groups() const = 0;
  /// No warp runs and nothing is under way.
  virtual bool finished() const = 0;
  /// The run is over: charges all time so far. Throws std::logic_error when an account does not close.
  virtual void settle() = 0;
  /// Tells `observer` of all markers from now on; it must outlive the run.
  virtual void observe_markers(RunObserver& observer) = 0;
  /// Cycles between the program's markers, when it has any.
  virtual std::optional<base::Cycle> region_cycles() const = 0;
  virtual std::uint64_t warp_instructions() const = 0;
  /// Entries into the program's own trap handler.
  virtual std::uint64_t traps() const = 0;
  virtual std::uint64_t lane_instructions() const = 0;
  /// Queues of blocks with work in flight, for people; "" when there are none.
  virtual std::string work_in_flight() const = 0;
  /// Cycles from a look for a hang, which ended at `cycle`, to the next one: looks slow the run down, and are to be
  /// a small part of it.
  virtual base::Cycle hang_interval(base::Cycle cycle) const = 0;
};

/// Global and shared memory as ranges a host may fill.
std::vector<loader::MemoryRange> memory_ranges(const protocol::AddressMap& map);

}  // namespace spica::soc
