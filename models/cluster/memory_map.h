// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "models/protocol/address_map.h"

namespace spica::cluster {

/// Where a cluster's own regions are in the guest's address space (virgo
/// tile/RadianceCluster.scala).
struct MemoryMap {
  std::uint64_t shared_base = 0xFF00'0000;
  std::uint64_t window_bytes = 128 * 1024;
  std::uint64_t print_bytes_per_core = 0x200;
  std::uint64_t registers_offset = 0x3000;
  std::uint64_t registers_bytes = 0x100;
  std::uint64_t putchar_base = 0;
  std::uint64_t putchar_bytes = 64;

  /// What programs see or rely on, apart from timing (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {
      "shared_base",     "window_bytes", "print_bytes_per_core", "registers_offset",
      "registers_bytes", "putchar_base", "putchar_bytes"};
  /// Neither better nor worse hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"window_bytes", "print_bytes_per_core", "registers_offset",
                                                   "registers_bytes", "putchar_bytes"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("shared_base", p.shared_base, "address", Range{0, 0xFFFF'FFFF}, "first byte of shared memory",
          "virgo tile/RadianceCluster.scala");
    field("window_bytes", p.window_bytes, "B", Range{4096, 16.0 * 1024 * 1024, base::kPow2},
          "size of the range from shared_base that cores access through the cluster port",
          "vortex VX_config.vh (v1: SMEM_LOG_SIZE 17)");
    field("print_bytes_per_core", p.print_bytes_per_core, "B", Range{4, 65536},
          "print buffer per core, placed after shared memory", "virgo tile/RadianceCluster.scala");
    field("registers_offset", p.registers_offset, "B", Range{0, 1048576},
          "from the end of shared memory to the registers of matrix unit 0", "virgo subsystem/Configs.scala");
    field("registers_bytes", p.registers_bytes, "B", Range{64, 65536, base::kPow2},
          "register block of one matrix unit", "virgo subsystem/Configs.scala");
    field("putchar_base", p.putchar_base, "address", Range{0, 0xFFFF'FFFF},
          "address of the putchar window; 0: none, putchar uses the print buffer",
          "vortex VX_config.vh (IO_COUT)");
    field("putchar_bytes", p.putchar_bytes, "B", Range{4, 4096}, "size of the putchar window",
          "virgo tile/RadianceCluster.scala");
  }
};

/// Addresses of a block that is not part of every cluster.
struct Window {
  std::string name;
  std::uint64_t base = 0, bytes = 0;
};

/// What else the map depends on.
struct MapInputs {
  std::uint64_t shared_bytes = 0;
  unsigned cores = 0;
  unsigned matrix_units = 0;
  std::uint64_t global_base = 0;
  std::uint64_t global_bytes = 0;
  std::vector<Window> windows = {};
};

/// Targets of the peripheral bus, by socket number.
inline constexpr unsigned kPrintTarget = 0;
inline constexpr unsigned kPutcharTarget = 1;
inline constexpr unsigned kFirstUnitTarget = 2;
inline unsigned window_target(std::size_t matrix_units, std::size_t window) {
  return static_cast<unsigned>(kFirstUnitTarget + matrix_units + window);
}

/// The guest's address map; the first region that contains an address counts.
inline protocol::AddressMap build_address_map(const MemoryMap& map, const MapInputs& inputs) {
  using protocol::Route;
  protocol::AddressMap result;
  const std::uint64_t shared_end = map.shared_base + inputs.shared_bytes;
  result.add({"shared_memory", map.shared_base, inputs.shared_bytes, Route::kShared, 0});
  result.add({"print_buffer", shared_end, map.print_bytes_per_core * inputs.cores, Route::kPeripheral,
              kPrintTarget});
  for (unsigned unit = 0; unit < inputs.matrix_units; ++unit)
    result.add({"matrix_unit_" + std::to_string(unit),
                shared_end + map.registers_offset + unit * map.registers_bytes, map.registers_bytes,
                Route::kPeripheral, kFirstUnitTarget + unit, unit});
  if (map.putchar_base != 0)
    result.add({"putchar", map.putchar_base, map.putchar_bytes, Route::kPeripheral, kPutcharTarget});
  for (std::size_t i = 0; i < inputs.windows.size(); ++i)
    result.add({inputs.windows[i].name, inputs.windows[i].base, inputs.windows[i].bytes, Route::kPeripheral,
                window_target(inputs.matrix_units, i)});
  result.add({"cluster_window", map.shared_base, map.window_bytes, Route::kUnmapped, 0});
  result.add({"global_memory", inputs.global_base, inputs.global_bytes, Route::kGlobal, 0});
  return result;
}

}  // namespace spica::cluster
