// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/calendar.h"
#include "models/base/component.h"
#include "models/base/port_set.h"
#include "models/interconnect/network_params.h"
#include "models/interconnect/switch.h"
#include "models/protocol/payload/slice_map.h"
#include "models/protocol/ports/traffic_table.h"
#include "models/protocol/transport/sockets.h"

namespace spica::interconnect {

struct NetworkStats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter reads{*this, "reads", Unit::kCount, "read requests carried"};
  base::Counter writes{*this, "writes", Unit::kCount, "write requests carried"};
  base::Counter bytes_read{*this, "bytes_read", Unit::kBytes, "data carried to the requesters"};
  base::Counter bytes_written{*this, "bytes_written", Unit::kBytes, "data carried to the slices"};
  base::Counter request_packets{*this, "request_packets", Unit::kCount,
                                "packets carried from ports to slices: one for a read"};
  base::Counter response_packets{*this, "response_packets", Unit::kCount,
                                 "packets carried from slices to ports: one for a write"};
  base::Counter full_cycles{
      *this, "full_cycles", Unit::kCycles,
      "sum over slices: cycles in which a request waited because slice_requests of its slice were in flight"};
  base::CycleAccount& activity =
      account("activity", "what the network does in each cycle", {"moving", "waiting", "idle"});
  enum Reason : unsigned { kMoving, kWaiting, kIdle };
};

/// A crossbar between the ports of clusters and the slices of the level 2 cache, as two independent networks: requests
/// and responses.
///
/// Shape    `in` are the requesters; those of one port share its queue (NetworkParams::port_of). `out` are the slices;
///          SliceMap gives the slice of an address. A request must lie within one interleave unit
/// Accepts  `input_queue` requests per port
/// Timing   a read request and the response to a write are one packet, data takes bytes / packet_bytes packets. Each
///          port and each slice carries one packet per cycle and direction (Switch). A request of n packets is
///          delivered request_latency + n - 1 cycles after acceptance without contention, a response response_latency
///          + n - 1 cycles after the slice gave it
/// Limits   slice_requests: requests of a slice from the choice of the port until the response leaves
/// Accounts of each port and slice, for requests and for responses (Switch)
/// Order    requests of one port to one slice stay in order
/// Source   gpgpu-sim src/gpgpu-sim/local_interconnect.cc (network_mode 2)
class Network final : public base::Component,
                      public protocol::TrafficCounted,
                      private protocol::RequestHandler,
                      private protocol::ResponseHandler {
 public:
  Network(const sc_core::sc_module_name& name, const NetworkParams& params, const base::ClockDomain& clock);

  sc_core::sc_vector<protocol::TargetSocket> in;
  sc_core::sc_vector<protocol::InitiatorSocket> out;

  void tick() override;
  void reset() override;
  bool idle() const override { return inside_ == 0; }
  void catch_up() override;
  NetworkStats& stats() override { return stats_; }
  const protocol::TrafficTable& traffic() const override { return traffic_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  base::Properties properties() const override {
    return {{"ports", static_cast<double>(ports_.size())}, {"slices", static_cast<double>(slices_.size())}};
  }
  void settle_stats() override {
    catch_up();
    Component::settle_stats();
  }
  void dump_state(std::ostream& out) const override;
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  struct Response {
    protocol::Payload* payload;
    std::uint32_t requester;
  };
  struct Arrival {
    protocol::Payload* payload;
    std::uint32_t slice;
  };
  struct Port {
    explicit Port(std::size_t requesters) : held(requesters) {}
    base::BoundedQueue<std::uint16_t> held;  // requesters whose sockets hold a request, in order of arrival
    template <class Archive>
    void serialize(Archive& archive) {
      archive(held);
    }
  };
  struct Slice {
    explicit Slice(std::size_t requests) : arrived(requests) {}
    base::BoundedQueue<protocol::Payload*> arrived;  // at the slice, which has not accepted them
    std::uint64_t in_flight = 0;
    base::Cycle full_since = base::kNever;  // kNever: no request waits for slice_requests
    template <class Archive>
    void serialize(Archive& archive) {
      archive(arrived, in_flight, full_since);
    }
  };

  bool on_request(unsigned requester, protocol::Payload& payload) override;
  unsigned on_debug(unsigned requester, protocol::Payload& payload) override;
  bool on_direct_memory(unsigned requester, protocol::Payload& payload, tlm::tlm_dmi& dmi) override;
  void on_response(unsigned slice, protocol::Payload& payload) override;
  void on_ready(unsigned) override { wake_now(); }

  std::uint16_t packets(std::uint64_t bytes) const {
    return static_cast<std::uint16_t>(bytes == 0 ? 1 : (bytes - 1) / params_.packet_bytes + 1);
  }
  void enqueue(unsigned requester, protocol::Payload& payload);
  bool has_room(unsigned slice);
  void move_request(unsigned port, const Transfer& transfer);
  void move_response(unsigned slice, const Transfer& transfer);
  void deliver(const Arrival& arrival);
  void hand_over();
  void plan_wake();

  const NetworkParams params_;
  const protocol::SliceMap map_;
  NetworkStats stats_;
  protocol::TrafficTable traffic_;
  std::vector<Port> ports_;
  std::vector<Slice> slices_;
  Switch requests_, responses_;
  base::Calendar<Arrival> to_slices_;
  base::Calendar<Response> to_requesters_;
  base::PortSet arrived_;  // slices with requests that have arrived
  std::uint64_t inside_ = 0;  // requests accepted and not answered
  bool moved_ = false;  // in this tick
};

}  // namespace spica::interconnect
