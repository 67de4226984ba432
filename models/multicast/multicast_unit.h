// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "models/base/component.h"
#include "models/multicast/load_request_table.h"
#include "models/multicast/marks.h"
#include "models/multicast/multicast_params.h"
#include "models/multicast/multicast_stats.h"
#include "models/multicast/pending_load.h"
#include "models/protocol/ports/memory_hints_if.h"
#include "models/protocol/transport/sockets.h"
#include "models/protocol/transport/warp_passage.h"

namespace spica::multicast {

/// Between the cores of a streaming multiprocessor and their path to shared memory: two equal marked loads of two warps
/// are served by one read, whose data both cores receive.
///
/// Accepts  all accesses to shared memory at in[core]. Unmarked accesses continue at once, as without the unit
/// Table    a marked load is compared with the waiting ones (LoadRequestTable); with a partner it becomes a multicast,
///          without one it waits. One load is decided per cycle, compare_latency after its arrival
/// Enable   the destination registers of both loads have been reserved in their cores since issue, so the enable
///          request is always granted; it takes enable_latency
/// Data     the read uses the port of the later load; both cores receive the data in the cycle of the answer, two warps
///          of one core one cycle apart
/// Alone    a load is sent without a partner when the table is full, drain_timeout after its warp started to wait for
///          it (MemoryHintsIf), before a store or atomic of its warp that may access the same words, after such an
///          access that is not answered, and after `timeout` cycles. So is the remaining load of a pair of which one is
///          still arriving
/// Order    loads of a warp may be answered in any order; a store or atomic waits for marked loads of its warp that may
///          access the same words
/// Errors   those of the memory, to both cores
/// Source   lee section 3, figure 8
class MulticastUnit final : public base::Component,
                            public protocol::MemoryHintsIf,
                            private protocol::WarpPassage {
 public:
  MulticastUnit(const sc_core::sc_module_name& name, const MulticastParams& params,
                const base::ClockDomain& clock);

  sc_core::sc_vector<protocol::WarpTargetSocket> in;  // by core
  sc_core::sc_vector<protocol::WarpInitiatorSocket> out;  // by core
  sc_core::sc_export<protocol::MemoryHintsIf> hints{"hints"};

  // protocol::MemoryHintsIf
  void drain(unsigned core, std::uint32_t warps) override;
  void load(const Load& load, protocol::WarpAccess& access) override { mark(load, access); }

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
  using State = PendingLoad::State;
  /// The state of a core: reads that wait for its port to the path, and the accesses of its warps in progress here.
  struct Core {
    std::vector<std::uint16_t> reads;
    std::vector<std::uint32_t> coming;  // by warp: the load whose accesses are arriving, or kNone
    /// By warp: unanswered marked loads, and unanswered stores and atomics.
    std::vector<std::vector<protocol::WarpPayload*>> loads, stores;
    bool passes = false;  // its held request has been sent to the path
    std::vector<protocol::WarpPayload*> late;  // second answers of pairs within this core

    template <class Archive>
    void serialize(Archive& archive) {
      archive(reads, coming, loads, stores, passes, late);
    }
  };
  using Accesses = std::vector<protocol::WarpPayload*>;
  static bool overlaps(const Accesses& open, const protocol::WarpPayload& one);
  static void remove(Accesses& open, const protocol::WarpPayload& one);

  // arriving requests (multicast_unit.cpp)
  bool on_request(unsigned core, protocol::Payload& payload) override;
  protocol::WarpInitiatorSocket& way(unsigned core) override { return out[core]; }
  void release_warp(unsigned core, unsigned warp);
  bool pass(unsigned core, protocol::WarpPayload& payload);
  void pass_held(unsigned core);
  void arrive(unsigned core, protocol::WarpPayload& part);
  // decisions on loads (multicast_decision.cpp)
  void decide(std::uint32_t number);
  bool finds_partner(std::uint32_t number);
  void release(std::uint32_t number, base::Counter& reason);
  void wait_until(PendingLoad& load, base::Cycle cycle);
  base::Cycle patience(const PendingLoad& load) const;
  void release_late();
  void go_alone(std::uint32_t number, base::Counter* reason);
  void unpair(std::uint32_t number, base::Counter* reason);
  void leave(std::uint32_t number);
  void leave_together(PendingLoad& load, PendingLoad& other);
  void free(std::uint32_t number);
  // reads and their answers (multicast_reads.cpp)
  void add_read(unsigned core, const Read& read);
  void send_reads(unsigned core);
  void on_response(unsigned core, protocol::Payload& payload) override;
  void on_ready(unsigned core) override;
  void answer_late(unsigned core);
  void answer(unsigned core, protocol::WarpPayload& payload);
  void plan();

  const MulticastParams params_;
  LoadRequestTable table_;
  std::vector<PendingLoad> loads_;
  std::vector<std::uint32_t> free_loads_, undecided_;  // undecided_ in order of arrival
  std::vector<Read> reads_;
  std::vector<std::uint16_t> free_reads_;
  std::vector<Core> cores_;
  unsigned queued_ = 0;  // loads and pairs with a waiting read
  base::Cycle timeout_ = base::kNever;  // the earliest timeout of a load
  std::uint64_t open_ = 0;  // accesses accepted and not answered
  Stats stats_;
};

}  // namespace spica::multicast
