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
#include "models/protocol/host_queues/kernel_queue.h"
#include "models/protocol/host_queues/work_group.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/payload/reservations.h"
#include "models/protocol/ports/barrier_visits.h"
#include "models/protocol/ports/gate_if.h"
#include "models/protocol/ports/probe_if.h"
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

/// One warp between two instructions, as shown to tools.
struct WarpView {
  isa::RegisterFile* registers;
  isa::ControlFlow* flow;
  isa::FloatState* floating;
  std::uint32_t pc;   // pc of the next instruction
  bool running;       // it has not ended
  bool at_barrier;
  unsigned barrier_id, barrier_count;  // its last barrier
  const isa::MachineMode* machine_mode;
  /// Fragments of a tensor core: isa::kFragmentSlots of isa::kFragmentRegisters rows of isa::kMaxLanes words. nullptr:
  /// the machine has no fragment registers.
  std::uint32_t* fragments = nullptr;
  const protocol::WorkGroup* group = nullptr;  // its current or last work group; nullptr: none
  const std::vector<protocol::BarrierVisits>* barrier_visits = nullptr;  // by id; may be empty
};

/// A barrier that some cores of a cluster have completed and others have not.
struct OpenBarrier {
  unsigned cluster, id;
  std::uint32_t arrived;  // cores of the cluster that have completed it, one bit each
};

/// The state of a machine between two cycles: all that its future depends on.
struct MachineState {
  struct Block {
    std::string name;  // in the machine
    std::string architecture, objects, timing;  // of base::Block
  };
  bool fast = false;  // true: the fast mode
  base::Cycle cycle = 0;
  std::vector<Block> blocks;
  std::string own;  // state that belongs to no block
  std::string time, plans;  // of the clocks, cycle mode only
};

/// The interface of a machine to debuggers, checkers and reports, for both modes. Independent of SystemC. Warps are
/// named by core within the machine and warp within the core.
class Machine {
 public:
  virtual ~Machine() = default;

  virtual const SocParams& params() const = 0;
  virtual const protocol::AddressMap& map() const = 0;
  /// Cycles so far; in the fast mode a monotonic estimate.
  virtual base::Cycle now() const = 0;

  virtual unsigned core_count() const = 0;
  /// Number of core views: core_count(), plus one if the command processor has a firmware; its hart is lane 0 of warp 0
  /// of that view.
  virtual unsigned view_count() const = 0;
  virtual WarpView warp_view(unsigned core, unsigned warp) = 0;
  /// Moves the warp to `pc`; fetched instructions are dropped. Only while the machine is stopped.
  virtual void set_pc(unsigned core, unsigned warp, std::uint32_t pc) = 0;
  /// True if no warp has an instruction in flight, so that the views are consistent.
  virtual bool at_rest() const = 0;
  /// A control and status register as read by that lane.
  virtual std::uint32_t read_csr(unsigned core, unsigned warp, unsigned lane, std::uint32_t number) const = 0;
  /// Writes a register that holds state of the warp; false for all others. Only while the machine is stopped.
  virtual bool write_csr(unsigned core, unsigned warp, std::uint32_t number, std::uint32_t value) = 0;
  /// A short description of the warp's current activity.
  virtual std::string describe_warp(unsigned core, unsigned warp) const = 0;
  /// A count that grows whenever a matrix unit, tensor core or DMA moves data or computes.
  virtual std::uint64_t work_done() const = 0;
  /// True when no matrix unit, DMA or tensor core has work.
  virtual bool units_idle() const = 0;
  /// The hardware thread whose atomic last changed that word of global memory, without a pc. Empty: none did, or it is
  /// no longer known.
  virtual std::optional<protocol::Origin> last_change(std::uint64_t address) const = 0;
  /// Sorted by cluster and id.
  virtual std::vector<OpenBarrier> open_barriers() const = 0;

  /// Accesses global memory, or the shared memory of one cluster, without simulated time. False outside both.
  virtual bool read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, unsigned cluster = 0) = 0;
  virtual bool write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
                     unsigned cluster = 0) = 0;

  /// The memory of a firmware, of size 0 if there is none. read() and write() access it also.
  virtual protocol::Region firmware_memory() const = 0;
  /// Loads the program named by command_processor.firmware. Call before the run. Throws UserError if it is not linked
  /// for that memory.
  virtual void load_firmware(const loader::Program& program) = 0;

  /// The first byte of main memory, which is contiguous; for tools that scan all of memory. nullptr if it is external.
  virtual const unsigned char* main_memory_bytes() = 0;

  /// Reports events of all blocks to `probe` until unwatch(). Call between two cycles.
  virtual void watch(protocol::ProbeIf& probe) = 0;
  virtual void unwatch(protocol::ProbeIf& probe) = 0;
  /// Name of the block with number `source` in events: "cluster_0.matrix_unit_0".
  virtual std::string source_name(unsigned source) const = 0;
  /// Number, within the machine, of the unit with number `source` in events; Region::kNoUnit: it accepts no commands.
  virtual unsigned unit_of_source(unsigned source) const = 0;
  /// State and queues of all blocks with `kind` in their name ("barrier", "matrix_unit", "dma"), as text.
  virtual std::string describe_blocks(const std::string& kind) const = 0;
  /// Sets a gate that is called before each instruction; nullptr: none. Warps that the old gate stopped ask again.
  virtual void set_gate(protocol::GateIf* gate) = 0;

  // -- for the driver of the run
  virtual base::ClockDomain& clock() = 0;
  /// Starts all cores at `entry` in the same cycle (D2).
  virtual void launch(std::uint32_t entry) = 0;
  /// Runs a kernel as a grid of work groups. Requires a dispatcher, and work groups that fit
  /// (SocParams::launch_problems).
  virtual void launch(const protocol::GridLaunch& grid) = 0;
  /// Initial state, except global memory, counters and the host port; work in flight is dropped. Between two cycles, or
  /// at the end of one.
  virtual void reset() = 0;
  /// No core executes another instruction until reset().
  virtual void halt() = 0;
  /// The cycle in which the program ended with nothing in flight; kNever while it runs.
  virtual base::Cycle ended() const = 0;
  /// While the program runs: the next cycle in which ended() may change.
  virtual base::Cycle look_again() const = 0;
  /// Checks these stacks for overflow in all cores. Call before the run.
  virtual void guard_stacks(const isa::StackGuard& guard) = 0;
  /// Pauses the simulation soon, so that the caller can act.
  virtual void pause() = 0;
  /// Ends the current part of the run after about that number of warp instructions, see stopped_after(). For the fast
  /// mode, whose parts are long.
  virtual void stop_after(std::uint64_t /*instructions*/) {}
  virtual bool stopped_after() const { return false; }
  /// Continues after a pause. Call before the next part of the run.
  virtual void resume() {}
  /// Saves the state between two parts of a run. Throws UserError with the name of a block that cannot be saved.
  virtual MachineState save() = 0;
  /// Restores the state of a machine with the same parameters. A state of the fast mode can be resumed in the cycle
  /// mode; its caches are empty unless the fast mode recorded its accesses.
  virtual void restore(const MachineState& state) = 0;
  /// pause() for signal handlers, permanent: all further parts of the run are short.
  virtual void interrupt() = 0;
  /// Calls `watcher` after each store to global memory that touches [begin, end). One range at a time.
  virtual void watch_stores(std::uint64_t begin, std::uint64_t end,
                            protocol::Reservations::Watcher watcher) = 0;
  /// Starts queues of kernels that are in memory, or rings the doorbells of queues that have been started.
  /// Requires a command processor.
  virtual void launch(const std::vector<protocol::QueueSetup>& queues, std::uint32_t model) = 0;
  /// Kernels of queues so far, in launch order, and the position of each queue. Empty without a command processor.
  virtual const std::vector<protocol::KernelRun>& kernel_runs() const = 0;
  virtual std::vector<protocol::QueueState> queue_states() const = 0;
  /// Waiting and running work groups as text, one line each; "" if there are none.
  virtual std::string describe_work_groups() const = 0;
  /// True if no warp runs and nothing is in flight.
  virtual bool finished() const = 0;
  /// Call at the end of the run: charges all time so far. Throws std::logic_error if an account is inconsistent.
  virtual void settle() = 0;
  /// Reports all markers, and launches of kernels of queues, to `observer`, which must outlive the run.
  virtual void observe_markers(RunObserver& observer) = 0;
  /// Cycles between the program's markers, if it has any.
  virtual std::optional<base::Cycle> region_cycles() const = 0;
  virtual std::uint64_t warp_instructions() const = 0;
  /// Entries into the program's own trap handler.
  virtual std::uint64_t traps() const = 0;
  virtual std::uint64_t lane_instructions() const = 0;
  /// Queues of blocks with work in flight, as text; "" if there are none.
  virtual std::string work_in_flight() const = 0;
  /// Cycles from a hang check that ended at `cycle` to the next one: checks must take only a small part of the run.
  virtual base::Cycle hang_interval(base::Cycle cycle) const = 0;
};

/// Global and shared memory as ranges that a host may access.
std::vector<loader::MemoryRange> memory_ranges(const protocol::AddressMap& map);

/// Machine::read() and write() that throw UserError, which lists the ranges of memory, where those return false.
void read_memory(Machine& machine, std::uint64_t address, void* to, std::uint64_t bytes,
                 unsigned cluster = 0);
void write_memory(Machine& machine, std::uint64_t address, const void* from, std::uint64_t bytes,
                  unsigned cluster = 0);

}  // namespace spica::soc
