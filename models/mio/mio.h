// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/component.h"
#include "models/base/round_robin.h"
#include "models/mio/mio_params.h"
#include "models/mio/mio_stats.h"
#include "models/protocol/payload_pool.h"
#include "models/protocol/sockets.h"

namespace spica::mio {

/// The memory path that the cores of a streaming multiprocessor share (memory input/output): queues, and one access at a
/// time to shared memory or, with `shared_data_path`, to the level 1 data cache in the same array.
///
/// Accepts  warp accesses at smem_in[core] and gmem_in[core], `queue_depth` of each core
/// Timing   sent on in the cycle after acceptance at the earliest, the cores in turn, those of one core in order. An
///          access has the path for as many cycles as shared memory needs to serve it (WarpAccess::passes), one to global
///          memory for its different sectors of 32 bytes at `bytes_per_cycle`; both at least bytes of all lanes /
///          bytes_per_cycle. Answers pass in the cycle in which they come
/// Order    a core's access waits for the one before it, whichever memory that goes to
/// Errors   those of the memories
/// Omits    cycles of the path for line fills of the level 1 cache and for answers (D185)
/// Source   lee section 2.1, figure 2
class Mio final : public base::Component,
                  private protocol::RequestHandler,
                  private protocol::ResponseHandler {
 public:
  Mio(const sc_core::sc_module_name& name, const MioParams& params, const base::ClockDomain& clock);

  sc_core::sc_vector<protocol::WarpTargetSocket> smem_in,
      gmem_in;  // by core; the latter with shared_data_path
  protocol::WarpInitiatorSocket smem{"smem"};
  sc_core::sc_vector<protocol::WarpInitiatorSocket> gmem;  // one with shared_data_path, else none

  void tick() override;
  void reset() override;
  bool idle() const override { return open_ == 0; }
  Stats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& out) const override;
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  enum Side : std::uint8_t { kShared, kGlobal };
  struct Item {
    protocol::WarpPayload* payload = nullptr;
    Side side = kShared;
  };
  /// Of a core: what waits for the path, and the ports whose sockets hold a request, in order of arrival.
  struct Queue {
    explicit Queue(std::size_t depth) : items(depth) {}
    base::BoundedQueue<Item> items;
    base::BoundedQueue<std::uint8_t> held{2};

    template <class Archive>
    void serialize(Archive& archive) {
      archive(items, held);
    }
  };
  /// The ports of a core: side * cores + core.
  Side side_of(unsigned port) const { return port < cores_ ? kShared : kGlobal; }

  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  bool on_direct_memory(unsigned port, protocol::Payload& payload, tlm::tlm_dmi& dmi) override;
  void on_response(unsigned side, protocol::Payload& payload) override;
  void on_ready(unsigned side) override;

  void enqueue(unsigned port, protocol::Payload& payload);
  void take_held(Queue& queue);
  void send(const Item& item);
  void occupy(const protocol::WarpPayload& payload, Side side);
  bool any_waits() const { return (waiting_[kShared] | waiting_[kGlobal]) != 0; }
  protocol::WarpInitiatorSocket& out(unsigned side) { return side == kShared ? smem : gmem[0]; }

  const MioParams params_;
  const unsigned cores_;
  base::Cycle free_ = 0;  // first cycle in which the path is; kNever while a memory holds an access
  std::uint64_t waiting_[2] = {0, 0};  // cores by side of the access at the head of their queue
  const protocol::WarpPayload* offered_ = nullptr;  // which a memory holds
  std::uint64_t open_ = 0;  // accesses accepted and not answered
  std::vector<Queue> queues_;  // by core
  std::vector<protocol::WarpTargetSocket*> ports_;
  base::RoundRobin turn_;  // among the cores
  Stats stats_;
};

}  // namespace spica::mio
