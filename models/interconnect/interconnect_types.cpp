// SPDX-License-Identifier: Apache-2.0
// The description of the buses for reports: type, properties, area.
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
  type.reasons = {{"channel_busy", "requests of other cores"},
                  {"peripheral_held", "a peripheral that holds a request"}};
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
  type.reasons = {{"channel_busy", "beats of its channel"},
                  {"max_outstanding", "requests in flight to the target"},
                  {"target_held", "room at the target"}};
  type.channels = {{"bus", {"request_beats"}, "targets"}, {"bus", {"response_beats"}, "targets"}};
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

/// Queues of the masters, and a crossbar each way.
base::AreaTerms bus_area(std::uint64_t masters, std::uint64_t targets, std::uint64_t queue,
                         double data_bits) {
  constexpr double kControlBits = 48;  // address, kind, size, where the answer goes
  const auto in = static_cast<double>(masters), out = static_cast<double>(targets);
  base::AreaTerms area;
  area.add("queues", base::Structure::kRegisterBit,
           in * static_cast<double>(queue) * (data_bits + kControlBits))
      .add_crossbar("crossbar", in, out, data_bits + kControlBits)
      .add_crossbar("crossbar", out, in, data_bits);
  return area;
}

}  // namespace

base::AreaTerms PeripheralBus::area() const {
  constexpr double kWordBits = 32;
  return bus_area(params_.masters, params_.targets, params_.master_queue, kWordBits);
}

base::AreaTerms Crossbar::area() const {
  return bus_area(params_.masters, params_.targets, params_.master_queue,
                  8 * static_cast<double>(params_.beat_bytes));
}

namespace {
const base::KnownBlockType known_0(PeripheralBus::block_type()), known_1(Crossbar::block_type());
}

}  // namespace spica::interconnect
