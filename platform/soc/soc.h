// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/base/component.h"
#include "models/protocol/console_if.h"
#include "models/protocol/direct_memory.h"
#include "models/protocol/fault_if.h"
#include "models/protocol/reservations.h"
#include "models/protocol/sockets.h"
#include "platform/loader/memory_range.h"
#include "platform/soc/host_side.h"
#include "platform/soc/machine.h"
#include "platform/soc/probe_hub.h"
#include "platform/soc/region_probe.h"
#include "platform/soc/soc_params.h"

namespace spica::cluster {
class Cluster;
}
namespace spica::protocol {
class LineProfile;
}
namespace spica::simt_core {
class SimtCore;
}

namespace spica::soc {

class HostEdge;

/// The machine: clusters, system bus, level 2 cache, DRAM, and a host port that reads and writes memory
/// without taking time. `fault` and `console` are bound by its owner.
class Soc final : public sc_core::sc_module, public Machine, private protocol::ResponseHandler {
 public:
  /// `period`: of the clock, in place of clock_mhz.
  Soc(const sc_core::sc_module_name& name, const SocParams& params,
      const sc_core::sc_time& period = sc_core::SC_ZERO_TIME);
  ~Soc() override;

  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  sc_core::sc_port<protocol::ConsoleIf> console{"console"};

  /// For a host in the same simulation; with host.present.
  HostSide host();
  /// To a memory of somebody else; with main_memory.external. Base protocol, line requests of the level 2 cache, data by
  /// direct memory access or debug access (docs/for-integrators.md).
  tlm::tlm_initiator_socket<>& memory();

  base::ClockDomain& clock() override { return clock_; }
  cluster::Cluster& cluster(unsigned index) { return *clusters_[index]; }
  unsigned clusters() const { return static_cast<unsigned>(clusters_.size()); }

  // Machine; the `source` of events is an index into components()
  const SocParams& params() const override { return params_; }
  const protocol::AddressMap& map() const override { return map_; }
  base::Cycle now() const override { return clock_.now(); }
  unsigned core_count() const override { return static_cast<unsigned>(cores_.size()); }
  WarpView warp_view(unsigned core, unsigned warp) override;
  void set_pc(unsigned core, unsigned warp, std::uint32_t pc) override;
  bool at_rest() const override;
  std::uint32_t read_csr(unsigned core, unsigned warp, unsigned lane, std::uint32_t number) const override;
  bool write_csr(unsigned core, unsigned warp, std::uint32_t number, std::uint32_t value) override;
  std::string describe_warp(unsigned core, unsigned warp) const override;
  bool read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, unsigned cluster = 0) override;
  bool write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
             unsigned cluster = 0) override;
  const unsigned char* main_memory_bytes() override;
  void watch(protocol::ProbeIf& probe) override;
  void unwatch(protocol::ProbeIf& probe) override;
  std::uint64_t work_done() const override;
  bool units_idle() const override;
  std::vector<OpenBarrier> open_barriers() const override;
  std::string source_name(unsigned source) const override { return short_name(*components_[source]); }
  std::string describe_blocks(const std::string& kind) const override;
  void set_gate(protocol::GateIf* gate) override;
  void launch(std::uint32_t entry) override;
  void reset() override;
  void halt() override;
  base::Cycle ended() const override;
  base::Cycle look_again() const override { return now() + 1; }
  void guard_stacks(const isa::StackGuard& guard) override;
  void pause() override { clock_.pause(); }
  void interrupt() override {}  // every piece of the run is short
  void watch_stores(std::uint64_t begin, std::uint64_t end,
                    protocol::Reservations::Watcher watcher) override {
    reservations_.watch(begin, end, std::move(watcher));
  }
  base::Cycle hang_interval(base::Cycle cycle) const override {
    return std::max<base::Cycle>(params_.run.hang_cycles, cycle / 4);
  }
  bool finished() const override { return !any_warp_running() && idle(); }
  void settle() override;
  /// Before counters are read during the run: blocks that count late catch up.
  void catch_up();
  void tell_markers(RunObserver& observer) override { region_.tell(observer); }
  std::optional<base::Cycle> region_cycles() const override {
    if (!region_.complete()) return std::nullopt;
    return region_.last() - region_.first();
  }
  std::uint64_t warp_instructions() const override;
  std::uint64_t lane_instructions() const override;
  std::string work_in_flight() const override;

  /// Makes a block of the owner's one of the machine's: it ticks behind all others and is among components(). Before the
  /// run.
  void add(base::Component& block);
  /// All blocks in tick order, and the cores among them.
  const std::vector<base::Component*>& components() const { return components_; }
  const std::vector<simt_core::SimtCore*>& cores() const { return cores_; }
  /// From now on all cores note what happens at each pc.
  void start_profile();
  /// What a core has noted; null before start_profile().
  const protocol::LineProfile* profile(unsigned core) const;
  /// The part of the run that the program's markers enclose.
  const RegionProbe& region() const { return region_; }
  RegionProbe& region() { return region_; }
  /// A block's name without the machine's: "cluster_0.core_1".
  std::string short_name(const base::Component& component) const;

  bool any_warp_running() const;
  /// True when nothing is in flight in any block.
  bool idle() const;

 private:
  /// Where a host access meets shared memory; no data when it runs past its end.
  struct SharedPlace {
    bool starts_in_shared;
    unsigned char* data;
  };
  SharedPlace shared_place(std::uint64_t address, std::uint64_t bytes, unsigned cluster);
  void on_response(unsigned, protocol::Payload&) override {}
  void on_ready(unsigned) override {}
  void connect_performance_counters();

  const SocParams params_;
  const protocol::AddressMap map_;
  base::ClockDomain clock_;
  RegionProbe region_;
  ProbeHub probes_;
  std::unique_ptr<tlm::tlm_initiator_socket<>> memory_;
  std::unique_ptr<HostEdge> edge_;
  struct Shared;  // what all clusters share: memory, level 2, bus
  const std::unique_ptr<Shared> shared_;
  protocol::Reservations reservations_;
  std::vector<std::unique_ptr<cluster::Cluster>> clusters_;
  protocol::InitiatorSocket host_{"host"};
  protocol::DirectMemory host_memory_{host_};
  std::vector<base::Component*> components_;
  std::vector<simt_core::SimtCore*> cores_;
};

}  // namespace spica::soc
