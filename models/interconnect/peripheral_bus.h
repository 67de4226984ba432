// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/calendar.h"
#include "models/base/channel_account.h"
#include "models/base/component.h"
#include "models/base/round_robin.h"
#include "models/interconnect/interconnect_params.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/transport/sockets.h"

namespace spica::interconnect {

struct PeripheralBusStats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter reads{*this, "reads", Unit::kCount, "reads carried"};
  base::Counter writes{*this, "writes", Unit::kCount, "writes carried"};
  base::Counter address_errors{*this, "address_errors", Unit::kCount,
                               "requests to an address without a peripheral"};
  base::CycleAccount& requests = account("requests", "cycles of the request channel by reason",
                                         {"idle", "moving", "channel_busy", "peripheral_held"});
  enum Wait : unsigned { kPeripheralHeld = base::ChannelAccount::kFirstWait };
};

/// Uncached bus from the cores to the peripherals of a cluster (print buffer, matrix-unit registers).
///
/// Accepts  one request per cycle and core, `master_queue` deep
/// Timing   one request per cycle over all cores, round robin; without contention, a peripheral receives it
///          request_latency cycles after acceptance, and the core receives the response response_latency cycles after
///          the peripheral's answer. A peripheral that holds a request blocks all later ones
/// Errors   no region of the map with route kPeripheral: TLM_ADDRESS_ERROR_RESPONSE after the request latency
/// Source   virgo tile/RadianceCluster.scala; latencies UNCERTAIN
class PeripheralBus final : public base::Component,
                            private protocol::RequestHandler,
                            private protocol::ResponseHandler {
 public:
  /// `map` gives the peripheral of an address: regions with route kPeripheral, Region::target.
  PeripheralBus(const sc_core::sc_module_name& name, const PeripheralBusParams& params,
                const base::ClockDomain& clock, const protocol::AddressMap& map);

  sc_core::sc_vector<protocol::TargetSocket> in;
  sc_core::sc_vector<protocol::InitiatorSocket> out;

  void tick() override;
  void reset() override;
  bool idle() const override { return waiting_ == 0 && requests_.empty() && outstanding_ == 0; }
  PeripheralBusStats& stats() override { return stats_; }
  void catch_up() override { use_.advance(now()); }
  void settle_stats() override {
    catch_up();
    Component::settle_stats();
  }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& out) const override;
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  struct Transfer {
    protocol::Payload* payload;
    unsigned master;
    unsigned target;
    base::Cycle due;
  };
  struct Response {
    protocol::Payload* payload;
    unsigned master;
  };
  static constexpr unsigned kNoTarget = ~0u;

  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  void on_blocking(unsigned port, protocol::Payload& payload, sc_core::sc_time& delay) override;
  bool on_direct_memory(unsigned port, protocol::Payload& payload, tlm::tlm_dmi& dmi) override;
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override { wake_now(); }

  unsigned target_of(std::uint64_t address) const;
  void hand_over();
  void arbitrate();

  const PeripheralBusParams params_;
  const protocol::AddressMap map_;
  std::vector<base::BoundedQueue<protocol::Payload*>> queues_;  // by core
  base::BoundedQueue<Transfer> requests_;
  base::Calendar<Response> responses_;
  base::RoundRobin arbiter_;
  std::uint64_t waiting_ = 0;  // cores with a queued request
  std::uint64_t outstanding_ = 0;  // delivered, and not yet answered to the core
  PeripheralBusStats stats_;
  base::ChannelAccount use_{stats_.requests};
};

}  // namespace spica::interconnect
