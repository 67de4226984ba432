// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/bounded_queue.h"
#include "models/main_memory/back_end.h"
#include "models/main_memory/main_memory_params.h"

namespace spica::main_memory {

/// A memory with fixed latency and bandwidth.
///
/// Accepts  any number of requests per cycle, while fewer than `fixed.requests` are in flight
/// Timing   requests pass one after the other, reads and writes alike, each for bytes / bandwidth. The response comes
///          one latency after the request begins to pass, or when it has passed, whichever is later, rounded up to a
///          cycle
class FixedBackEnd final : public BackEnd {
 public:
  explicit FixedBackEnd(const BackEndContext& context);

  bool offer(const Access& access, base::Cycle now) override;
  void tick(base::Cycle now) override;
  base::Cycle next(base::Cycle now) const override;
  void reset(base::Cycle now) override;
  bool idle() const override { return true; }  // every accepted access is completed at once
  void dump(std::ostream&, const char*) const override {}
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  // Finer than other times, because 64 bytes at 900 GB/s take 71.1 ps.
  using Femtoseconds = std::uint64_t;

  Femtoseconds time_of(std::uint64_t bytes) const;

  const double fs_per_byte_;
  const Femtoseconds latency_;
  const Femtoseconds cycle_;
  BackEndUser& user_;
  base::BoundedQueue<base::Cycle> under_way_;  // cycles of the responses, ascending
  // The current series of transfers without a gap:
  Femtoseconds since_ = 0;
  std::uint64_t passed_ = 0;  // its bytes
  Femtoseconds free_ = 0;  // its end
};

}  // namespace spica::main_memory
