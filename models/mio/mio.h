// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/component.h"
#include "models/base/round_robin.h"
#include "models/mio/core_order.h"
#include "models/mio/mio_params.h"
#include "models/mio/mio_stats.h"
#include "models/mio/writeback.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/transport/sockets.h"
#include "models/protocol/transport/warp_passage.h"

namespace spica::mio {

/// The memory path shared by the cores of a streaming multiprocessor (memory input/output): queues, and one or two
/// load/store units. Each unit has one access at a time to shared memory or, with `shared_data_path`, to the level 1
/// data cache in the same array.
///
/// Accepts  warp accesses at smem_in[core] and gmem_in[core], `queue_depth` per core
/// Timing   sent in the cycle after acceptance at the earliest, cores in turn, those of one core in order. An access to
///          shared memory occupies its unit for the cycles that shared memory needs to serve it (WarpAccess::passes),
///          one to global memory for its different sectors of 32 bytes at `bytes_per_cycle`; both at least for bytes of
///          all lanes / bytes_per_cycle. Answers pass in the cycle in which they arrive, or through a
///          write-back port (WritebackPort)
/// Units    each has its own ports to the memories; a bank of shared memory that both request serves one of them. Two
///          full units serve half of the cores each. A shared_only unit takes accesses to shared memory from all cores
///          when the full unit is occupied
/// Order    a core's access waits for the previous one, to either memory; accesses to shared memory also follow
///          CoreOrder
/// Errors   those of the memories
/// Omits    cycles of the path for line fills of the level 1 cache and, without ports, for answers (D185)
/// Source   lee section 2.1, figure 2; ho section II.C, figure 5
class Mio final : public base::Component, private protocol::WarpPassage {
 public:
  Mio(const sc_core::sc_module_name& name, const MioParams& params, const base::ClockDomain& clock);

  sc_core::sc_vector<protocol::WarpTargetSocket> smem_in,
      gmem_in;  // by core; gmem_in only with shared_data_path
  sc_core::sc_vector<protocol::WarpInitiatorSocket> smem,
      gmem;  // by unit; gmem of full units with shared_data_path

  void tick() override;
  void reset() override;
  bool idle() const override { return open_ == 0; }
  Stats& stats() override { return stats_; }
  base::Properties properties() const override;
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
  /// The state of a core: accesses that wait for the path, and ports whose sockets hold a request, in order of arrival.
  struct Queue {
    explicit Queue(std::size_t depth) : items(depth) {}
    base::BoundedQueue<Item> items;
    base::BoundedQueue<std::uint8_t> held{2};
    CoreOrder order;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(items, held, order);
    }
  };
  struct Unit {
    explicit Unit(unsigned cores) : turn(cores) {}
    base::Cycle free = 0;  // first cycle in which the unit is free; kNever while a memory holds its access
    const protocol::WarpPayload* offered = nullptr;  // the access that a memory holds
    base::RoundRobin turn;  // arbitration between the cores
    std::uint64_t serves[2] = {0, 0};  // cores served, by side

    /// Not saved: serves.
    template <class Archive>
    void serialize(Archive& archive) {
      archive(free, offered, turn);
    }
  };
  /// Ports of a core: side * cores + core. Ports to the memories: side * units + unit.
  Side side_of(unsigned port) const { return port < cores_ ? kShared : kGlobal; }

  bool on_request(unsigned port, protocol::Payload& payload) override;
  protocol::WarpInitiatorSocket& way(unsigned port) override { return out(0, side_of(port)); }
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned port) override;

  void enqueue(unsigned port, protocol::Payload& payload);
  void take_held(Queue& queue);
  void tick_unit(unsigned unit);
  std::uint64_t ready_for(unsigned unit) const;
  std::uint64_t allowed(unsigned unit, std::uint64_t shared) const;
  void answer(protocol::WarpPayload& payload);
  void send(unsigned unit, unsigned core, const Item& item);
  void occupy(unsigned unit, const protocol::WarpPayload& payload, Side side);
  bool any_waits(const Unit& unit) const {
    return ((waiting_[kShared] & unit.serves[kShared]) | (waiting_[kGlobal] & unit.serves[kGlobal])) != 0;
  }
  base::CycleAccount& path(unsigned unit) { return *stats_.paths[unit]; }
  protocol::WarpInitiatorSocket& out(unsigned unit, Side side) {
    return side == kShared ? smem[unit] : gmem[unit];
  }

  const MioParams params_;
  const unsigned cores_;
  std::uint64_t waiting_[2] = {0, 0};  // cores, by the side of the first access in their queue
  std::uint64_t open_ = 0;  // accesses accepted and not answered
  std::vector<Unit> units_;
  std::vector<Queue> queues_;  // by core
  std::vector<protocol::WarpTargetSocket*> ports_;
  Stats stats_;
  Writeback writeback_;
};

}  // namespace spica::mio
