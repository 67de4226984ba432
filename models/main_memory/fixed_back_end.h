// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/base/bounded_queue.h"
#include "models/main_memory/back_end.h"
#include "models/main_memory/channel_map.h"
#include "models/main_memory/main_memory_params.h"
#include "models/main_memory/main_memory_stats.h"

namespace spica::main_memory {

/// A memory with fixed latency and bandwidth.
///
/// Shape    one channel with all of the bandwidth, or with `fixed.per_channel` several with equal parts (ChannelMap)
/// Accepts  any number of requests per cycle, while fewer than `fixed.requests` are in flight in their channel
/// Timing   requests pass a channel one after the other, reads and writes alike, each for bytes / bandwidth. The
///          response comes one latency after the request begins to pass, or when it has passed, whichever is later,
///          rounded up to a cycle
class FixedBackEnd final : public BackEnd {
 public:
  explicit FixedBackEnd(const BackEndContext& context);

  bool offer(const Access& access, base::Cycle now) override;
  void tick(base::Cycle) override {}
  base::Cycle next(base::Cycle now) const override;
  void reset(base::Cycle now) override;
  void catch_up(base::Cycle now) override { use_.advance(now); }
  bool idle() const override { return true; }  // every accepted access is completed at once
  void dump(std::ostream&, const char*) const override {}
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  // Finer than other times, because 64 bytes at 900 GB/s take 71.1 ps.
  using Femtoseconds = std::uint64_t;

  struct Channel {
    explicit Channel(std::size_t requests) : under_way(requests) {}
    template <class Archive>
    void serialize(Archive& archive) {
      archive(under_way, since, passed, free);
    }
    base::BoundedQueue<base::Cycle> under_way;  // cycles of the responses, ascending
    // The current series of transfers without a gap:
    Femtoseconds since = 0;
    std::uint64_t passed = 0;  // its bytes
    Femtoseconds free = 0;  // its end
  };

  std::size_t channel_of(const Access& access) const {
    return channels_.size() == 1 ? 0 : map_.place(access.offset).channel;
  }
  Femtoseconds time_of(std::uint64_t bytes) const;
  base::Cycle first_cycle(Femtoseconds from) const { return first_cycle_from(from, cycle_); }

  const ChannelMap map_;
  const double fs_per_byte_;  // of a channel
  const Femtoseconds latency_;
  const Femtoseconds cycle_;
  BackEndUser& user_;
  std::vector<Channel> channels_;
  base::ChannelAccounts use_;
};

}  // namespace spica::main_memory
