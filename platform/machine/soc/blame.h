// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "platform/base/config/problem.h"

namespace spica::soc {

class AssembledMachine;

/// An error in a slot: its place, the block, and what to do.
using SlotRefusal = config::ConfigError;

/// Handles an exception thrown by a machine. Throws SlotRefusal if the cause is a foreign block that a slot of the
/// configuration added. Returns otherwise: the cause is Spica.
void blame_slot(AssembledMachine& machine, const std::exception& error);

}  // namespace spica::soc
