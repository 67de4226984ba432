// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/cache/cache_params.h"
#include "models/cache/memory_side.h"
#include "models/cache/mshr_file.h"
#include "models/cache/sectors.h"

namespace spica::cache {

/// The memory requests of a bank: lines, or sectors of them, with neighbouring sectors combined.
class BankMemory {
 public:
  explicit BankMemory(const Params& params)
      : map_(params.line_bytes, params.sectors),
        all_(static_cast<Sectors>((1u << params.sectors) - 1)),
        latency_(params.miss_latency),
        queue_(params.memory_queue) {}

  const LineMap& map() const { return map_; }
  /// Of a line.
  Sectors all() const { return all_; }
  MemoryQueue& queue() { return queue_; }
  const MemoryQueue& queue() const { return queue_; }
  /// Room for these sectors of a line, each run of neighbours a request.
  bool has_room(Sectors sectors) const { return sectors == 0 || count_runs(sectors) <= queue_.free(); }
  /// `mshr`: the entry that waits for it.
  void fetch(const Cause& cause, Sectors sectors, unsigned mshr, base::Cycle now) {
    ask(cause.line, sectors, mshr, cause.origin, now);
  }
  void write(base::Address line, Sectors sectors, const protocol::Origin& origin, base::Cycle now) {
    ask(line, sectors, MshrFile::kNone, origin, now);
  }
  /// The bytes of a request as they are.
  void write(const Request& request, base::Cycle now) {
    queue_.push({request.payload->get_address(), request.bytes, true, 0, MshrFile::kNone,
                 request.info->origin, now + latency_});
  }
  void clear() { queue_.clear(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(queue_);
  }

 private:
  void ask(base::Address line, Sectors sectors, unsigned mshr, const protocol::Origin& origin,
           base::Cycle now) {
    for (Sectors rest = sectors; rest != 0;) {
      const Sectors run = first_run(rest);
      queue_.push({map_.address(line, run), static_cast<std::uint16_t>(map_.bytes(run)),
                   mshr == MshrFile::kNone, run, mshr, origin, now + latency_});
      rest = static_cast<Sectors>(rest & ~run);
    }
  }

  const LineMap map_;
  const Sectors all_;
  const base::Cycle latency_;
  MemoryQueue queue_;
};

}  // namespace spica::cache
