// SPDX-License-Identifier: Apache-2.0
// The parts of add_kinds(), each with the blocks that it knows.
#pragma once

#include <any>
#include <memory>

#include "models/assembly/kinds.h"

namespace spica::cluster {

void add_core_kinds(assembly::Kinds& kinds);
void add_memory_kinds(assembly::Kinds& kinds);
void add_unit_kinds(assembly::Kinds& kinds);

/// The factory of a block of the fast mode that is made from parameters alone.
template <class Block, class Params>
assembly::Factory make_bare() {
  return [](const assembly::Site& site) {
    return std::make_unique<Block>(site.name, std::any_cast<const Params&>(site.params));
  };
}

}  // namespace spica::cluster
