// SPDX-License-Identifier: Apache-2.0
// What a coalescer says of itself.
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
  return type;
}

}  // namespace

const base::BlockType& Coalescer::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

namespace {
const base::KnownBlockType known(Coalescer::block_type());
}

}  // namespace spica::coalescer
