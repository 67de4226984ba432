// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/calendar.h"
#include "models/base/component.h"
#include "models/main_memory/dram_channel.h"
#include "models/main_memory/main_memory_params.h"
#include "models/main_memory/storage.h"
#include "models/protocol/sockets.h"

namespace spica::main_memory {

struct Stats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter reads{*this, "reads", Unit::kCount, "read requests"};
  base::Counter writes{*this, "writes", Unit::kCount, "write requests"};
  base::Counter bytes_read{*this, "bytes_read", Unit::kBytes, "data of reads"};
  base::Counter bytes_written{*this, "bytes_written", Unit::kBytes, "data of writes"};
  base::Counter row_hits{*this, "row_hits", Unit::kCount, "accesses that found their row open"};
  base::Counter row_misses{*this, "row_misses", Unit::kCount, "accesses that found no open row"};
  base::Counter row_conflicts{*this, "row_conflicts", Unit::kCount, "accesses that had to close another row"};
  base::Counter refreshes{*this, "refreshes", Unit::kCount,
                          "refreshes of a channel, counted when the next access arrives"};
  base::Counter address_errors{*this, "address_errors", Unit::kCount, "requests outside memory"};
  base::CycleAccount& activity = account("activity", "requests in memory", {"idle", "busy"});
  enum Activity : unsigned { kIdle, kBusy };
};

/// External DRAM: the bytes of the machine and the timing of their channels.
///
/// Shape    `channels` channels, interleaved by interleave_bytes; `transaction_queue` requests each
/// Accepts  line requests (they must not cross an interleave boundary), any number per cycle; holds
///          a request when the queue of its channel is full
/// Timing   request_latency to the scheduler of the channel, DramChannel, response_latency and the
/// beats of
///          the channel's port. DRAM times are kept in picoseconds and rounded up to cycles once,
///          at the end of the data burst
/// Data     moved when the scheduler takes a request; timing_only requests move nothing
/// Errors   outside of the memory: TLM_ADDRESS_ERROR_RESPONSE; atomics: TLM_COMMAND_ERROR_RESPONSE
/// (they
///          are performed by caches)
/// Source   testchipip dramsim2_ini; chipyard RadianceConfigs.scala
class MainMemory final : public base::Component, private protocol::RequestHandler {
 public:
  MainMemory(const sc_core::sc_module_name& name, const Params& params, const base::ClockDomain& clock);

  protocol::TargetSocket in{"in"};

  void tick() override;
  /// Timing only: the bytes keep their values, as DRAM does. See clear_contents().
  void reset() override;
  void clear_contents() { storage_.clear(); }
  /// All of them, for who moves data without time.
  unsigned char* bytes() { return storage_.at(params_.base); }
  bool idle() const override;
  Stats& stats() override { return stats_; }
  void dump_state(std::ostream& out) const override;

 private:
  struct Queued {
    protocol::Payload* payload = nullptr;
    Location location;
    unsigned bursts = 0;
    base::Cycle due = 0;  // at the scheduler
  };
  struct Channel {
    explicit Channel(const Params& params);
    DramChannel dram;
    base::BoundedQueue<Queued> queue;  // in order of arrival
    base::Cycle write_free = 0;  // first cycle in which the port takes write data
    base::Cycle read_free = 0;   // first cycle in which the port gives read data
  };

  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  bool on_direct_memory(unsigned port, protocol::Payload& payload, tlm::tlm_dmi& dmi) override;

  bool accept(protocol::Payload& payload);
  void schedule(Channel& channel);
  std::size_t pick(const Channel& channel) const;
  void issue(Channel& channel, const Queued& queued);
  void finish(protocol::Payload& payload, base::Cycle due);
  void move(protocol::Payload& payload);
  base::Cycle beats(unsigned bytes) const;
  unsigned channel_of(std::uint64_t offset) const;
  Picoseconds start_of(base::Cycle cycle) const { return cycle * cycle_ps_; }
  base::Cycle first_cycle_after(Picoseconds time) const { return (time + cycle_ps_ - 1) / cycle_ps_; }

  const Params params_;
  const Picoseconds cycle_ps_;
  Storage storage_;
  std::vector<Channel> channels_;
  base::Calendar<protocol::Payload*> responses_;
  Stats stats_;
};

}  // namespace spica::main_memory
