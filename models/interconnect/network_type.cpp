// SPDX-License-Identifier: Apache-2.0
// The description of the network for reports: type, properties, area.
#include "models/interconnect/network.h"

namespace spica::interconnect {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "network";
  type.order = 125;
  type.events = {{"network.byte",
                  {{"bytes_read"}, {"bytes_written"}},
                  "byte",
                  "data",
                  {},
                  "data bytes carried between ports and slices"},
                 {"network.packet",
                  {{"request_packets"}, {"response_packets"}},
                  "packet",
                  "queues",
                  {},
                  "packets that pass a queue, each with its header"}};
  type.idle = base::IdleEnergy{"idle", "the crossbar between clusters and level 2 cache"};
  type.reasons = {{"waiting", "the level 2 cache", {"l2"}},
                  {"port_busy", "packets of a port"},
                  {"slice_busy", "packets of a slice"},
                  {"slice_full", "requests of a slice in flight"}};
  type.channels = {{"network", {"request_packets"}, "ports"},
                   {"network", {"request_packets"}, "slices"},
                   {"network", {"response_packets"}, "ports"},
                   {"network", {"response_packets"}, "slices"}};
  type.timeline_counters = {"bytes_read", "bytes_written", "request_packets", "response_packets"};
  return type;
}

}  // namespace

const base::BlockType& Network::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

/// Queues of ports and slices, and a crossbar each way.
base::AreaTerms Network::area() const {
  constexpr double kHeaderBits = 64;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const double ports = number(ports_.size()), slices = number(slices_.size());
  const double packet = 8 * number(params_.packet_bytes) + kHeaderBits;
  base::AreaTerms area;
  area.add_array("queues", base::Structure::kRegisterBit,
                 packet * (ports * number(params_.input_queue) + slices * number(params_.slice_requests)),
                 ports + slices, packet)
      .add_crossbar("crossbar", ports, slices, packet)
      .add_crossbar("crossbar", slices, ports, packet);
  return area;
}

namespace {
const base::KnownBlockType known(Network::block_type());
}

}  // namespace spica::interconnect
