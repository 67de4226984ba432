// SPDX-License-Identifier: Apache-2.0
// The description of the offload unit for reports: type, properties, area.
#include "models/mma_offload/mma_offload.h"

namespace spica::mma_offload {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "mma_offload";
  type.order = 27;
  type.inside = "core";
  type.parameters = "offload";
  type.events = {{"mma_offload.mac",
                  {{"mac_lanes"}},
                  "lane operation",
                  "execute/fpu",
                  {},
                  "multiply-adds of warp matrices on the floating-point lanes"}};
  type.timeline_counters = {"macs"};
  return type;
}

}  // namespace

const base::BlockType& MmaOffload::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

/// The count, and of the operation under way which instruction it is at, the rows of its fragments, and its warp.
base::AreaTerms MmaOffload::area() const {
  constexpr double kCountBits = 8, kSequenceBits = 8 + 4 * 8 + 5;
  base::AreaTerms area;
  area.add("sequence", base::Structure::kFlopBit, kCountBits + kSequenceBits);
  return area;
}

namespace {
const base::KnownBlockType known(MmaOffload::block_type());
}

}  // namespace spica::mma_offload
