// SPDX-License-Identifier: Apache-2.0
// The description of a host port for reports: type, properties, area.
#include "models/host_port/host_port.h"

namespace spica::host_port {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "host_port";
  type.order = 150;
  type.parameters = "host";
  type.free = "a few registers; what it moves, the blocks behind it count";
  type.timeline_counters = {"bytes_read", "bytes_written"};
  type.meters = {{"host reads", "bytes", {"bytes_read"}}, {"host writes", "bytes", {"bytes_written"}}};
  return type;
}

}  // namespace

const base::BlockType& HostPort::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

namespace {
const base::KnownBlockType known(HostPort::block_type());
}

}  // namespace spica::host_port
