// SPDX-License-Identifier: Apache-2.0
// The description of the dispatcher of work groups for reports: type, properties, area.
#include "models/dispatcher/dispatcher.h"

namespace spica::dispatcher {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "dispatcher";
  type.order = 5;
  type.free = "registers of a few hundred bits that change once per work group";
  type.timeline_counters = {"groups"};
  type.meters = {{"work groups", "work groups", {"groups"}}};
  return type;
}

}  // namespace

const base::BlockType& Dispatcher::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

/// The registers of a launch and the position in the grid; of each warp the work group it belongs to; shared memory as
/// a list of pieces, one for each work group that can be there.
base::AreaTerms Dispatcher::area() const {
  constexpr double kLaunchBits = 14 * 32, kPositionBits = 3 * 32, kGroupBits = 2 * 17 + 8;
  const auto clusters = static_cast<double>(params_.clusters);
  const auto slots = static_cast<double>(params_.cores * params_.warps);
  base::AreaTerms area;
  area.add("launch", base::Structure::kFlopBit, kLaunchBits + kPositionBits)
      .add("groups", base::Structure::kFlopBit, clusters * slots * kGroupBits);
  return area;
}

namespace {
const base::KnownBlockType known(Dispatcher::block_type());
}

}  // namespace spica::dispatcher
