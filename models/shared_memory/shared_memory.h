// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/shared_memory/answers.h"
#include "models/shared_memory/arbiter.h"
#include "models/shared_memory/bank_map.h"
#include "models/shared_memory/banks.h"
#include "models/shared_memory/bursts.h"
#include "models/shared_memory/independent_lanes.h"
#include "models/shared_memory/ports.h"
#include "models/shared_memory/request_reader.h"
#include "models/shared_memory/shared_memory_block.h"

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
  using Ports = BasicPorts<WordBanks>;
  using Port = BasicPort<WordBanks>;
  using Request = BasicRequest<WordBanks>;

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
  // protocol::RequestHandler
  bool on_request(unsigned source, protocol::Payload& payload) override;
  unsigned on_debug(unsigned source, protocol::Payload& payload) override;
  bool on_direct_memory(unsigned source, protocol::Payload& payload, tlm::tlm_dmi& dmi) override;
  // protocol::LaneMemory
  std::uint32_t waiting_lanes(unsigned source) const override;

  void enqueue(unsigned source, protocol::Payload& payload);
  void connect_lanes(unsigned source, protocol::LaneWires& wires);
  void take_held();
  void come_up(base::Cycle now);
  void serve(base::Cycle now);
  void finish(unsigned source, base::Cycle now);

  const SharedMemoryParams params_;
  SharedMemoryStats stats_;
  const BankMap map_;
  const BasicRequestReader<WordBanks> reader_;
  Ports ports_;
  BasicBanks<WordBanks> banks_;
  BasicAnswers<WordBanks> answers_;
  BasicIndependentLanes<WordBanks> lanes_;
  BasicArbiter<WordBanks> arbiter_;
  BasicBursts<WordBanks> bursts_;
};
using SharedMemory = BasicSharedMemory<WordBanks>;

}  // namespace spica::shared_memory
