// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <systemc>
#include <vector>

#include "models/base/component.h"
#include "models/base/cycle_ring.h"
#include "models/base/late_cycles.h"
#include "models/cache/bank.h"
#include "models/cache/cache_params.h"
#include "models/cache/cache_stats.h"
#include "models/cache/data_path.h"
#include "models/cache/memory_side.h"
#include "models/cache/part_counters.h"
#include "models/cache/prefetching.h"
#include "models/cache/response_path.h"
#include "models/protocol/transport/sockets.h"

namespace spica::cache {

/// A cache: L1 instruction, L1 data or L2, by its parameters. Models tags and timing only. The data of a request moves
/// directly to or from global memory in the cycle in which a bank first serves the request, so a line is never stale.
/// Requests marked timing_only move nothing.
///
/// Shape    banks x sets x ways lines, banks interleaved by line; a line has `sectors` sectors with separate valid bits
/// Accepts  any number of ports, each request inside one line; one request per bank and cycle
/// Order    requests to one bank are served in the order of arrival, over all ports
/// Timing   hit: served in the cycle after it was sent if the bank is free, answered hit_latency cycles later. Miss:
///          sent to memory miss_latency after it was served; the response takes one cycle of fill and one of distance,
///          then the replay is answered hit_latency later. One response per port and cycle, one request to memory per
///          cycle
/// Words    a read-only cache with one port and whole lines returns a word that hits in an idle bank at once, with the
///          response time, if the initiator asks for it (InitiatorSocket::read_word)
/// Writes   write-through: acknowledged like a hit, and forwarded. Write-back: see Bank
/// Parts    with several partitions a request is looked up in all ways, but allocates in the ways of its partition
///          (Parts)
/// Atomics  4 bytes, performed in one access of the bank like a write; LR and SC use the reservations shared by all
///          caches
/// Omits    coherence traffic (data is never stale), conflicts among sub-banks, ECC
/// Source   virgo memory/VortexCache.scala; vortex cache/VX_cache_bank.sv
class Cache final : public base::Component,
                    public protocol::ReservationUser,
                    private protocol::RequestHandler,
                    private protocol::ResponseHandler {
 public:
  Cache(const sc_core::sc_module_name& name, const Params& params, const base::ClockDomain& clock);

  sc_core::sc_vector<protocol::TargetSocket> in;
  protocol::InitiatorSocket out{"out"};

  /// Makes this cache use the reservations of the whole machine. Call before the simulation starts. Every cache at
  /// which accesses take effect (L1 data caches, and the L2 for DMA) needs the same object.
  void share_reservations(Reservations& reservations) override { data_.share(reservations); }

  void tick() override;
  void reset() override;
  bool idle() const override;
  Stats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(params_.role); }
  static const base::BlockType& block_type(Role role);
  base::AreaTerms area() const override;
  base::Properties properties() const override {
    const auto sector = params_.line_bytes / params_.sectors;
    const auto bytes = static_cast<double>(sector);
    return {{"sector_bytes", bytes},
            {"sector_accesses", bytes <= 32 ? 1 : bytes / 32},
            {"ways", static_cast<double>(params_.ways)},
            {"peak_bytes", static_cast<double>(params_.banks * params_.bank_bytes_per_cycle)}};
  }
  void settle_stats() override;
  void dump_state(std::ostream& out) const override;
  void objects(base::Checkpoint& checkpoint) override;
  /// Not saved: parts_, whose counters are in stats_.
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  struct BankPort {
    BankPort(const Params& params, unsigned number, ResponsePath& responses)
        : bank(params, number, responses), held(params.ports) {}
    Bank bank;
    template <class Archive>
    void serialize(Archive& archive) {
      archive(bank, held);
    }
    base::BoundedQueue<std::uint16_t> held;  // ports whose sockets hold a request, in order of arrival
  };

  bool on_request(unsigned port, protocol::Payload& payload) override;
  bool read_word(unsigned port, std::uint64_t address, std::uint32_t& word, base::Cycle& cycles) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  bool on_direct_memory(unsigned port, protocol::Payload& payload, tlm::tlm_dmi& dmi) override;
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override {
    if (memory_.waits()) wake_now();
  }

  unsigned bank_of(std::uint64_t address) const {
    return static_cast<unsigned>(map_.line(address)) & bank_mask_;
  }
  void accept(Bank& bank, unsigned port, protocol::Payload& payload);
  void deliver();
  void retry(unsigned number);
  bool serve_hit(unsigned number);
  bool visit(unsigned number);
  bool serve(BankPort& place);
  void copy(const Request& request) {
    if (request.moves_data) data_.copy(*request.payload);
    else request.payload->set_response_status(tlm::TLM_OK_RESPONSE);
  }
  void perform(const Request& request, const Bank& bank);
  bool fill(Bank& bank);
  void count_sectors(const Bank& bank);
  void count_write_back(const Bank& bank);
  void prefetch(const Bank& bank, const Request* request);
  void take_held(BankPort& place);
  void charge(bool served);

  Stats stats_;
  const Params params_;
  std::vector<protocol::TargetSocket*> ports_;  // in[] without range checks
  MemorySide memory_{params_, stats_, out};

  // Members of an early hit.
  alignas(64) const LineMap map_;
  const unsigned bank_mask_;
  base::LateCycles early_hits_;
  std::vector<BankPort> banks_;
  DataPath data_;

  // Members of every tick.
  alignas(64) std::uint64_t inside_ = 0;  // requests accepted and not answered
  std::uint32_t blocked_ = 0;  // banks with a blocked request
  std::uint32_t freed_ = 0;  // banks that may act in the next tick
  base::CycleAccount& activity_;
  ResponsePath responses_{params_};
  base::DueCalendar<std::uint32_t> calendar_;  // banks that act without outside events

  // Members of every served request.
  const bool read_only_;
  base::Counter nothing_;
  const std::array<base::Counter*, kOutcomes> counters_;  // by Outcome
  PartCounters parts_{params_, stats_};
  const std::unique_ptr<Prefetching> prefetching_ = Prefetching::make(params_, stats_);  // nullptr: off
};

}  // namespace spica::cache
