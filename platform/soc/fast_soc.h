// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "models/base/component.h"
#include "models/main_memory/main_memory.h"
#include "models/protocol/console_if.h"
#include "models/protocol/fault_if.h"
#include "models/protocol/loose_time.h"
#include "models/protocol/marker_if.h"
#include "models/protocol/pointed_memory.h"
#include "platform/loader/memory_range.h"
#include "platform/soc/host_side.h"
#include "platform/soc/machine.h"
#include "platform/soc/probe_hub.h"
#include "platform/soc/soc_params.h"

namespace spica::cluster {
class FastCluster;
}
namespace spica::simt_core::fast {
class FastCore;
}

namespace spica::soc {

class HostEdge;

/// The machine in the fast mode: the same address map, programs and results as Soc, loosely timed. One process, the
/// clock domain's, runs rounds: each core gives each of its warps a slice of at most `run.quantum` instructions.
/// All cores start a round in the same cycle; it takes as long as the longest of them. When all warps only poll,
/// time hops to where a unit has finished.
class FastSoc final : public sc_core::sc_module,
                      public Machine,
                      private protocol::MarkerIf,
                      private protocol::ResponseHandler {
 public:
  /// `period`: of the clock, in place of clock_mhz.
  FastSoc(const sc_core::sc_module_name& name, const SocParams& params,
          const sc_core::sc_time& period = sc_core::SC_ZERO_TIME);
  ~FastSoc() override;

  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  sc_core::sc_port<protocol::ConsoleIf> console{"console"};

  // Machine; the `source` of events counts cores, then matrix units, cluster by cluster
  const SocParams& params() const override { return params_; }
  const protocol::AddressMap& map() const override { return map_; }
  base::Cycle now() const override { return std::max(time_.now, clock_.now()); }
  unsigned core_count() const override { return static_cast<unsigned>(cores_.size()); }
  WarpView warp_view(unsigned core, unsigned warp) override;
  void set_pc(unsigned core, unsigned warp, std::uint32_t pc) override;
  bool at_rest() const override { return true; }
  std::uint32_t read_csr(unsigned core, unsigned warp, unsigned lane, std::uint32_t number) const override;
  bool write_csr(unsigned core, unsigned warp, std::uint32_t number, std::uint32_t value) override;
  std::uint64_t work_done() const override;
  bool units_idle() const override;
  std::vector<OpenBarrier> open_barriers() const override;
  std::string describe_warp(unsigned core, unsigned warp) const override;
  bool read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, unsigned cluster = 0) override;
  bool write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
             unsigned cluster = 0) override;
  const unsigned char* main_memory_bytes() override { return global_.data; }
  void watch(protocol::ProbeIf& probe) override;
  void unwatch(protocol::ProbeIf& probe) override;
  std::string describe_blocks(const std::string& kind) const override;
  std::string source_name(unsigned source) const override;
  void set_gate(protocol::GateIf* gate) override;
  /// For a host in the same simulation; with host.present.
  HostSide host();
  base::ClockDomain& clock() override { return clock_; }
  void launch(std::uint32_t entry) override;
  void reset() override;
  void halt() override;
  base::Cycle ended() const override { return any_warp_running() ? base::kNever : now(); }
  base::Cycle look_again() const override { return rounds_.next; }
  void guard_stacks(const isa::StackGuard& guard) override;
  /// Ends the slice that runs.
  void pause() override;
  void interrupt() override { time_.interrupted = true; }
  void watch_stores(std::uint64_t begin, std::uint64_t end, protocol::Reservations::Watcher watcher) override;
  base::Cycle hang_interval(base::Cycle cycle) const override;
  bool finished() const override { return !any_warp_running(); }
  void settle() override {}
  void tell_markers(RunObserver& observer) override { observers_.push_back(&observer); }
  std::optional<base::Cycle> region_cycles() const override {
    if (first_ == base::kNever || last_ == base::kNever) return std::nullopt;
    return last_ - first_;
  }
  std::uint64_t warp_instructions() const override;
  std::uint64_t lane_instructions() const override;
  std::string work_in_flight() const override { return {}; }

  const std::vector<simt_core::fast::FastCore*>& cores() const { return cores_; }
  cluster::FastCluster& cluster(unsigned index) { return *clusters_[index]; }
  unsigned clusters() const { return static_cast<unsigned>(clusters_.size()); }
  bool any_warp_running() const;

 private:
  /// Runs a round per tick.
  struct Rounds final : base::Component {
    Rounds(FastSoc& soc, const base::ClockDomain& clock) : Component("rounds", clock), soc_(soc) {}
    void start() {
      next = now() + 1;
      wake_now();
    }
    void tick() override;
    void reset() override {}
    bool idle() const override { return true; }
    base::StatGroup& stats() override { return none_; }
    void dump_state(std::ostream&) const override {}

    FastSoc& soc_;
    base::StatGroup none_;
    base::Cycle next = base::kNever;  // of the next round
  };

  /// Draws the turns of the next round, where they are not ascending.
  void shuffle_turns();
  /// From cycle `start` on; returns the cycle of the next one, kNever when no warp can run.
  base::Cycle round(base::Cycle start);
  unsigned char* place(std::uint64_t address, std::uint64_t bytes, unsigned cluster);
  void marked(protocol::Marker marker) override;
  void on_response(unsigned, protocol::Payload&) override {}
  void on_ready(unsigned) override {}

  const SocParams params_;
  const protocol::AddressMap map_;
  base::ClockDomain clock_;
  Rounds rounds_;
  protocol::LooseTime time_;
  main_memory::MainMemory main_memory_;
  protocol::InitiatorSocket host_{"host"};
  protocol::Reservations reservations_;
  protocol::PointedMemory global_;
  std::vector<std::unique_ptr<cluster::FastCluster>> clusters_;
  std::unique_ptr<HostEdge> edge_;
  std::vector<simt_core::fast::FastCore*> cores_;
  std::vector<unsigned> turns_;  // cores in the order of their turns
  std::size_t next_turn_ = 0;  // not 0: a round was interrupted
  std::mt19937_64 random_;  // of run.warp_order
  bool gated_ = false;  // a gate is asked before each instruction
  ProbeHub probes_;
  std::vector<RunObserver*> observers_;
  base::Cycle first_ = base::kNever, last_ = base::kNever;
};

}  // namespace spica::soc
