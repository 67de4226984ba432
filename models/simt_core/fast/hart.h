// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "models/base/block.h"
#include "models/protocol/fault_if.h"
#include "models/protocol/gate_if.h"
#include "models/protocol/hart_if.h"
#include "models/protocol/reservations.h"
#include "models/protocol/sockets.h"
#include "models/simt_core/fast/code_cache.h"
#include "models/simt_core/fast/fast_core.h"

namespace spica::simt_core::fast {

/// What a hart is made from.
struct HartParams {
  Params core;  // those of the machine's cores: it has their instructions
  CoreIdentity identity;
  protocol::Region memory, registers;  // its own
};

/// A processor of one hart next to the cores, for the firmware of another block; the same in both modes: a core of the
/// fast mode of which lane 0 of warp 0 runs.
///
/// Memory   its own; the registers of its block and main memory through `bus`
/// Time     an instruction takes one cycle of its clock, what goes through `bus` as many more as that says
/// Omits    fetch: its program is in its own memory
class Hart final : public sc_core::sc_module,
                   public base::Block,
                   public protocol::HartIf,
                   private protocol::GateIf,
                   private protocol::FaultIf,
                   private protocol::RequestHandler {
 public:
  Hart(const sc_core::sc_module_name& name, const HartParams& params, const protocol::AddressMap& machine);

  sc_core::sc_port<protocol::HartBusIf> bus{"bus"};
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};

  /// Before the run: part of its program. False: it is outside of its memory.
  bool load(std::uint64_t address, const std::vector<unsigned char>& bytes, std::uint64_t size);
  void start(std::uint32_t entry);

  const protocol::Region& memory() const { return params_.memory; }
  /// A place in it; nullptr outside.
  unsigned char* at(std::uint64_t address, std::uint64_t bytes);
  /// Its memory has been written from outside.
  void refresh() { code_.refresh(); }
  CoreView& core() { return core_; }
  void set_debugger(protocol::GateIf* gate);

  // protocol::HartIf
  void run(base::Cycle until) override;
  void wake(base::Cycle now) override;
  base::Cycle now() const override { return time_.now; }
  bool runs() const override { return !asleep_ && core_.can_run(); }
  bool ended() const override { return !asleep_ && !core_.can_run(); }
  bool gated() const override { return gate_ != nullptr; }
  bool held() const override { return held_; }
  protocol::Origin origin() const override;

  // base::Block
  void reset() override;
  void dump_state(std::ostream& out) const override;
  void architecture(base::Checkpoint& checkpoint) override;
  /// Not saved: params_, map_, what the parts are connected by, as mmio_; image_, entry_, of the program; until_,
  /// error_ and kind_, which are of the instruction under way, as writes_; loaded_ and unused_, for observers; gate_,
  /// of a debugger; held_: a debugger is asked again.
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  bool may_issue(const protocol::InstructionEvent& event) override;
  bool gate_allows(const protocol::InstructionEvent& event);
  void report(const protocol::GuestFault& fault) override;
  bool on_request(unsigned, protocol::Payload&) override { return true; }
  unsigned on_debug(unsigned, protocol::Payload&) override { return 0; }
  void on_blocking(unsigned port, protocol::Payload& payload, sc_core::sc_time& delay) override;

  const HartParams params_;
  protocol::AddressMap map_;  // as it sees it
  protocol::LooseTime time_;  // in cycles of its clock
  std::vector<unsigned char> memory_, image_;  // as it is, and as it was loaded
  protocol::Reservations reservations_;
  protocol::MemoryExport own_{"own"}, none_{"none"};
  FastCore core_;
  CodeCache code_;
  protocol::TargetSocket mmio_{"mmio"};
  std::uint32_t entry_ = 0;
  bool asleep_ = true;
  bool held_ = false;
  base::Cycle until_ = 0;
  std::string error_;  // of the last access through `bus`
  protocol::FaultKind kind_ = protocol::FaultKind::kAccessError;
  protocol::GateIf* gate_ = nullptr;
  struct Loaded {
    std::uint64_t address = 0;
    std::uint32_t value = 0;
  };
  std::array<Loaded, 64> loaded_;  // by register: by a load through `bus`
  std::uint64_t unused_ =
      0;  // registers whose loaded value has neither been used nor overwritten, a bit each
  std::uint64_t writes_ = 0;  // registers of the instruction under way
};

}  // namespace spica::simt_core::fast
