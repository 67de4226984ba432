// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/kinds.h"

#include "models/assembly/kinds.h"
#include "models/assembly/link_types.h"
#include "models/cluster/kinds_parts.h"
#include "models/matrix_unit/accelerator_node.h"

namespace spica::cluster {

void add_kinds() {
  assembly::Kinds& kinds = assembly::kinds();
  if (kinds.find("simt_core") != nullptr) return;
  assembly::add_link_type(assembly::port_link<matrix_unit::CommandIf>("CommandIf"));
  assembly::add_link_type(assembly::port_link<matrix_unit::LooseCommandIf>("LooseCommandIf"));
  add_core_kinds(kinds);
  add_memory_kinds(kinds);
  add_unit_kinds(kinds);
}

}  // namespace spica::cluster
