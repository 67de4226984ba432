// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/shared_memory/answers.h"
#include "models/shared_memory/bank_cycle.h"
#include "models/shared_memory/banks.h"
#include "models/shared_memory/ports.h"

namespace spica::shared_memory {

/// The lanes of one core that are eligible at the banks, of all its requests.
template <class WordBanks>
struct OpenLanes {
  WordBanks banks[2] = {};  // by direction: aligned lanes
  std::uint32_t unaligned[2] = {};  // by direction
  std::size_t behind = 0;  // requests at the banks after the head
  std::size_t first = ~std::size_t{0},
              last = 0;  // the range of requests with lanes served in this cycle

  template <class Archive>
  void serialize(Archive& archive) {
    archive(banks, unaligned, behind, first, last);
  }
  void record_served(std::size_t index) {
    first = std::min(first, index);
    last = std::max(last, index);
  }
};

/// Cores with independent lanes: lanes of requests after the head of their port are eligible once all older requests
/// have served these lanes. A port is open while it has such lanes; the lanes of its head are then counted here also.
/// Sets of ports have one bit each.
template <class WordBanks>
class BasicIndependentLanes {
  using Ports = BasicPorts<WordBanks>;
  using Request = BasicRequest<WordBanks>;
  using Banks = BasicBanks<WordBanks>;
  using Answers = BasicAnswers<WordBanks>;
  using Open = OpenLanes<WordBanks>;

 public:
  BasicIndependentLanes(Ports& ports, Banks& banks, Answers& answers, std::size_t cores)
      : ports_(ports), banks_(banks), answers_(answers), lanes_(cores) {}

  Sources open() const { return open_; }
  bool is_open(unsigned source) const { return (open_ & bit(source)) != 0; }
  /// Open ports with waiting lanes on the direct path, or on the unaligned path.
  Sources aligned(Direction direction) const { return aligned_[direction]; }
  Sources unaligned(Direction direction) const { return unaligned_[direction]; }
  /// For an open port: word banks needed by its aligned lanes, and its unaligned lanes.
  const WordBanks& wanted(unsigned source, Direction direction) const { return of(source).banks[direction]; }
  std::uint32_t unaligned_lanes(unsigned source, Direction direction) const {
    return of(source).unaligned[direction];
  }

  // -- requests
  /// A request has been queued behind others of its port.
  void accept(unsigned source, const Request& request) {
    const auto& queue = ports_[source].queue;
    // Usually the lanes of a request are those of the one before; otherwise the port is marked.
    if ((request.left() & ~queue[queue.size() - 2].left()) != 0) mixed_ |= bit(source);
    coming_behind_ |= (open_ | mixed_) & bit(source);
  }
  /// Requests after the heads that reach the banks in cycle `now`.
  void come_up(base::Cycle now) {
    if ((coming_behind_ & ports_.at_banks()) != 0) come_up_behind(now);
  }
  /// The head of a port has been completed and dequeued.
  void leave(unsigned source) {
    if (__builtin_expect(((open_ | mixed_) & bit(source)) == 0, 1)) return;
    if (is_open(source)) advance(source);
    else if (ports_[source].queue.size() > 1) coming_behind_ |= bit(source);
    else mixed_ &= ~bit(source);
  }

  // -- services of an open port
  /// Serves aligned lanes whose word banks are free and in `within`.
  void serve_aligned(unsigned source, Direction direction, WordBanks within, BankCycle& cycle);
  /// Serves some of the offered unaligned lanes; returns them.
  std::uint32_t serve_unaligned(unsigned source, Direction direction, std::uint32_t offered,
                                BankCycle& cycle);
  /// The banks have served lanes of the port in cycle `now`. True: other eligible lanes wait.
  bool end_cycle(unsigned source, base::Cycle now, BankCycle& cycle);
  /// The same for a port that is not open: a part of its head was served.
  void end_head_cycle(unsigned source, base::Cycle now);

  void reset() {
    coming_behind_ = mixed_ = open_ = 0;
    for (const Direction direction : {kRead, kWrite}) aligned_[direction] = unaligned_[direction] = 0;
    std::fill(lanes_.begin(), lanes_.end(), Open{});
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(lanes_, coming_behind_, mixed_, open_, aligned_, unaligned_);
  }

 private:
  Open& of(unsigned source) { return lanes_[source - ports_.first_core]; }
  const Open& of(unsigned source) const { return lanes_[source - ports_.first_core]; }
  void come_up_behind(base::Cycle now);
  void add(unsigned source, Request& request, std::uint32_t lanes);
  void resume(unsigned source, std::size_t index, std::uint32_t lanes);
  void finish_behind(unsigned source, std::size_t index, base::Cycle now);
  void advance(unsigned source);
  void close(unsigned source);

  Ports& ports_;
  Banks& banks_;
  Answers& answers_;
  std::vector<Open> lanes_;  // by core
  Sources coming_behind_ =
      0;  // ports with requests after the head that have not reached the banks and may overtake it
  Sources mixed_ = 0;  // ports whose requests have different lanes
  Sources open_ = 0;
  Sources aligned_[2] = {0, 0}, unaligned_[2] = {0, 0};  // of open_, by direction
};

}  // namespace spica::shared_memory
