// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <systemc>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/calendar.h"
#include "models/base/round_robin.h"
#include "models/protocol/payload_pool.h"
#include "models/shared_memory/align_filter.h"
#include "models/shared_memory/bank_cycle.h"
#include "models/shared_memory/bank_map.h"
#include "models/shared_memory/banks.h"
#include "models/shared_memory/bursts.h"
#include "models/shared_memory/lanes_apart.h"
#include "models/shared_memory/ports.h"
#include "models/shared_memory/request.h"
#include "models/shared_memory/shared_memory_block.h"
#include "models/shared_memory/unaligned_path.h"

namespace spica::shared_memory {

/// Banked shared memory of one cluster: storage, bank timing and arbitration (README.md has the rules).
///
/// Shape    banks x words word banks, one read and one write port each (default 4 x 8 x 4 B, 64 KB)
/// Accepts  core_in[core]: WarpPayload, guest addresses; wide_in[port]: LinePayload inside one line, byte offsets, or a
///          burst (RequestInfo::beat_bytes, aligned to it): a beat inside one line per cycle. One request per port and
///          cycle, in order; ports do not wait for each other but at banks
/// Timing   a request sent in cycle t that finds its banks free is answered in
///          core, all aligned: t + core_request_latency + {read,write}_latency + core_response_latency
///          wide: t + max(1, wide_buffer_latency) + {read,write}_latency + wide_buffer_latency; of a burst the first
///          beat, one more cycle for each further one
///          n lanes on one word bank take n cycles; so do n unaligned lanes on a fully serialised path
/// Effect   data moves in the cycle in which the bank serves the lane or the wide request; a load sees a store served
///          in the same cycle
/// Errors   a lane or byte outside TLM_ADDRESS_ERROR_RESPONSE (nothing moves), a wide request that is empty or crosses
///          a line TLM_BURST_ERROR_RESPONSE, a core request without WarpAccess or a command other than read and write
///          TLM_COMMAND_ERROR_RESPONSE. Timed like requests without bank conflicts
/// Omits    ECC, power gating, partial service of a wide request
/// Source   virgo tile/RadianceSharedMem.scala; paper
/// Host     sets of up to 64 word banks are one word, longer ones arrays; make_shared_memory() chooses
template <class WordBanks>
class BasicSharedMemory final : public SharedMemoryBlock,
                                private protocol::RequestHandler,
                                private protocol::LaneMemory {
  using BankMap = BasicBankMap<WordBanks>;
  using AlignFilter = BasicAlignFilter<WordBanks>;
  using Ports = BasicPorts<WordBanks>;
  using Port = BasicPort<WordBanks>;
  using Request = BasicRequest<WordBanks>;
  using LanesApart = shared_memory::LanesApart<WordBanks>;
  using OpenLanes = shared_memory::OpenLanes<WordBanks>;
  using Banks = BasicBanks<WordBanks>;

 public:
  BasicSharedMemory(const sc_core::sc_module_name& name, const SharedMemoryParams& params,
                    const base::ClockDomain& clock);

  /// The contents by byte offset, for the host (loader, reports): no time, no statistics.
  unsigned char* data() override { return banks_.cells().data(); }
  const unsigned char* data() const override { return banks_.cells().data(); }
  std::size_t size() const override { return banks_.cells().size(); }
  const SharedMemoryParams& params() const override { return params_; }

  void tick() override;
  void reset() override;
  bool idle() const override;
  SharedMemoryStats& stats() override { return stats_; }
  void catch_up() override { bursts_.catch_up(now() - 1); }
  void settle_stats() override;
  void dump_state(std::ostream& out) const override;
  void objects(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  // requests and responses (shared_memory_requests.cpp)
  bool on_request(unsigned source, protocol::Payload& payload) override;
  unsigned on_debug(unsigned source, protocol::Payload& payload) override;
  bool on_direct_memory(unsigned source, protocol::Payload& payload, tlm::tlm_dmi& dmi) override;
  void enqueue(unsigned source, protocol::Payload& payload);
  void read_wide(Request& request);
  void read_warp(Request& request);
  void refuse(Request& request, tlm::tlm_response_status status);
  void take_held();
  void connect_lanes(unsigned source, protocol::LaneWires& wires);
  /// Lanes are answered in this cycle: bursts do not proceed alone.
  bool lanes_answer(base::Cycle now) const {
    return lanes_.answering != 0 || (lanes_.to_come != 0 && responses_.next(now - 1) == now);
  }

  // one cycle at the banks (shared_memory.cpp)
  void serve();
  void come_up(base::Cycle now);
  template <bool kApart>
  bool serve_all();
  void choose_direction(Sources unaligned[2]);
  template <bool kApart>
  void serve_network(Direction direction, Sources heads, Sources cores);
  void serve_chosen(Direction direction, Sources heads);
  void serve_wide(unsigned source, Request& request) {
    banks_.serve_wide(request, *ports_[source].words[request.direction]);
  }
  void serve_head(Request& request);
  void serve_unaligned(Direction direction, Sources cores);
  std::uint32_t offer(UnalignedPath& path, unsigned core, Direction direction);
  std::uint32_t serve_offered(unsigned source, std::uint32_t lanes);
  std::uint32_t serve_unaligned_lanes(Request& request, std::uint32_t lanes);
  void finish(unsigned source);
  bool answered_at_once(const Response& response, base::Cycle now);
  void respond(const Response& response) {
    Port& port = ports_[response.source];
    --port.in_flight;
    ports_.room_made |= bit(response.source);
    port.socket->respond(*response.payload);
  }

  // cores whose lanes proceed one by one (shared_memory_lanes.cpp)
  void answer_lanes();
  void come_up_behind();
  void open_lanes(unsigned source, Request& request, std::uint32_t lanes);
  void add_open(unsigned source, Request& request, std::uint32_t lanes);
  void resume(unsigned source, std::size_t index, std::uint32_t lanes);
  void serve_open(unsigned source, Direction direction, WordBanks within);
  std::uint32_t serve_offered_open(unsigned source, Direction direction, std::uint32_t lanes);
  /// `lanes` of a request, or all of it (0), are answered when the banks have them.
  void answer(unsigned source, const Request& request, std::uint32_t lanes) {
    responses_.schedule(now(), now() + ports_[source].latency[request.direction],
                        {request.payload, source, lanes});
    if (lanes != 0) ++lanes_.to_come;
  }
  void finish_behind(unsigned source, std::size_t index);
  void finish_apart(unsigned source);
  void end_of_cycle(unsigned source);
  bool end_of_open_cycle(unsigned source);
  void serve_mixed(unsigned source);
  std::uint32_t waiting_lanes(unsigned source) const override;
  /// Unaligned lanes of a core before the banks.
  std::uint32_t unaligned_lanes(unsigned source, Direction direction) {
    if ((lanes_.apart & bit(source)) != 0)
      return lanes_.open[source - ports_.first_core].unaligned[direction];
    return ports_.head(source).direction == direction ? ports_.head(source).unaligned : 0;
  }
  /// Word banks that the head, or the lanes of a core before the banks, want on the direct way.
  WordBanks wanted_by(unsigned source, Direction direction) {
    return (lanes_.apart & bit(source)) != 0 ? lanes_.open[source - ports_.first_core].banks[direction]
                                             : ports_.head(source).banks;
  }
  Ports ports_;
  LanesApart lanes_;
  BankCycle cycle_;

  const BankMap map_;
  Banks banks_;
  BasicBursts<WordBanks> bursts_;
  base::Calendar<Response> responses_;
  const SharedMemoryParams params_;
  const AlignFilter filter_;
  std::vector<base::RoundRobin> chosen_[2];  // by direction and bank
  UnalignedPath unaligned_[2]{UnalignedPath(params_),
                              UnalignedPath(params_)};  // by direction; joined: the first one serves both

  SharedMemoryStats stats_;
};
using SharedMemory = BasicSharedMemory<WordBanks>;

}  // namespace spica::shared_memory
