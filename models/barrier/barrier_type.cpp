// SPDX-License-Identifier: Apache-2.0
// The description of the barrier synchronizer for reports: type, properties, area.
#include "models/barrier/barrier_synchronizer.h"

namespace spica::barrier {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "barrier";
  type.order = 110;
  type.events = {
      {"barrier.arrival", {{"arrivals"}, {"releases"}}, "message", "", {}, "arrivals and releases"}};
  return type;
}

}  // namespace

const base::BlockType& BarrierSynchronizer::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

base::AreaTerms BarrierSynchronizer::area() const {
  const auto cores = static_cast<double>(params_.cores);
  base::AreaTerms area;
  area.add("table", base::Structure::kFlopBit, static_cast<double>(params_.ids) * (cores + 1))
      .add("table", base::Structure::kCompareBit, static_cast<double>(params_.ids) * cores);
  return area;
}

namespace {
const base::KnownBlockType known(BarrierSynchronizer::block_type());
}

}  // namespace spica::barrier
