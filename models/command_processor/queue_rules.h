// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/ports/unit_rules.h"

namespace spica::command_processor {

/// The rules of the command processor's registers for checks of programs.
const protocol::QueueRules& queue_rules();

}  // namespace spica::command_processor
