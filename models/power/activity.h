// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/area.h"
#include "models/base/stats.h"
#include "models/power/event.h"

namespace spica::power {

/// A block from the observer's point of view: its type, its counters, and the node that gets its energy.
struct Block {
  std::string name;  // "cluster_0.core_1"
  const base::BlockType* type = nullptr;
  std::string node;  // node in the tree of the machine: "soc/cluster_0/core_1"
  const base::StatGroup* stats = nullptr;
  base::Properties properties = {};  // lanes, bytes of a line ...
  double clock = 1;  // its frequency, relative to the machine's
  std::string unit = {};             // name of the sum of all nodes of this kind: "cores"
  std::string part = {};  // part of the machine in the power trace: "tensor_cores"; empty: off the chip
  base::AreaTerms area = {};  // the structures it consists of
};

/// Counts the events of a machine from outside, from the counters of its blocks.
class Activity {
 public:
  /// One kind of event in one block.
  struct Channel {
    std::size_t kind;  // index in event_kinds()
    std::size_t block;  // index in blocks()
  };

  /// Throws std::logic_error if a block lacks a counter or a property that one of its events names, or if its type was
  /// registered too late for the list of events.
  explicit Activity(std::vector<Block> blocks);

  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Channel>& channels() const { return channels_; }
  /// Events so far, by channel; whole numbers.
  std::vector<double> counts() const;
  /// `counts` summed over blocks, by kind of event.
  std::vector<double> by_kind(const std::vector<double>& counts) const;
  /// The factor for the counter in the line profile of this kind.
  double line_weight(std::size_t kind) const;

 private:
  struct Term {
    const base::Counter* counter;
    double factor;
  };

  std::vector<Block> blocks_;
  std::vector<Channel> channels_;
  std::vector<std::vector<Term>> terms_;  // by channel
};

}  // namespace spica::power
