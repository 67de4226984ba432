// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/component.h"
#include "models/coalescer/access_table.h"
#include "models/coalescer/coalescer_params.h"
#include "models/coalescer/lane_groups.h"
#include "models/coalescer/lane_sectors.h"
#include "models/coalescer/local_memory.h"
#include "models/coalescer/request_ports.h"
#include "models/protocol/direct_memory.h"
#include "models/protocol/payload_pool.h"
#include "models/protocol/probe_if.h"
#include "models/protocol/reservations.h"
#include "models/protocol/sockets.h"

namespace spica::coalescer {

struct Stats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter loads{*this, "loads", Unit::kCount, "warp loads accepted"};
  base::Counter stores{*this, "stores", Unit::kCount, "warp stores accepted"};
  base::Counter atomics{*this, "atomics", Unit::kCount, "warp atomics accepted"};
  base::Counter line_requests{*this, "line_requests", Unit::kCount, "coalesced requests sent"};
  base::Counter single_requests{*this, "single_requests", Unit::kCount, "requests of one lane sent"};
  base::Counter coalesced_lanes{*this, "coalesced_lanes", Unit::kCount,
                                "lanes that travelled in coalesced requests"};
  base::CycleAccount& activity = account("activity", "what the head of the queue did",
                                         {"idle", "sent", "no_id", "cache_busy", "atomic_order"});
  enum Activity : unsigned { kIdle, kSent, kNoId, kCacheBusy, kAtomicOrder };
};

/// Turns the lane addresses of one warp access into line requests.
///
/// Accepts  one warp access per cycle, `queue_depth` deep. Several that come in one cycle, of different lanes, are one
///          entry of the queue: a core whose lanes proceed one by one sends so
/// Timing   starts in the cycle after acceptance. Each cycle one coalesced request: the lowest lane that shares its
///          block of line_bytes with another lane leads, all lanes in that block follow. Then all lanes that are alone
///          in one cycle, each through its own port, as far as ids and ports allow. The next access starts one cycle
///          later and overlaps with the responses of this one. The answer goes to the core response_latency cycles
///          after the last response
/// Data     coalesced loads read the whole block, and say on which sectors of the cache's line the lanes are; coalesced stores carry byte enables, and of lanes that store to the
///          same bytes the highest wins. Singles are exactly as wide as the access
/// Atomics  lane by lane in lane order, each after the response of the one before it; the accesses behind wait
/// Order    requests leave in the order of the accesses, so a cache that serves a line in order of arrival keeps the
///          program order of each thread
/// Stacks   with `local_stride`, see LocalMemory: an access to stacks takes effect here, when it is the next to be
///          sent, and continues for timing only to where the caches have it. One of lanes in stacks and of others does
///          so alone
/// Time     a request for timing only (RequestInfo) becomes such requests; never one that is a whole line
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
  /// Port l carries single requests of lane l, the last port coalesced requests.
  sc_core::sc_vector<protocol::InitiatorSocket> out;

  void tick() override;
  void reset() override;
  bool idle() const override { return open_ == 0; }
  Stats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& out) const override;
  // Not saved: memory_, which finds its bytes again.
  void objects(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;
  /// Stores to stacks end reservations.
  void share_reservations(protocol::Reservations& reservations) override { reservations_ = &reservations; }

 private:
  using Access = AccessTable::Access;
  /// An access that waits.
  struct Waiting {
    protocol::WarpPayload* payload = nullptr;
    bool concurrent = false;  // part of the entry before it
  };
  struct Done {
    protocol::Payload* payload;
    base::Cycle due;
  };

  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned, protocol::Payload& payload) override {
    return out[free_.line()]->transport_dbg(payload);
  }
  bool on_direct_memory(unsigned, protocol::Payload& payload, tlm::tlm_dmi& dmi) override {
    return out[free_.line()]->get_direct_mem_ptr(payload, dmi);
  }
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned port) override;

  // stacks that are interleaved (coalescer_local.cpp)
  bool prepare_local();
  void perform_local(protocol::WarpPayload& warp);
  /// Its initiator knows nothing of it.
  static void end_local(protocol::WarpPayload& warp) {
    if (warp.access.local != protocol::WarpAccess::Local::kNone) warp.info.timing_only = false;
  }

  protocol::WarpPayload& next_access();
  bool can_begin() const {
    return head_ == AccessTable::kNone && !queue_.empty() && open_ - queue_.size() < done_.capacity();
  }
  bool send_whole();
  void begin();
  void send_concurrent();
  void accept(protocol::Payload& payload, bool concurrent);
  unsigned send_head();
  unsigned send_atomic(Access& access);
  unsigned send_line(Access& access, std::uint32_t group);
  unsigned send_singles(Access& access);
  protocol::LinePayload& part(const Access& access, std::uint32_t lanes, std::uint64_t address,
                              unsigned bytes);
  protocol::LinePayload& request(const protocol::WarpPayload& warp, std::uint64_t tag, std::uint32_t lanes,
                                 std::uint64_t address, unsigned bytes) {
    protocol::LinePayload& request = pool_.take();
    request.setup(warp.get_command(), address, bytes, warp.info.origin);
    request.info.origin.lanes = lanes;
    request.info.tag = tag;
    return request;
  }
  std::uint64_t block_of(std::uint32_t address) const {
    return std::uint64_t{address} >> line_shift_ << line_shift_;
  }
  /// Whether a request may leave through `port`: Stats::kSent, or what is in its way.
  unsigned obstacle(unsigned port) const {
    if (free_.without_id(port)) return Stats::kNoId;
    return free_.held(port) ? Stats::kCacheBusy : Stats::kSent;
  }
  void send(unsigned port, protocol::LinePayload& payload) {
    free_.take(port);
    ports_[port]->send(payload);
    if (!ports_[port]->ready()) free_.hold(port);
  }
  /// Notes what the head did in this cycle. Between its cycles the account is idle, but while the head is blocked.
  void charge(unsigned activity) {
    blocked_ = activity == Stats::kSent ? 0 : activity;
    if (blocked_ == 0) stats_.activity.charge_cycle(Stats::kSent, Stats::kIdle, now());
    else stats_.activity.charge(activity, now());
  }
  /// All of the access is done.
  void finish(protocol::WarpPayload& warp) {
    const base::Cycle due = now() + params_.response_latency;
    if (done_.empty()) wake_at(due);
    done_.push({&warp, due});
  }

  const Params params_;
  const unsigned line_shift_;
  base::BoundedQueue<Waiting> queue_;
  std::size_t entries_ = 0;  // of the queue
  base::Cycle accepted_ = base::kNever;  // the cycle of the last access that came
  base::BoundedQueue<Done> done_;  // to be answered
  std::size_t open_ = 0;  // accesses accepted and not answered
  unsigned head_ = AccessTable::kNone;  // access being sent
  unsigned blocked_ = 0;  // why the head waits (Stats::Activity), 0 when it does not
  LaneGroups lanes_;  // of the head
  AccessTable accesses_;  // begun, with requests in flight or to send
  RequestPorts free_;  // of `out`
  std::vector<protocol::InitiatorSocket*> ports_;  // out[], without its range checks
  protocol::LinePool pool_;
  const LaneSectors sectors_{params_};
  const LocalMemory local_{params_};
  protocol::DirectMemory memory_{out[free_.line()]};  // where the data of stacks is
  protocol::Reservations own_reservations_;
  protocol::Reservations* reservations_ = &own_reservations_;
  Stats stats_;
};

}  // namespace spica::coalescer
