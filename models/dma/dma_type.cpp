// SPDX-License-Identifier: Apache-2.0
// The description of a DMA for reports: type, properties, area.
#include "models/dma/dma.h"

namespace spica::dma {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "dma";
  type.order = 90;
  type.events = {{"dma.beat",
                  {{"read_beats"}, {"write_beats"}},
                  "beat",
                  "beats",
                  {},
                  "bus beats through the DMA's buffers, addresses included"},
                 {"dma.row",
                  {{"shared_writes"}, {"accumulator_accesses"}},
                  "row",
                  "rows",
                  {},
                  "rows moved to shared memory, from or to the accumulator"},
                 {"dma.scale",
                  {{"scaled_elements"}},
                  "element",
                  "elements",
                  {},
                  "elements of loads that were scaled and converted"},
                 {"dma.transpose",
                  {{"transposed_rows"}},
                  "row",
                  "rows",
                  {},
                  "rows of loads into and out of the transposer"}};
  type.idle = base::IdleEnergy{"idle", "a DMA engine"};
  type.reasons = {
      {"translating", "address translation"},
      {"waiting_for_ids", "a free number for a request", {"dma", "bus", "network", "l2", "main_memory"}},
      {"bus_held", "the bus", {"bus", "network"}},
      {"waiting_for_data", "data from memory", {"bus", "network", "l2"}},
      {"writing_rows", "room for rows", {"shared_memory"}},
      {"waiting_for_rows", "rows from the accumulator", {"matrix_unit"}},
      {"waiting_for_acknowledges", "acknowledges of writes", {"bus", "network", "l2", "main_memory"}}};
  type.channels = {{"DMA", {"read_beats"}, ""}, {"DMA", {"write_beats"}, ""}};
  type.charts = {{"DMA {}, reader", false, "reader", {"bytes_a", "bytes_b", "bytes_d"}}};
  type.timeline_accounts = {"reader", "writer"};
  type.meters = {{"DMA loads", "bytes", {"bytes_a", "bytes_b", "bytes_d"}},
                 {"DMA stores", "bytes", {"bytes_stored_global", "bytes_stored_shared"}}};
  return type;
}

}  // namespace

const base::BlockType& Dma::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

base::AreaTerms Dma::area() const {
  using base::Structure;
  constexpr double kCommandBits = 160,
                   kTrackerBits = 96;  // gemmini DMACommandTracker.scala, XactTracker.scala
  constexpr double kWordBits = 32;  // the widest
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const DmaParams& p = params_;
  base::AreaTerms area;
  area.add("commands", Structure::kRegisterBit,
           number(p.tracked() + p.load_queue + 2 * p.store_queue) * kCommandBits)
      .add("requests", Structure::kRegisterBit,
           number(p.read_ids + p.write_ids + 2 * p.shared_write_ids) * kTrackerBits)
      // A request that is put together or taken apart, of the reader and of the writer.
      .add_array("buffers", Structure::kFlopBit, 2 * 8 * number(p.max_request + p.bus_bytes), 2,
                 8 * number(p.bus_bytes))
      .add_array("rows", Structure::kRegisterBit, number(p.store_rows) * 8 * number(p.accumulator_row_bytes),
                 1, 8 * number(p.accumulator_row_bytes))
      .add("control", Structure::kController, 2)
      .add("scale", Structure::kFmaFp32, number(p.scale_units));
  if (p.transposer) area.add("transposer", Structure::kFlopBit, number(p.dim() * p.dim()) * kWordBits);
  return area;
}

namespace {
const base::KnownBlockType known(Dma::block_type());
}

}  // namespace spica::dma
