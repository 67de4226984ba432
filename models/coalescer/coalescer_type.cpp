// SPDX-License-Identifier: Apache-2.0
// The description of a coalescer for reports: type, properties, area.
#include "models/coalescer/coalescer.h"

namespace spica::coalescer {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "coalescer";
  type.order = 50;
  type.inside = "core";
  type.events = {{"coalescer.lane",
                  {{"coalesced_lanes"}, {"single_requests"}},
                  "lane",
                  "coalescer",
                  {"global_lanes"},
                  "lane addresses compared and data aligned"}};
  type.reasons = {{"no_id", "a free number for a request"},
                  {"cache_busy", "room in front of the level 1 data cache", {"dcache"}},
                  {"atomic_order", "earlier atomics of the warp"}};
  return type;
}

}  // namespace

const base::BlockType& Coalescer::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

base::AreaTerms Coalescer::area() const {
  using base::Structure;
  constexpr double kAddressBits = 32, kWordBits = 32;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const double lanes = number(params_.lanes), words = number(params_.line_bytes) / 4;
  base::AreaTerms area;
  area.add("queue", Structure::kRegisterBit, number(params_.queue_depth) * lanes * (kAddressBits + kWordBits))
      .add("compare", Structure::kCompareBit, lanes * kAddressBits)
      // Where each lane's word is in the line of a request under way.
      .add("requests", Structure::kRegisterBit, number(params_.line_ids) * lanes * 6)
      .add_crossbar("align", lanes, words, kWordBits)
      .add_crossbar("align", words, lanes, kWordBits);
  return area;
}

namespace {
const base::KnownBlockType known(Coalescer::block_type());
}

}  // namespace spica::coalescer
