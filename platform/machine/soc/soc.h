// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/protocol/payload/reservations.h"
#include "models/protocol/ports/byte_store.h"
#include "models/protocol/transport/direct_memory.h"
#include "models/protocol/transport/sockets.h"
#include "platform/machine/soc/assembled_machine.h"
#include "platform/machine/soc/measured_machine.h"

namespace spica::soc {

/// The machine of the cycle mode: clusters, system bus, level 2 cache, DRAM (soc_plan.h), and a host port that accesses
/// memory without simulated time.
class Soc final : public AssembledMachine, private protocol::ResponseHandler {
 public:
  /// `period`: of the clock; replaces clock_mhz.
  Soc(const sc_core::sc_module_name& name, const SocParams& params,
      const sc_core::sc_time& period = sc_core::SC_ZERO_TIME);
  ~Soc() override;

  /// Socket to a user-supplied memory; with main_memory.external. Base protocol, line requests of the level 2 cache,
  /// data by direct memory access or debug access (docs/for-integrators.md).
  tlm::tlm_initiator_socket<>& memory();

  // Machine
  base::Cycle now() const override { return build_context().clock.now(); }
  bool read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, unsigned cluster = 0) override;
  bool write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
             unsigned cluster = 0) override;
  const unsigned char* main_memory_bytes() override;
  void reset() override;
  base::Cycle ended() const override { return finished() ? now() : base::kNever; }
  base::Cycle look_again() const override { return now() + 1; }
  void pause() override { clock().pause(); }
  void interrupt() override {}  // not needed: every part of the run is short
  std::optional<protocol::Origin> last_change(std::uint64_t address) const override {
    return reservations_.last_change(address);
  }
  void watch_stores(std::uint64_t begin, std::uint64_t end,
                    protocol::Reservations::Watcher watcher) override {
    reservations_.watch(begin, end, std::move(watcher));
  }
  base::Cycle hang_interval(base::Cycle cycle) const override {
    return std::max<base::Cycle>(params().run.hang_cycles, cycle / 4);
  }
  bool finished() const override { return !any_warp_running() && idle(); }
  void settle() override { measured_.settle(); }
  void observe_markers(RunObserver& observer) override { measured_.region().add_observer(observer); }
  std::optional<base::Cycle> region_cycles() const override {
    const RegionProbe& region = measured_.region();
    if (!region.complete()) return std::nullopt;
    return region.last() - region.first();
  }
  std::string work_in_flight() const override;

  /// The statistics of its blocks, and the timed region.
  MeasuredMachine& measured() { return measured_; }

  /// True when nothing is in flight in any block.
  bool idle() const;

 private:
  void own_state(base::Checkpoint& checkpoint) override;
  void continue_from_state() override {}
  void begin_here() override { measured_.region().begin_here(); }
  /// The part of shared memory that a host access reaches; without data if it extends beyond the end.
  struct SharedPlace {
    bool starts_in_shared;
    unsigned char* data;
  };
  void warm_up(std::uint64_t address, std::uint64_t bytes);
  SharedPlace shared_place(std::uint64_t address, std::uint64_t bytes, unsigned cluster);
  void on_response(unsigned, protocol::Payload&) override {}
  void on_ready(unsigned) override {}

  MeasuredMachine measured_{*this};
  std::unique_ptr<tlm::tlm_initiator_socket<>> memory_;  // to an external memory
  protocol::InitiatorSocket host_{"host"};
  protocol::DirectMemory host_memory_{host_};
  protocol::Reservations reservations_;
  protocol::ByteStore* main_ = nullptr;  // nullptr: main memory is user-supplied
  std::vector<protocol::ByteStore*> shared_;  // by cluster
};

}  // namespace spica::soc
