// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/base/round_robin.h"
#include "models/base/types.h"
#include "models/shared_memory/bank_map.h"
#include "models/shared_memory/banks.h"
#include "models/shared_memory/burst_streams.h"
#include "models/shared_memory/ports.h"
#include "models/shared_memory/shared_memory_params.h"
#include "models/shared_memory/shared_memory_stats.h"

namespace spica::shared_memory {

/// Uncontended bursts: they advance without attention, and their beats are served later in one step. Also computes the
/// next cycle in which the banks need attention.
///
/// Rule     bursts of ports that need different banks advance alone, while no other request waits for the banks, up to
///          the cycle before the last beat of one of them
template <class WordBanks>
class BasicBursts {
  using Ports = BasicPorts<WordBanks>;
  using Request = BasicRequest<WordBanks>;

 public:
  /// Round-robin state of the banks, by direction and bank.
  using Chosen = std::vector<base::RoundRobin>[2];

  BasicBursts(Ports& ports, BasicBanks<WordBanks>& banks, const BasicBankMap<WordBanks>& map,
              const SharedMemoryParams& params, SharedMemoryStats& stats, Chosen& chosen)
      : ports_(ports),
        banks_(banks),
        map_(map),
        stats_(stats),
        chosen_(chosen),
        chooses_(params.arbitration == Arbitration::kRoundRobinUniform) {}

  bool any() const { return streams_.any(); }
  Sources sources() const { return streams_.sources(); }
  base::Cycle end() const { return streams_.end(); }
  /// True if the streams must take part in cycle `now` like other requests. They need not while all others are single
  /// beats of wide ports in other banks.
  bool disturbed(base::Cycle now) const;
  /// The next cycle after `now` in which a request reaches the banks or retries. Bursts may begin to stream.
  base::Cycle plan(base::Cycle now);
  /// Lets a newly accepted burst stream from the next cycle on, up to end(), without serving its first beat separately.
  /// False: another request is at the banks.
  bool join(unsigned source, const Request& request, base::Cycle now);
  /// Serves the beats due up to `through`.
  void catch_up(base::Cycle through);
  void stop() { streams_.stop(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(streams_);
  }

 private:
  WordBanks reach(const Request& request) const;
  void serve(unsigned source, std::uint32_t beats);

  BasicBurstStreams<WordBanks> streams_;
  Ports& ports_;
  BasicBanks<WordBanks>& banks_;
  const BasicBankMap<WordBanks>& map_;
  SharedMemoryStats& stats_;
  Chosen& chosen_;
  const bool chooses_;
};

}  // namespace spica::shared_memory
