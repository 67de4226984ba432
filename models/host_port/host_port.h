// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <systemc>

#include "models/base/bounded_queue.h"
#include "models/base/component.h"
#include "models/host_port/host_map.h"
#include "models/host_port/host_port_params.h"
#include "models/host_port/registers.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/hosted_if.h"
#include "models/protocol/transport/sockets.h"

namespace spica::host_port {

struct HostPortStats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter reads{*this, "reads", Unit::kCount, "read requests of the host"};
  base::Counter writes{*this, "writes", Unit::kCount, "write requests of the host"};
  base::Counter bytes_read{*this, "bytes_read", Unit::kBytes, "data of reads that succeeded"};
  base::Counter bytes_written{*this, "bytes_written", Unit::kBytes, "data of writes that succeeded"};
  base::Counter errors{*this, "errors", Unit::kCount, "requests answered with an error"};
  base::Counter launches{*this, "launches", Unit::kCount, "programs started"};
  base::Counter resets{*this, "resets", Unit::kCount, "resets of the machine, by register or by line"};
};

/// The port of a machine for a host in the same simulation: memory, shared memory and registers of the clusters, and
/// its own registers, which start a program and report its end.
///
/// Accepts  base protocol, any length within one region of HostMap, byte enables; one at a time, up to queue_depth wait
/// Timing   a request that arrives in cycle t accesses its register, or sends its first part, in t + latency; parts of
///          up to max_request bytes follow one per cycle, up to `outstanding` at a time, those to peripherals one by
///          one; the answer is sent with that of the last part. done is driven in the cycle in which the last work
///          ended
/// Fast     without timed neighbours (`Behind::kUntimed`) a part takes no time
/// Errors   no such region or across its end: TLM_ADDRESS_ERROR_RESPONSE; a register with a size other than 4:
///          TLM_BURST_ERROR_RESPONSE; refused by a register: TLM_COMMAND_ERROR_RESPONSE; aborted by a reset:
///          TLM_GENERIC_ERROR_RESPONSE; otherwise the region's own answer
/// Omits    direct memory access to anything but global memory, debug writes to its own registers
class HostPort final : public base::Component,
                       public protocol::FaultIf,
                       private protocol::RequestHandler,
                       private protocol::ResponseHandler {
 public:
  enum class Behind : std::uint8_t { kTimed, kUntimed };
  using Line = sc_core::sc_signal_inout_if<bool>;

  HostPort(const sc_core::sc_module_name& name, const HostPortParams& params, const base::ClockDomain& clock,
           const protocol::AddressMap& guest, Behind behind = Behind::kTimed);

  // -- for the host; the lines may stay unbound
  protocol::TargetSocket in{"in"};
  /// High from the end of a program, or a fault, until the host clears INTERRUPT_PENDING; only with INTERRUPT_ENABLE.
  sc_core::sc_port<Line, 1, sc_core::SC_ZERO_OR_MORE_BOUND> done{"done"};
  /// While it is high, port and machine are in their initial state and requests are answered with an error.
  sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> reset_line{"reset"};

  // -- for the machine
  protocol::InitiatorSocket gmem{"gmem"};
  sc_core::sc_vector<protocol::InitiatorSocket> smem;  // by cluster; byte offsets
  sc_core::sc_vector<protocol::InitiatorSocket> mmio;  // by cluster; guest addresses
  sc_core::sc_port<protocol::HostedIf> machine{"machine"};
  /// Faults of the guest come in here and go out at `fault`.
  sc_core::sc_export<protocol::FaultIf> fault_in{"fault_in"};
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};

  const HostPortParams& params() const { return params_; }
  /// HOST_PORT_STATUS as read by the host.
  std::uint32_t status() const { return registers_.status(); }

  void tick() override;
  void reset() override;
  bool idle() const override { return served_.request == nullptr && queue_.empty(); }
  HostPortStats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  void dump_state(std::ostream& out) const override;

 private:
  struct Waiting {
    protocol::Payload* payload;
    base::Cycle ready;
  };

  /// The request being served.
  struct Served {
    protocol::Payload* request = nullptr;
    HostMap::Place place;
    unsigned sent = 0;  // bytes sent
    unsigned outstanding = 0;  // parts in flight
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  };

  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  bool on_direct_memory(unsigned port, protocol::Payload& payload, tlm::tlm_dmi& dmi) override;
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override { wake_now(); }
  void report(const protocol::GuestFault& fault) override;

  void begin(protocol::Payload& payload);
  void send_parts();
  void send(protocol::InitiatorSocket& socket, unsigned bytes);
  void finish(tlm::tlm_response_status status);
  tlm::tlm_response_status access_register(protocol::Payload& payload, std::uint64_t offset);
  tlm::tlm_response_status write_register(std::uint64_t offset, std::uint32_t value);
  unsigned read_registers(protocol::Payload& payload, std::uint64_t offset) const;
  unsigned part_at(std::uint64_t address, unsigned left) const;
  protocol::InitiatorSocket& socket_of(const HostMap::Place& place);
  void check_machine();
  void reset_machine();
  void drive();
  void put_line();
  void read_reset_line();

  const HostPortParams params_;
  const HostMap map_;
  const Behind behind_;
  Registers registers_;
  base::BoundedQueue<Waiting> queue_;
  Served served_;
  protocol::LinePool pool_;

  base::Cycle next_check_ = base::kNever;  // next check of the running machine
  std::optional<protocol::GuestFault> fault_;  // not yet visible in the registers
  bool in_reset_ = false;
  bool level_ = false;  // level of done
  sc_core::sc_event level_changes_;
  HostPortStats stats_;
};

}  // namespace spica::host_port
