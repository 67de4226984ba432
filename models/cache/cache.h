// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <systemc>
#include <vector>

#include "models/base/component.h"
#include "models/base/round_robin.h"
#include "models/cache/bank.h"
#include "models/cache/bank_calendar.h"
#include "models/cache/cache_params.h"
#include "models/cache/data_path.h"
#include "models/protocol/payload_pool.h"
#include "models/protocol/sockets.h"

namespace spica::cache {

struct Stats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter read_hits{*this, "read_hits", Unit::kCount, "reads that found their line"};
  base::Counter read_misses{*this, "read_misses", Unit::kCount, "reads that fetched their line"};
  base::Counter read_merged{*this, "read_merged", Unit::kCount,
                            "reads that joined an outstanding fetch of their line"};
  base::Counter write_hits{*this, "write_hits", Unit::kCount, "writes that found their line"};
  base::Counter write_misses{*this, "write_misses", Unit::kCount, "writes that did not find it"};
  base::Counter write_merged{*this, "write_merged", Unit::kCount,
                             "writes that joined an outstanding fetch of their line"};
  base::Counter replays{*this, "replays", Unit::kCount, "requests answered after their line was filled"};
  base::Counter atomics{*this, "atomics", Unit::kCount, "atomic operations, LR and SC performed here"};
  base::Counter bytes_read{*this, "bytes_read", Unit::kBytes, "data of reads and atomics served"};
  base::Counter bytes_written{*this, "bytes_written", Unit::kBytes, "data of writes served"};
  base::Counter fills{*this, "fills", Unit::kCount, "lines filled from memory"};
  base::Counter write_backs{*this, "write_backs", Unit::kCount, "dirty lines evicted"};
  base::Counter memory_reads{*this, "memory_reads", Unit::kCount, "lines requested from memory"};
  base::Counter memory_writes{*this, "memory_writes", Unit::kCount, "writes sent to memory"};
  base::Counter blocked_mshr{*this, "blocked_mshr", Unit::kCount,
                             "times a request found no free MSHR or no free entry in one"};
  base::Counter blocked_memory{*this, "blocked_memory", Unit::kCount,
                               "times a request found the queue to memory full"};
  base::Counter blocked_response{*this, "blocked_response", Unit::kCount,
                                 "times a request found no room for its response"};
  base::Counter hazards{*this, "hazards", Unit::kCycles,
                        "cycles a read waited directly behind a write to its line"};
  base::CycleAccount& activity =
      account("activity", "what the cache does", {"idle", "serving", "waiting", "blocked"});
  enum Activity : unsigned { kIdle, kServing, kWaiting, kBlocked };
};

/// A cache: L1 instruction, L1 data or L2, by its parameters. Keeps tags and time only; the data of
/// a request moves straight from or to global memory in the cycle in which a bank first serves the
/// request, so a line can never be stale. Requests marked timing_only move nothing.
///
/// Shape    banks x sets x ways lines, banks interleaved by line
/// Accepts  any number of ports, each request inside one line; one request per bank and cycle
/// Order    requests to one bank are served in the order of arrival, over all ports
/// Timing   hit: served in the cycle after it was sent when the bank is free, answered hit_latency
/// cycles
///          later. Miss: sent to memory miss_latency after it was served; on the response one cycle
///          of fill, one of distance, then the replay, answered hit_latency later. One response per
///          port and cycle, one request to memory per cycle
/// Words    a read-only cache with one port gives a word that hits in an idle bank at once, with the time that its
///          response would take, to an initiator that asks for it (InitiatorSocket::read_word)
/// Writes   write-through: acknowledged like a hit, and sent on. Write-back: see Bank
/// Atomics  4 bytes, performed in one access of the bank like a write; LR and SC use the
/// reservations
///          shared by all caches
/// Omits    coherence traffic (data is never stale), conflicts among sub-banks, ECC
/// Source   virgo memory/VortexCache.scala; vortex cache/VX_cache_bank.sv
class Cache final : public base::Component,
                    private protocol::RequestHandler,
                    private protocol::ResponseHandler {
 public:
  Cache(const sc_core::sc_module_name& name, const Params& params, const base::ClockDomain& clock);

  sc_core::sc_vector<protocol::TargetSocket> in;
  protocol::InitiatorSocket out{"out"};

  /// Makes this cache use the reservations of the whole machine; before the simulation starts.
  /// Every cache at which accesses take effect (L1 data caches, and the L2 for DMA) needs the same
  /// object.
  void share_reservations(Reservations& reservations) { data_.share(reservations); }

  void tick() override;
  void reset() override;
  bool idle() const override;
  Stats& stats() override { return stats_; }
  void settle_stats() override;
  void dump_state(std::ostream& out) const override;

 private:
  struct BankPort {
    BankPort(const Params& params);
    Bank bank;
    std::uint64_t free_ids;  // of requests to memory, bit mask
    std::vector<protocol::LinePayload*> at_memory;  // by id, of those that are not free
    base::BoundedQueue<std::uint16_t> held;  // ports whose sockets hold a request, in order of arrival
  };

  bool on_request(unsigned port, protocol::Payload& payload) override;
  bool read_word(unsigned port, std::uint64_t address, std::uint32_t& word, base::Cycle& cycles) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  bool on_direct_memory(unsigned port, protocol::Payload& payload, tlm::tlm_dmi& dmi) override;
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override {
    if (to_memory_ != 0) wake_now();
  }

  unsigned bank_of(std::uint64_t address) const {
    return static_cast<unsigned>(address >> line_shift_) & bank_mask_;
  }
  void accept(Bank& bank, unsigned port, protocol::Payload& payload);
  bool visit(unsigned number);
  void respond(ResponseQueue& queue, Bank& bank);
  void send_to_memory();
  void plan_memory(unsigned number);
  base::Cycle next_to_memory() const;
  bool serve(BankPort& place);
  bool fill(Bank& bank);
  void take_held(BankPort& place);
  void charge_early();

  Stats stats_;
  const Params params_;
  std::vector<protocol::TargetSocket*> ports_;  // in[], without its range checks
  protocol::LinePool pool_;

  // What an early hit touches.
  alignas(64) const unsigned line_shift_;
  const unsigned bank_mask_;
  base::Cycle early_hits_ = 0;  // that took their cycle without a tick and are not charged yet
  base::Cycle early_last_ = 0;  // the cycle of the last one
  std::vector<BankPort> banks_;
  DataPath data_;

  // What every tick touches.
  alignas(64) std::uint64_t active_ = 0;  // banks that are not idle
  std::uint64_t blocked_ = 0;  // banks with a blocked request
  std::uint64_t freed_ = 0;  // banks in which something may happen in the next tick
  std::uint64_t to_memory_ = 0;  // banks that may send to memory
  std::uint64_t ports_used_ = 0;  // ports that returned a response in this cycle
  std::vector<base::Cycle> memory_due_;  // by bank: when it may send to memory
  base::RoundRobin memory_arbiter_;
  base::CycleAccount& activity_;
  BankCalendar calendar_;  // banks in which something happens without outside help

  // What every request served touches.
  const bool read_only_;
  base::Counter nothing_;
  const std::array<base::Counter*, kOutcomes> counters_;  // by Outcome
};

}  // namespace spica::cache
