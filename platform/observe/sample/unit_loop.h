// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/protocol/ports/marker_if.h"
#include "platform/observe/sample/segment_queue.h"

namespace spica::sample {

/// Takes the units of a program's loops from a SegmentQueue. All warps do the same units in the same order; the first warp
/// that begins a unit begins it in the queue.
class UnitLoop final : public protocol::UnitSequenceIf {
 public:
  /// Called when the first warp begins a unit, with the number of units and that of the innermost loop; returns the reason
  /// why they cannot be sampled, or "".
  using Begin = std::function<std::string(std::uint64_t units, std::uint64_t row)>;

  UnitLoop(SegmentQueue& queue, Begin begin) : queue_(queue), begin_(std::move(begin)) {}

  /// The reason why the program cannot be sampled; from then on its units are left alone. "": it can.
  const std::string& refusal() const { return refusal_; }

  std::uint32_t follow(const protocol::UnitMark& mark) override;

 private:
  /// Extent and step of each loop, the outermost first.
  using Loops = std::vector<std::uint32_t>;
  struct Warp {
    Loops loops;
    std::size_t begun = 0;  // units
    std::size_t part = 0;  // variables of the last one that it has got; 0: all
  };

  void begin_unit(Warp& warp);
  std::uint32_t variable(std::uint64_t unit, std::size_t loop) const;

  SegmentQueue& queue_;
  const Begin begin_;
  Loops loops_;  // of all warps; empty: no unit has begun
  std::string refusal_;
  std::vector<std::uint64_t> order_;  // units in the order in which they are done
  std::map<std::pair<unsigned, unsigned>, Warp> warps_;  // by core and warp
};

}  // namespace spica::sample
