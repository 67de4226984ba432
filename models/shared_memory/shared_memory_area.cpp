// SPDX-License-Identifier: Apache-2.0
// The area of a shared memory, by structure.
#include "models/shared_memory/shared_memory_block.h"

namespace spica::shared_memory {

namespace {

constexpr double kControlBits =
    24;  // of an access, without its data: line, direction, destination of the answer

}  // namespace

base::AreaTerms SharedMemoryBlock::area() const {
  using base::Structure;
  const SharedMemoryParams& p = params();
  const auto number = [](std::size_t value) { return static_cast<double>(value); };
  const double banks = number(p.banks), words = number(p.words), word_bits = 8 * number(p.word_bytes);
  const double cores = number(p.cores), lanes = number(p.lanes), wide = number(wide_in.size());
  const double line_bits = words * word_bits, lane_bits = 32;
  const bool crossbar = p.unaligned == Unaligned::kCrossbar;
  // Who can be at a word bank: a line's client, the lane of each core that is aligned with it, and the way of lanes
  // that are not. With a crossbar these are all lanes.
  const double clients = wide + (crossbar ? cores * lanes : cores + 1);
  const double unaligned_lanes = p.unaligned == Unaligned::kCoreSerialised ? lanes : 1;

  base::AreaTerms area;
  area.add_memory("banks", Structure::kTwoPortBit, 8 * number(p.size), banks * words, word_bits)
      .add_crossbar("crossbar", clients, banks * words, word_bits + kControlBits)
      .add_crossbar("crossbar", banks, wide, line_bits)
      .add_crossbar("crossbar", crossbar ? banks * words : banks, cores * lanes, lane_bits);
  if (!crossbar)
    area.add_crossbar("unaligned", cores * lanes / unaligned_lanes, unaligned_lanes, lane_bits + kControlBits)
        .add_crossbar("unaligned", banks * words, unaligned_lanes, lane_bits);
  area.add("queues", Structure::kRegisterBit,
           cores * number(p.core_queue_depth) * lanes * (lane_bits + kControlBits))
      .add("queues", Structure::kRegisterBit, wide * number(p.wide_queue_depth) * (line_bits + kControlBits))
      // An access of a core is answered when all its lanes are.
      .add("answers", Structure::kFlopBit, cores * number(p.source_ids) * lanes)
      .add("control", Structure::kController, banks);
  return area;
}

}  // namespace spica::shared_memory
