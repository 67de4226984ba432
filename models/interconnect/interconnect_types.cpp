// SPDX-License-Identifier: Apache-2.0
// What the buses say of themselves.
#include "models/interconnect/crossbar.h"
#include "models/interconnect/peripheral_bus.h"

namespace spica::interconnect {

namespace {

base::BlockType peripheral_bus_type() {
  base::BlockType type;
  type.name = "peripheral_bus";
  type.order = 100;
  type.events = {{"mmio.access",
                  {{"reads"}, {"writes"}},
                  "access",
                  "",
                  {"peripheral_lanes"},
                  "accesses of lanes to memory-mapped registers and the console"}};
  return type;
}

base::BlockType crossbar_type() {
  base::BlockType type;
  type.name = "bus";
  type.order = 120;
  type.events = {{"bus.byte",
                  {{"bytes_read"}, {"bytes_written"}},
                  "byte",
                  "data",
                  {},
                  "data bytes carried by the system bus"}};
  type.idle = base::IdleEnergy{"idle", "the system bus"};
  return type;
}

}  // namespace

const base::BlockType& PeripheralBus::block_type() {
  static const base::BlockType type = peripheral_bus_type();
  return type;
}
const base::BlockType& Crossbar::block_type() {
  static const base::BlockType type = crossbar_type();
  return type;
}

namespace {
const base::KnownBlockType known_0(PeripheralBus::block_type()), known_1(Crossbar::block_type());
}

}  // namespace spica::interconnect
