// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <systemc>
#include <vector>

#include "models/base/component.h"
#include "models/protocol/ports/marker_if.h"
#include "models/protocol/transport/loose_time.h"
#include "models/protocol/transport/pointer_ports.h"
#include "platform/machine/soc/assembled_machine.h"

namespace spica::simt_core::fast {
class CodeCache;
class FastCore;
}  // namespace spica::simt_core::fast

namespace spica::soc {

/// The machine in the fast mode: same plan, address map, programs and results as Soc, loosely timed. One process, that
/// of the clock domain, runs rounds: each core gives each of its warps a slice of at most `run.quantum` instructions.
/// All cores start a round in the same cycle; its length is that of the longest core. If all warps only poll, time
/// advances to the end of a unit's work. In a user's simulation a round is at most the TLM global quantum, if set, so
/// the machine is never further ahead of others.
class FastSoc final : public AssembledMachine, private protocol::MarkerIf {
 public:
  /// `period`: of the clock; replaces clock_mhz.
  FastSoc(const sc_core::sc_module_name& name, const SocParams& params,
          const sc_core::sc_time& period = sc_core::SC_ZERO_TIME);
  ~FastSoc() override;

  // Machine
  base::Cycle now() const override { return std::max(time_.now, build_context().clock.now()); }
  bool read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, unsigned cluster = 0) override;
  bool write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
             unsigned cluster = 0) override;
  const unsigned char* main_memory_bytes() override { return host_->data; }
  void set_gate(protocol::GateIf* gate) override;
  void launch(std::uint32_t entry) override;
  void launch(const protocol::GridLaunch& grid) override;
  void launch(const std::vector<protocol::QueueSetup>& queues, std::uint32_t model) override;
  void reset() override;
  void halt() override;
  base::Cycle ended() const override { return finished() ? now() : base::kNever; }
  base::Cycle look_again() const override { return rounds_.next; }
  /// Stops in the current slice, which later continues unchanged.
  void pause() override;
  void resume() override;
  void stop_after(std::uint64_t instructions) override {
    time_.left = static_cast<std::int64_t>(
        std::min<std::uint64_t>(instructions, std::numeric_limits<std::int64_t>::max()));
  }
  bool stopped_after() const override { return time_.left <= 0; }
  void interrupt() override { time_.interrupted = true; }
  void watch_stores(std::uint64_t begin, std::uint64_t end, protocol::Reservations::Watcher watcher) override;
  std::optional<protocol::Origin> last_change(std::uint64_t address) const override;
  base::Cycle hang_interval(base::Cycle cycle) const override;
  bool finished() const override { return !any_warp_running() && !queued(); }
  void settle() override {}
  void observe_markers(RunObserver& observer) override { observers_.push_back(&observer); }
  std::optional<base::Cycle> region_cycles() const override {
    if (first_ == base::kNever || last_ == base::kNever) return std::nullopt;
    return last_ - first_;
  }
  std::string work_in_flight() const override { return {}; }

  const std::vector<simt_core::fast::FastCore*>& cores() const { return cores_; }

 private:
  /// Runs a round per tick.
  struct Rounds final : base::Component {
    Rounds(FastSoc& soc, const base::ClockDomain& clock) : Component("rounds", clock), soc_(soc) {}
    /// Time does not go back: the last round may have ended later than its cycle.
    void start() {
      const base::Cycle begin = std::max(now(), soc_.round_.start + soc_.round_.used);
      next = begin + 1;
      wake_at(begin);
    }
    void start_at(base::Cycle cycle) {
      next = cycle;
      wake_at(cycle);
    }
    void tick() override;
    void reset() override {}
    bool idle() const override { return true; }
    base::StatGroup& stats() override { return none_; }
    void dump_state(std::ostream&) const override {}

    FastSoc& soc_;
    base::StatGroup none_;
    base::Cycle next = base::kNever;  // start of the next round
  };

  /// Draws the order of turns of the next round, unless it is ascending.
  void shuffle_turns();
  std::int64_t slice_of_round(base::Cycle start) const;
  /// Runs a round from cycle `start`. Returns the start of the next one; kNever if no warp can run.
  base::Cycle round(base::Cycle start);
  bool queues_work() const;
  void own_state(base::Checkpoint& checkpoint) override;
  void continue_from_state() override;
  unsigned char* place(std::uint64_t address, std::uint64_t bytes, unsigned cluster);
  void marked(protocol::Marker marker) override;

  protocol::LooseTime time_;
  Rounds rounds_;
  sc_core::sc_export<protocol::MarkerIf> marker_{"marker"};
  protocol::MemoryPort host_{"host"};
  std::vector<protocol::PointedMemory> shared_;  // by cluster
  std::unique_ptr<simt_core::fast::CodeCache> code_;
  std::vector<simt_core::fast::FastCore*> cores_;
  std::vector<unsigned> turns_;  // cores in the order of their turns
  /// The current round, if it has been stopped.
  struct Round {
    bool open = false;
    base::Cycle start = 0, used = 0;
    std::int64_t quantum = 0;
    bool progress = false;
    std::size_t turn = 0;  // next turn: the command processor, then the cores
  } round_;
  std::mt19937_64 random_;  // for run.warp_order
  bool gated_ = false;  // a gate is called before each instruction
  std::vector<RunObserver*> observers_;
  base::Cycle first_ = base::kNever, last_ = base::kNever;
};

}  // namespace spica::soc
