// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "models/base/block.h"
#include "models/protocol/payload/reservations.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/gate_if.h"
#include "models/protocol/ports/hart_if.h"
#include "models/protocol/transport/sockets.h"
#include "models/simt_core/fast/code_cache.h"
#include "models/simt_core/fast/fast_core.h"

namespace spica::simt_core::fast {

/// The parameters of a hart.
struct HartParams {
  Params core;  // those of the machine's cores, whose instructions it has
  CoreIdentity identity;
  protocol::Region memory, registers;  // its private memory and registers
};

/// A single-hart processor next to the cores, for the firmware of another block, in both modes: a fast-mode core that
/// runs lane 0 of warp 0.
///
/// Memory   private; the registers of its block and main memory are accessed through `bus`
/// Time     an instruction takes one cycle of its clock, plus the cycles that `bus` returns
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

  /// Loads a part of its program before the run. False: outside of its memory.
  bool load(std::uint64_t address, const std::vector<unsigned char>& bytes, std::uint64_t size);
  void start(std::uint32_t entry);

  const protocol::Region& memory() const { return params_.memory; }
  /// Pointer into its memory; nullptr outside.
  unsigned char* at(std::uint64_t address, std::uint64_t bytes);
  /// Call after its memory has been written from outside.
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
  /// Not saved: params_, map_ and the connections of parts, like mmio_; image_ and entry_, of the program; until_,
  /// error_, kind_ and writes_, of the current instruction; loaded_ and unused_, for observers; gate_, of a debugger;
  /// held_, because a debugger is asked again.
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  bool may_issue(const protocol::InstructionEvent& event) override;
  bool gate_allows(const protocol::InstructionEvent& event);
  void report(const protocol::GuestFault& fault) override;
  bool on_request(unsigned, protocol::Payload&) override { return true; }
  unsigned on_debug(unsigned, protocol::Payload&) override { return 0; }
  void on_blocking(unsigned port, protocol::Payload& payload, sc_core::sc_time& delay) override;

  const HartParams params_;
  protocol::AddressMap map_;  // its address map
  protocol::LooseTime time_;  // in cycles of its clock
  std::vector<unsigned char> memory_, image_;  // current contents, and contents after loading
  protocol::Reservations reservations_;
  protocol::MemoryExport own_{"own"}, none_{"none"};
  FastCore core_;
  CodeCache code_;
  protocol::TargetSocket mmio_{"mmio"};
  std::uint32_t entry_ = 0;
  bool asleep_ = true;
  bool held_ = false;
  base::Cycle until_ = 0;
  std::string error_;  // error of the last access through `bus`
  protocol::FaultKind kind_ = protocol::FaultKind::kAccessError;
  protocol::GateIf* gate_ = nullptr;
  struct Loaded {
    std::uint64_t address = 0;
    std::uint32_t value = 0;
  };
  std::array<Loaded, 64> loaded_;  // by register: the last load through `bus`
  std::uint64_t unused_ =
      0;  // registers whose loaded value has been neither used nor overwritten, one bit each
  std::uint64_t writes_ = 0;  // registers written by the current instruction
};

}  // namespace spica::simt_core::fast
