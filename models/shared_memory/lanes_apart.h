// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/shared_memory/burst_streams.h"
#include "models/shared_memory/lane_answers.h"
#include "models/shared_memory/request.h"

namespace spica::shared_memory {

/// The lanes of one core that have their turn before the banks, of all its requests.
template <class WordBanks>
struct OpenLanes {
  WordBanks banks[2] = {};  // by direction: of the aligned ones
  std::uint32_t unaligned[2] = {};  // by direction
  std::size_t behind = 0;  // requests before the banks behind the head
  std::size_t first = ~std::size_t{0},
              last = 0;  // requests of which lanes have been served in this cycle are among these

  template <class Archive>
  void serialize(Archive& archive) {
    archive(banks, unaligned, behind, first, last);
  }
  void note_served(std::size_t index) {
    first = std::min(first, index);
    last = std::max(last, index);
  }
};

/// Cores whose lanes proceed one by one: which ports have lanes past their head, and the answers of lanes. Sets of
/// ports have a bit each.
template <class WordBanks>
struct LanesApart {
  explicit LanesApart(std::size_t cores) : open(cores), answers(cores) {}

  void clear() {
    coming_behind = mixed = apart = answering = 0;
    for (const Direction direction : {kRead, kWrite}) open_aligned[direction] = open_unaligned[direction] = 0;
    std::fill(open.begin(), open.end(), OpenLanes<WordBanks>{});
    for (LaneAnswers& waiting : answers) waiting.clear();
    to_come = 0;
  }
  /// No lanes of `core` at `port` are past its head's.
  void close(unsigned core, Sources port) {
    apart &= ~port;
    for (const Direction direction : {kRead, kWrite}) {
      open_aligned[direction] &= ~port;
      open_unaligned[direction] &= ~port;
    }
    open[core] = {};
  }
  /// Lanes that have their turn wait at the port.
  bool waits(Sources port) const {
    return ((open_aligned[kRead] | open_aligned[kWrite] | open_unaligned[kRead] | open_unaligned[kWrite]) &
            port) != 0;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(open, coming_behind, mixed, apart, open_aligned, open_unaligned, answering, answers, to_come);
  }

  std::vector<OpenLanes<WordBanks>> open;  // by core
  Sources coming_behind =
      0;  // ports with requests behind the head, not before the banks yet, that may pass it
  Sources mixed = 0;  // ports whose requests are not all of the same lanes
  Sources apart = 0;  // ports with lanes that are past the head
  Sources open_aligned[2] = {0, 0}, open_unaligned[2] = {0, 0};  // of apart: with such open lanes
  Sources answering = 0;  // those with something in answers
  std::vector<LaneAnswers> answers;  // by core
  std::size_t to_come = 0;  // answers that the banks have planned
};

}  // namespace spica::shared_memory
