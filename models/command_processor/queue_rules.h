// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/unit_rules.h"

namespace spica::command_processor {

/// What checks of programs know of the command processor's registers.
const protocol::QueueRules& queue_rules();

}  // namespace spica::command_processor
