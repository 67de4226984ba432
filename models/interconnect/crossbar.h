// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/channel_account.h"
#include "models/base/component.h"
#include "models/base/round_robin.h"
#include "models/interconnect/interconnect_params.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/transport/sockets.h"

namespace spica::interconnect {

struct CrossbarStats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter reads{*this, "reads", Unit::kCount, "read requests carried"};
  base::Counter writes{*this, "writes", Unit::kCount, "write requests carried"};
  base::Counter bytes_read{*this, "bytes_read", Unit::kBytes, "data carried to the masters"};
  base::Counter bytes_written{*this, "bytes_written", Unit::kBytes, "data carried to the targets"};
  base::Counter request_beats{*this, "request_beats", Unit::kCycles,
                              "cycles in which a request channel carried a beat"};
  base::Counter response_beats{*this, "response_beats", Unit::kCycles,
                               "cycles in which a response channel carried a beat"};
  base::Counter address_errors{*this, "address_errors", Unit::kCount,
                               "requests to an address without a target"};
};

/// The system bus: masters share one request channel and one response channel per target.
///
/// Accepts  one request per cycle and master, `master_queue` deep
/// Timing   request: n beats (reads 1, writes bytes / beat_bytes) occupy the target's channel for n cycles; delivered
///          request_latency + n - 1 cycles after acceptance without contention. Response (reads bytes / beat_bytes,
///          writes 1 beat): response_latency + n - 1 cycles after the target's response
/// Order    requests of one master stay in order; masters are served round robin, once per request
/// Accounts of the request and response channels: ChannelAccount, and Wait
/// Errors   no target at the address: TLM_ADDRESS_ERROR_RESPONSE
/// Source   chipyard RadianceConfigs.scala
class Crossbar final : public base::Component,
                       private protocol::RequestHandler,
                       private protocol::ResponseHandler {
 public:
  /// `map` gives the target of an address (Region::target). An empty map sends everything to target 0.
  Crossbar(const sc_core::sc_module_name& name, const CrossbarParams& params, const base::ClockDomain& clock,
           const protocol::AddressMap& map = {});

  sc_core::sc_vector<protocol::TargetSocket> in;
  sc_core::sc_vector<protocol::InitiatorSocket> out;

  void tick() override;
  void reset() override;
  bool idle() const override;
  CrossbarStats& stats() override { return stats_; }
  void catch_up() override {
    request_use_.advance(now());
    response_use_.advance(now());
  }
  void settle_stats() override {
    catch_up();
    Component::settle_stats();
  }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  base::Properties properties() const override { return {{"targets", static_cast<double>(params_.targets)}}; }
  void dump_state(std::ostream& out) const override;
  /// Not saved: found_, which is valid only within a call.
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  struct Transfer {
    protocol::Payload* payload;
    base::Cycle due;
  };
  struct Response {
    protocol::Payload* payload;
    unsigned master;
    base::Cycle due;
  };
  struct Channel {
    Channel(const CrossbarParams& params);
    base::RoundRobin arbiter;
    base::BoundedQueue<Transfer> requests;  // on its way to the target
    base::BoundedQueue<Response> responses;
    base::Cycle request_free = 0;  // first cycle in which the request channel may start a transfer
    base::Cycle response_free = 0;  // the same for responses
    template <class Archive>
    void serialize(Archive& archive) {
      archive(arbiter, requests, responses, request_free, response_free, outstanding);
    }
    std::uint64_t outstanding = 0;
  };
  static constexpr unsigned kNoTarget = ~0u;
  /// Why a request channel carries nothing although a request waits.
  enum Wait : unsigned { kOutstanding = base::ChannelAccount::kFirstWait, kTargetHeld };

  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  bool on_direct_memory(unsigned port, protocol::Payload& payload, tlm::tlm_dmi& dmi) override;
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override { wake_now(); }

  unsigned target_of(std::uint64_t address) const;
  base::Cycle beats(unsigned bytes) const {
    return bytes == 0 ? 1 : (std::uint64_t{bytes} + params_.beat_bytes - 1) / params_.beat_bytes;
  }
  /// A further request may be in flight to its target.
  bool has_credit(const Channel& channel) const {
    return channel.outstanding + channel.responses.size() < params_.max_outstanding;
  }
  void deliver_responses(Channel& channel);
  void hand_over(unsigned target);
  /// Masters whose oldest request goes to `target`.
  const base::PortSet& requests_for(unsigned target) {
    return targets_.size() == 1 ? waiting_ : find_requests(target);
  }
  const base::PortSet& find_requests(unsigned target);
  void arbitrate(unsigned target);
  void refuse_unmapped();
  void take_held(unsigned master);
  void plan_wake();

  const CrossbarParams params_;
  const protocol::AddressMap map_;
  CrossbarStats stats_;
  std::vector<protocol::TargetSocket*> masters_;  // in[] and out[], without range checks
  std::vector<protocol::InitiatorSocket*> targets_;
  std::vector<base::BoundedQueue<protocol::Payload*>> queues_;  // by master
  std::vector<Channel> channels_;  // by target
  base::ChannelAccounts request_use_, response_use_;  // by target
  base::PortSet waiting_;  // masters with a queued request
  base::PortSet served_;  // masters served in this cycle
  base::PortSet found_;  // result of find_requests()
};

}  // namespace spica::interconnect
