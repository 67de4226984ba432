// SPDX-License-Identifier: Apache-2.0
// Machine settings that messages name, by path in a configuration. A test checks that each exists.
#pragma once

namespace spica::soc::keys {

inline constexpr const char* kBarrierWaits = "cluster.core.barrier_waits_for_memory";
inline constexpr const char* kLanes = "cluster.core.load_store.lanes";
inline constexpr const char* kDivergence = "cluster.core.divergence";
inline constexpr const char* kWarps = "cluster.core.warps";
inline constexpr const char* kDispatcher = "dispatcher.present";
inline constexpr const char* kEndedWarpsArrive = "dispatcher.ended_warps_arrive";
inline constexpr const char* kCommandProcessor = "command_processor.present";
inline constexpr const char* kQueues = "command_processor.queues";
inline constexpr const char* kExternalMemory = "main_memory.external";
inline constexpr const char* kDramEnergy = "main_memory.dram.energy";
inline constexpr const char* kAll[] = {
    kBarrierWaits,     kLanes,  kDivergence,     kWarps,     kDispatcher, kEndedWarpsArrive,
    kCommandProcessor, kQueues, kExternalMemory, kDramEnergy};

/// The name of the block that is main memory.
inline constexpr const char* kMainMemory = "main_memory";

}  // namespace spica::soc::keys
