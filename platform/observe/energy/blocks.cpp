// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/blocks.h"

#include <string>

#include "platform/machine/soc/blocks.h"
#include "platform/machine/soc/measured_machine.h"

namespace spica::energy {

namespace {

std::string unit_of(const base::BlockType& type) {
  return std::string(type.units.empty() ? type.name : type.units);
}

}  // namespace

std::vector<power::Block> blocks_of(soc::MeasuredMachine& soc) {
  const sc_core::sc_time period = soc.machine().clock().period();
  const std::vector<soc::PlacedBlock> placed = soc::placed_blocks(soc);
  std::vector<power::Block> blocks;
  for (const soc::PlacedBlock& one : placed) {
    const soc::PlacedBlock& shown = soc::drawn_in(placed, one);
    const base::BlockType &type = one.type(), &box = shown.type();
    power::Block block;
    block.name = one.name;
    block.type = &type;
    if (!box.off_chip) block.node = "soc/";
    if (!box.off_chip && !shown.box.empty()) block.node += shown.box + "/";
    block.node += box.node.empty() ? shown.own : std::string(box.node);
    block.stats = &one.block->stats();
    block.properties = one.block->properties();
    block.area = one.block->area();
    block.clock = period / one.block->domain()->period();
    block.unit = unit_of(box);
    if (!type.off_chip) block.part = unit_of(type.units.empty() ? box : type);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

const std::vector<const base::BlockType*>& machine_types() { return base::block_types(); }

}  // namespace spica::energy
