// SPDX-License-Identifier: Apache-2.0
// The parts of add_kinds(), one per group of blocks.
#pragma once

#include "models/assembly/kinds.h"

namespace spica::cluster {

void add_core_kinds(assembly::Kinds& kinds);
void add_memory_kinds(assembly::Kinds& kinds);
void add_unit_kinds(assembly::Kinds& kinds);

}  // namespace spica::cluster
