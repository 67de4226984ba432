// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/bounded_queue.h"
#include "models/base/component.h"
#include "models/coalescer/coalescer_params.h"
#include "models/coalescer/coalescer_stats.h"
#include "models/coalescer/request_sender.h"
#include "models/coalescer/stack_accesses.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/payload/reservations.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/transport/sockets.h"

namespace spica::coalescer {

/// Turns the lane addresses of a warp access into line requests.
///
/// Accepts  one warp access per cycle, `queue_depth` deep. Accesses of different lanes in one cycle are one entry of
///          the queue: a core with independent lanes sends them so
/// Timing   starts in the cycle after acceptance, with one coalesced request per cycle: the lowest lane that shares its
///          block of line_bytes with another lane leads, and all lanes in that block follow. Then all lanes that are
///          alone in their block leave in one cycle, each through its own port, as far as ids and ports allow. The next
///          access starts one cycle later and overlaps with the responses of this one. The answer is sent to the core
///          response_latency cycles after the last response
/// Data     coalesced loads read the whole block, and name the sectors of the cache line that the lanes need. Coalesced
///          stores carry byte enables; if lanes store to the same bytes, the highest lane wins. Single requests have
///          the width of the access
/// Atomics  one lane after the other in lane order, each after the response of the one before; later accesses wait
/// Order    requests leave in the order of the accesses, so a cache that serves a line in order of arrival keeps the
///          program order of each thread
/// Stacks   with `local_stride`, see LocalMemory: an access to stacks takes effect here when it is the next to be sent,
///          and continues as a timing_only request to the address that the caches use. An access with lanes in stacks
///          and others does so alone
/// Time     a timing_only request (RequestInfo) becomes timing_only requests; never one for a whole line
/// Errors   the worst response status of the parts becomes that of the access
/// Omits    per-lane response queues (the core takes a response at once)
/// Source   virgo memory/Coalescing.scala
class Coalescer final : public base::Component,
                        public protocol::Probed,
                        public protocol::ReservationUser,
                        private protocol::RequestHandler,
                        private protocol::ResponseHandler {
 public:
  Coalescer(const sc_core::sc_module_name& name, const Params& params, const base::ClockDomain& clock);

  protocol::WarpTargetSocket in{"in"};
  /// Port l carries single requests of lane l; the last port carries coalesced requests.
  sc_core::sc_vector<protocol::InitiatorSocket> out;

  void tick() override;
  void reset() override;
  bool idle() const override { return open_ == 0; }
  Stats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& out) const override;
  void objects(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;
  /// Stores to stacks end reservations.
  void share_reservations(protocol::Reservations& reservations) override { stacks_.share(reservations); }

 private:
  /// A waiting access.
  struct Waiting {
    protocol::WarpPayload* payload = nullptr;
    bool concurrent = false;  // belongs to the entry before it
  };
  struct Done {
    protocol::Payload* payload;
    base::Cycle due;
  };

  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned, protocol::Payload& payload) override {
    return sender_.line_socket()->transport_dbg(payload);
  }
  bool on_direct_memory(unsigned, protocol::Payload& payload, tlm::tlm_dmi& dmi) override {
    return sender_.line_socket()->get_direct_mem_ptr(payload, dmi);
  }
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned port) override;

  void accept(protocol::Payload& payload, bool concurrent);
  protocol::WarpPayload& next_access();
  bool can_begin() const {
    return !sender_.has_head() && !queue_.empty() && open_ - queue_.size() < done_.capacity();
  }
  void begin();
  void begin_head();
  unsigned send_head();
  void send_concurrent();
  void charge(unsigned activity);
  void finish(protocol::WarpPayload& warp);

  const Params params_;
  base::BoundedQueue<Waiting> queue_;
  std::size_t entries_ = 0;  // entries of the queue
  base::Cycle accepted_ = base::kNever;  // cycle of the last accepted access
  base::BoundedQueue<Done> done_;  // accesses to answer
  std::size_t open_ = 0;  // accesses accepted and not answered
  unsigned blocked_ = 0;  // why the head waits (Stats::Activity); 0: it does not
  Stats stats_;
  RequestSender sender_{params_, out, stats_, *this};
  StackAccesses stacks_{params_, sender_.line_socket()};
};

}  // namespace spica::coalescer
