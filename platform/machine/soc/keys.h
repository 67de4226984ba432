// SPDX-License-Identifier: Apache-2.0
// Settings of a machine that messages and studies name, by their path in a configuration. A test compares them with the parameters
// that there are.
#pragma once

namespace spica::soc::keys {

inline constexpr const char* kBarrierWaits = "cluster.core.barrier_waits_for_memory";
inline constexpr const char* kLanes = "cluster.core.load_store.lanes";

}  // namespace spica::soc::keys
