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

/// Bursts that nothing disturbs: they advance without being looked at, and their beats are served at the next look.
/// Also says when the banks have to be looked at again.
///
/// Rule     bursts of ports that need different banks, while no other request is before the banks, advance alone up to
///          the cycle before the last beat of one of them
template <class WordBanks>
class BasicBursts {
  using Ports = BasicPorts<WordBanks>;
  using Request = BasicRequest<WordBanks>;

 public:
  /// The choices of the banks, by direction and bank.
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
  /// Do the streams take part in cycle `now` like all others? They need not while all others are single beats of
  /// wide ports in other banks.
  bool disturbed(base::Cycle now) const;
  /// The next cycle after `now` in which a request reaches the banks or tries again. Bursts may begin to stream.
  base::Cycle plan(base::Cycle now);
  /// Lets a burst that was just accepted stream from the next cycle on, up to end(), without a look at its first beat.
  /// False: another request is at the banks.
  bool join(unsigned source, const Request& request, base::Cycle now);
  /// Serves the beats that were due and no later than `through`.
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
