// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/types.h"
#include "models/cache/cache_params.h"

namespace spica::cache {

/// The rules of a bank, derived from its parameters.
struct BankRules {
  explicit BankRules(const Params& params)
      : simple_hits(params.sectors == 1 && params.partitions == 1 && params.prefetcher == Prefetch::kOff),
        fills_concurrently(params.sub_banks > 1),
        mshr_for_hits(params.mshr_for_hits),
        write_policy(params.write_policy),
        width_shift(static_cast<std::uint8_t>(__builtin_ctzll(params.bank_bytes_per_cycle))),
        miss_latency(static_cast<std::uint16_t>(params.miss_latency)),
        mshr_requests(static_cast<std::uint32_t>(params.mshr_requests)),
        memory_queue_limit(static_cast<std::uint32_t>(params.memory_queue_limit)) {}

  /// Cycles that `bytes` occupy the bank.
  base::Cycle occupancy(std::uint32_t bytes) const {
    const std::uint32_t width = std::uint32_t{1} << width_shift;
    return bytes <= width ? 1 : (bytes + width - 1) >> width_shift;
  }

  bool simple_hits;  // a read hit needs no further checks
  bool fills_concurrently;  // with sub-banks
  bool mshr_for_hits;
  WritePolicy write_policy;
  std::uint8_t width_shift;  // log2 of the bytes per pass
  std::uint16_t miss_latency;
  std::uint32_t mshr_requests, memory_queue_limit;
};

/// The line of the last write hit: a read of it in the next cycle must wait.
class WrittenLine {
 public:
  void write(base::Address line, base::Cycle after) {
    line_ = line;
    after_ = after;
  }
  bool is_after(base::Cycle now) const { return now == after_; }
  bool collides(base::Address line, base::Cycle now) const { return now == after_ && line == line_; }
  void clear() { after_ = base::kNever; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(after_, line_);
  }

 private:
  base::Cycle after_ = base::kNever;
  base::Address line_ = 0;
};

/// The counter that selects the way to replace. It does not advance while the pipeline is blocked.
class ReplacementTurn {
 public:
  base::Cycle at(base::Cycle now) const { return now - stood_still_; }
  void stand_still(base::Cycle now) { since_ = std::min(since_, now); }
  void resume(base::Cycle now) {
    if (since_ == base::kNever) return;
    stood_still_ += now - since_;
    since_ = base::kNever;
  }
  void clear() {
    stood_still_ = 0;
    since_ = base::kNever;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(stood_still_, since_);
  }

 private:
  base::Cycle stood_still_ = 0;
  base::Cycle since_ = base::kNever;
};

}  // namespace spica::cache
