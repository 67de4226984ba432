// SPDX-License-Identifier: Apache-2.0
// The description of the shared memory path for reports: type, properties, area.
#include "models/mio/mio.h"

namespace spica::mio {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "mio";
  type.order = 65;
  type.events = {
      {"mio.byte",
       {{"shared_bytes_read"}, {"shared_bytes_written"}, {"global_bytes_read"}, {"global_bytes_written"}},
       "byte",
       "",
       {},
       "bytes between the registers of the cores and the array of shared memory and level 1 cache"}};
  type.reasons = {{"conflict", "further passes of an access"},
                  {"memory_blocked",
                   "room in shared memory or in front of the level 1 data cache",
                   {"shared_memory", "dcache"}},
                  {"writeback_full", "the write-back port of the load/store unit"},
                  {"register_banks", "register banks that the other load/store unit writes"}};
  type.channels = {{"load/store write-back", {"writeback_cycles"}, "writeback_ports"}};
  type.charts = {{"{} memory paths", true, "path"}};
  type.timeline_accounts = {"path"};
  type.meters = {
      {"memory path",
       "bytes",
       {"shared_bytes_read", "shared_bytes_written", "global_bytes_read", "global_bytes_written"}}};
  return type;
}

}  // namespace

const base::BlockType& Mio::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

base::Properties Mio::properties() const {
  return {{"writeback_ports", params_.writeback.present ? params_.count() : 0}};
}

base::AreaTerms Mio::area() const {
  constexpr double kControlBits = 40;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const double bits = 8 * number(params_.bytes_per_cycle), cores = number(params_.cores);
  const double units = number(params_.count());
  base::AreaTerms area;
  area.add("queues", base::Structure::kRegisterBit,
           cores * number(params_.queue_depth) * (bits + kControlBits))
      .add_crossbar("path", cores, units, bits + kControlBits);
  if (params_.writeback.present)
    area.add("write_back", base::Structure::kFlopBit, units * (bits + kControlBits))
        .add("write_back", base::Structure::kMuxBit, units * (bits + kControlBits));  // of the two memories
  return area;
}

namespace {
const base::KnownBlockType known(Mio::block_type());
}

}  // namespace spica::mio
