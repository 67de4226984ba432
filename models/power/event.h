// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "models/base/block_type.h"

namespace spica::power {

/// An event of a type of block.
struct EventKind : base::EnergyEvent {
  const base::BlockType* type;
};

/// The idle power of a type of block.
struct IdleKind : base::IdleEnergy {
  const base::BlockType* type;
};

/// Off-chip energy is reported separately and does not scale with the chip's technology or voltage.
inline bool off_chip(const EventKind& kind) { return kind.type->off_chip; }

/// The list of events: those of all block types that are registered at the first call. Energy tables, activity exports
/// and documentation are based on it.
const std::vector<EventKind>& event_kinds();
const std::vector<IdleKind>& idle_kinds();

}  // namespace spica::power
