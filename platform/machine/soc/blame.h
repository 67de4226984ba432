// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "platform/base/config/problem.h"

namespace spica::soc {

class AssembledMachine;

/// What is wrong with a slot: its place, the block, and what to do.
using SlotRefusal = config::ConfigError;

/// Of an exception that has come out of a machine: throws SlotRefusal when it is about a block of somebody else, which a slot
/// of the configuration put there. Else returns: then it is a matter of Spica.
void blame_slot(AssembledMachine& machine, const std::exception& error);

}  // namespace spica::soc
