// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spica::assembly {

class Kinds;

/// The modules of adapters/ that can stand between two blocks.
void add_adapter_kinds(Kinds& kinds);

}  // namespace spica::assembly
