// SPDX-License-Identifier: Apache-2.0
// What the barrier synchronizer says of itself.
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

namespace {
const base::KnownBlockType known(BarrierSynchronizer::block_type());
}

}  // namespace spica::barrier
