// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/round_robin.h"
#include "models/base/types.h"
#include "models/cache/cache_params.h"
#include "models/cache/cache_stats.h"
#include "models/cache/sectors.h"
#include "models/protocol/payload_pool.h"
#include "models/protocol/sockets.h"

namespace spica::cache {

/// What a bank sends towards memory.
struct MemoryRequest {
  base::Address address = 0;
  std::uint16_t bytes = 0;
  bool write = false;
  Sectors sectors = 0;  // of a read: what of the line
  unsigned mshr = 0;  // the entry that waits for it (MshrFile), kNone for writes
  protocol::Origin origin;
  base::Cycle due = 0;
};
using MemoryQueue = base::BoundedQueue<MemoryRequest>;

/// The way from the banks to memory: one request per cycle, round robin among the banks whose next one is due and that
/// have one of their `memory_ids` left.
class MemorySide {
 public:
  /// Whose request was answered, and for which MSHR it has brought what.
  struct Answer {
    unsigned bank, mshr;
    Sectors sectors;
    bool was_starved;  // the bank had a request and no id until now
  };

  MemorySide(const Params& params, Stats& stats, protocol::InitiatorSocket& out);
  /// The next bank's requests; the queue stays where it is.
  void add(MemoryQueue& queue);

  /// There is something in the queue of a bank.
  void plan(unsigned bank) {
    if ((queued_ >> bank & 1) == 0) replan(bank);
  }
  /// No queue has anything in it.
  bool empty() const { return queued_ == 0; }
  /// A request waits that can go in some cycle.
  bool waits() const { return waiting_ != 0; }
  /// When the next request may go; kNever when none waits or memory holds one.
  base::Cycle next() const { return out_.ready() ? first_due_ : base::kNever; }
  /// Sends a request, after next(); the bank it is of.
  unsigned send(base::Cycle now);
  Answer take(protocol::Payload& payload);
  /// True if all sent requests have been answered.
  bool idle() const { return pool_.in_use() == 0; }
  std::size_t free_ids(unsigned bank) const { return ids_[bank]; }
  void clear();
  template <class Checkpoint>
  void add_to(Checkpoint& checkpoint) {
    pool_.add_to(checkpoint);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(pool_, queued_, waiting_, first_due_, due_, ids_, arbiter_);
  }

 private:
  void replan(unsigned bank);

  const Params params_;
  Stats& stats_;
  protocol::InitiatorSocket& out_;
  std::uint64_t queued_ = 0;  // banks with requests
  std::uint64_t waiting_ = 0;  // those of them that have an id
  base::Cycle first_due_ = base::kNever;
  std::vector<base::Cycle> due_;  // by bank: when
  std::vector<std::uint32_t> ids_;  // by bank: free ones
  std::vector<MemoryQueue*> queues_;
  base::RoundRobin arbiter_;
  protocol::LinePool pool_;
};

}  // namespace spica::cache
