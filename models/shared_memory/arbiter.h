// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/base/round_robin.h"
#include "models/shared_memory/bank_cycle.h"
#include "models/shared_memory/bank_map.h"
#include "models/shared_memory/banks.h"
#include "models/shared_memory/independent_lanes.h"
#include "models/shared_memory/ports.h"
#include "models/shared_memory/unaligned_path.h"

namespace spica::shared_memory {

/// One cycle of arbitration: selects the heads and open lanes that the banks serve (rules: README.md).
template <class WordBanks>
class BasicArbiter {
  using BankMap = BasicBankMap<WordBanks>;
  using Ports = BasicPorts<WordBanks>;
  using Request = BasicRequest<WordBanks>;
  using Banks = BasicBanks<WordBanks>;
  using Lanes = BasicIndependentLanes<WordBanks>;

 public:
  /// Round-robin state of the banks, by direction and bank.
  using Chosen = std::vector<base::RoundRobin>[2];

  BasicArbiter(Ports& ports, Banks& banks, Lanes& lanes, const BankMap& map, const SharedMemoryParams& params,
               unsigned sources, SharedMemoryStats& stats)
      : ports_(ports), banks_(banks), lanes_(lanes), map_(map), params_(params), stats_(stats) {
    for (auto& banks_of : chosen_) banks_of.assign(params.banks, base::RoundRobin(sources));
  }

  /// Serves all ports except streaming ones. Returns the activity (SharedMemoryStats).
  unsigned serve(Sources streaming, base::Cycle now);
  /// Ports whose head (a request, or a beat of one) was fully served in the last cycle.
  Sources done() const { return cycle_.done; }
  Chosen& chosen() { return chosen_; }

  void reset() {
    for (auto& banks : chosen_)
      for (base::RoundRobin& bank : banks) bank.reset();
    for (UnalignedPath& path : unaligned_) path.reset();
  }
  /// Not saved: params_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cycle_, unaligned_);
    for (auto& banks : chosen_)
      for (base::RoundRobin& bank : banks) archive(bank);
  }

 private:
  template <bool kOpen>
  bool serve_all(Sources streaming, base::Cycle now);
  void choose_direction(Sources unaligned[2]) const;
  template <bool kOpen>
  void serve_network(Direction direction, Sources heads, Sources cores);
  void serve_chosen(Direction direction, Sources heads);
  void serve_wide(unsigned source, Request& request) {
    banks_.serve_wide(request, *ports_[source].words[request.direction]);
  }
  void serve_head(Request& request);
  void serve_unaligned(Direction direction, Sources cores);
  std::uint32_t offer(UnalignedPath& path, unsigned core, Direction direction);
  std::uint32_t serve_offered(unsigned source, std::uint32_t lanes);
  /// Unaligned lanes of a core at the banks.
  std::uint32_t unaligned_lanes(unsigned source, Direction direction) const {
    if (lanes_.is_open(source)) return lanes_.unaligned_lanes(source, direction);
    return ports_.head(source).direction == direction ? ports_.head(source).unaligned : 0;
  }
  /// Word banks that the head, or the open lanes of a core, need on the direct path.
  WordBanks wanted_by(unsigned source, Direction direction) const {
    return lanes_.is_open(source) ? lanes_.wanted(source, direction) : ports_.head(source).banks;
  }

  Ports& ports_;
  Banks& banks_;
  Lanes& lanes_;
  const BankMap& map_;
  const SharedMemoryParams& params_;
  SharedMemoryStats& stats_;
  BankCycle cycle_;
  Chosen chosen_;
  UnalignedPath unaligned_[2]{UnalignedPath(params_),
                              UnalignedPath(params_)};  // by direction; if joined, the first one serves both
};

}  // namespace spica::shared_memory
