// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "platform/base/config/problem.h"

namespace spica::soc {

class AssembledMachine;

/// What is wrong with a slot: its place, the block, and what to do.
using SlotRefusal = config::ConfigError;

/// Takes an exception that has come out of a machine. Throws SlotRefusal if the cause is a foreign block, which a slot
/// of the configuration put there. Else returns: then Spica is the cause.
void blame_slot(AssembledMachine& machine, const std::exception& error);

}  // namespace spica::soc
