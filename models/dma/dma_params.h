// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"

namespace spica::dma {

/// The DMA of one matrix unit: its loads and stores. The defaults are those of the v1 unit (8x8, FP32).
struct DmaParams {
  std::uint64_t accumulator_row_bytes = 32;  // DIM * 4; set by the cluster, not a key
  std::uint64_t tracked_loads = 0;
  std::uint64_t load_queue = 8;
  std::uint64_t store_queue = 4;
  std::uint64_t read_ids = 16;
  std::uint64_t write_ids = 16;
  std::uint64_t shared_write_ids = 16;
  std::uint64_t translate_latency = 2;
  std::uint64_t max_request = 64;
  std::uint64_t bus_bytes = 32;
  std::uint64_t store_rows = 4;
  std::uint64_t scale_units = 0;
  std::uint64_t scale_latency = 4;
  bool transposer = false;

  /// Load commands in progress at a time: `tracked_loads`, or 16 / DIM + 1 if that is 0.
  std::uint64_t tracked() const { return tracked_loads != 0 ? tracked_loads : 16 / dim() + 1; }
  /// Rows and columns of the array, and of each block that is moved.
  std::uint64_t dim() const { return accumulator_row_bytes / 4; }
  bool reshapes() const { return scale_units != 0 || transposer; }

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"scale_units", "transposer"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("tracked_loads", p.tracked_loads, "commands", Range{0, 64},
          "concurrent load commands; 0: 16 / dim + 1", "gemmini LoadController.scala");
    field("load_queue", p.load_queue, "commands", Range{1, 64}, "queued load commands",
          "virgo subsystem/Configs.scala");
    field("store_queue", p.store_queue, "commands", Range{1, 64},
          "active and queued store commands per destination", "virgo subsystem/Configs.scala");
    field("read_ids", p.read_ids, "requests", Range{1, 256}, "outstanding reads of global memory",
          "gemmini DMA.scala");
    field("write_ids", p.write_ids, "requests", Range{1, 256}, "outstanding writes to global memory",
          "gemmini DMA.scala");
    field("shared_write_ids", p.shared_write_ids, "requests", Range{1, 256},
          "outstanding writes to shared memory, for loads and stores each", "gemmini DMA.scala");
    field("translate_latency", p.translate_latency, "cycles", Range{1, 16},
          "address translation of a read, pipelined; bare addresses never miss", "gemmini DMA.scala");
    field("max_request", p.max_request, "B", Range{32, 64, base::kPow2}, "largest aligned request",
          "gemmini DMA.scala");
    field("bus_bytes", p.bus_bytes, "B/cycle", Range{8, 64, base::kPow2},
          "width of the path to the bus and to shared memory", "gemmini DMA.scala");
    field("store_rows", p.store_rows, "rows", Range{1, 64},
          "rows fetched from the accumulator ahead of the writer", "gemmini DMA.scala UNCERTAIN");
    field(
        "scale_units", p.scale_units, "elements/cycle", Range{0, 256},
        "elements per cycle of a load to shared memory that are scaled and converted to another "
        "format; 0: loads copy bytes",
        "gemmini GemminiConfigs.scala (num_scale_units of mvin_scale_args); formats: no public source UNCERTAIN");
    field("scale_latency", p.scale_latency, "cycles", Range{1, 16}, "latency of the scale units, pipelined",
          "gemmini GemminiConfigs.scala (latency of mvin_scale_args)");
    field("transposer", p.transposer,
          "loads to shared memory can transpose blocks of dim x dim words: one row enters per "
          "cycle, and output starts after the last row",
          "gemmini Transposer.scala");
  }
};

}  // namespace spica::dma
