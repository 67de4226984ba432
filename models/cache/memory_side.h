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
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/transport/sockets.h"

namespace spica::cache {

/// A request of a bank to memory.
struct MemoryRequest {
  base::Address address = 0;
  std::uint16_t bytes = 0;
  bool write = false;
  Sectors sectors = 0;  // reads: sectors of the line
  unsigned mshr = 0;  // the waiting entry (MshrFile), kNone for writes
  protocol::Origin origin;
  base::Cycle due = 0;
};
using MemoryQueue = base::BoundedQueue<MemoryRequest>;

/// The path from the banks to memory: one request per cycle, round robin among the banks with a due request and a free
/// one of their `memory_ids`.
class MemorySide {
 public:
  /// An answer of memory: its bank, MSHR and sectors.
  struct Answer {
    unsigned bank, mshr;
    Sectors sectors;
    bool was_starved;  // the bank had a request and was waiting for an id
  };

  MemorySide(const Params& params, Stats& stats, protocol::InitiatorSocket& out);
  /// Adds the queue of the next bank; it must not move.
  void add(MemoryQueue& queue);

  /// The queue of a bank has become non-empty.
  void plan(unsigned bank) {
    if ((queued_ >> bank & 1) == 0) replan(bank);
  }
  /// True if all queues are empty.
  bool empty() const { return queued_ == 0; }
  /// True if a waiting request can be sent in some cycle.
  bool waits() const { return waiting_ != 0; }
  /// Earliest cycle of the next request; kNever if none waits or memory holds one.
  base::Cycle next() const { return out_.ready() ? first_due_ : base::kNever; }
  /// Sends a request at or after next(); returns its bank.
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
  std::uint64_t waiting_ = 0;  // banks with requests and a free id
  base::Cycle first_due_ = base::kNever;
  std::vector<base::Cycle> due_;  // by bank: cycle of its next request
  std::vector<std::uint32_t> ids_;  // by bank: free ids
  std::vector<MemoryQueue*> queues_;
  base::RoundRobin arbiter_;
  protocol::LinePool pool_;
};

}  // namespace spica::cache
