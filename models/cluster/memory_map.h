// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "models/protocol/payload/address_map.h"

namespace spica::cluster {

/// The addresses of a cluster's own regions as seen by the guest (virgo tile/RadianceCluster.scala).
struct MemoryMap {
  std::uint64_t shared_base = 0xFF00'0000;
  std::uint64_t window_bytes = 128 * 1024;
  std::uint64_t print_bytes_per_core = 0x200;
  std::uint64_t registers_offset = 0x3000;
  std::uint64_t registers_bytes = 0x100;
  std::uint64_t putchar_base = 0;
  std::uint64_t putchar_bytes = 64;

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {
      "shared_base",     "window_bytes", "print_bytes_per_core", "registers_offset",
      "registers_bytes", "putchar_base", "putchar_bytes"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
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

/// The address window of a block that only some clusters have.
struct Window {
  std::string name;
  std::uint64_t base = 0, bytes = 0;
};

/// Sizes and counts of the cluster that the map depends on.
struct MapInputs {
  std::uint64_t shared_bytes = 0;
  unsigned cores = 0;
  unsigned matrix_units = 0;
  std::uint64_t global_base = 0;
  std::uint64_t global_bytes = 0;
  std::vector<Window> windows = {};
};

/// The regions on the peripheral bus, in the order of its sockets (Region::target): the cluster's own blocks, then the
/// windows.
inline std::vector<protocol::Region> peripherals(const MemoryMap& map, const MapInputs& inputs) {
  std::vector<protocol::Region> all;
  const auto add = [&](const std::string& name, std::uint64_t base, std::uint64_t bytes,
                       unsigned unit = protocol::Region::kNoUnit) {
    all.push_back({name, base, bytes, protocol::Route::kPeripheral, static_cast<unsigned>(all.size()), unit});
  };
  const std::uint64_t shared_end = map.shared_base + inputs.shared_bytes;
  add("print_buffer", shared_end, map.print_bytes_per_core * inputs.cores);
  add("putchar", map.putchar_base, map.putchar_base != 0 ? map.putchar_bytes : 0);
  for (unsigned unit = 0; unit < inputs.matrix_units; ++unit)
    add("matrix_unit_" + std::to_string(unit), shared_end + map.registers_offset + unit * map.registers_bytes,
        map.registers_bytes, unit);
  for (const Window& window : inputs.windows) add(window.name, window.base, window.bytes);
  return all;
}

/// The guest's address map. Where regions overlap, the first one applies.
inline protocol::AddressMap build_address_map(const MemoryMap& map, const MapInputs& inputs) {
  using protocol::Route;
  protocol::AddressMap result;
  result.add({"shared_memory", map.shared_base, inputs.shared_bytes, Route::kShared, 0});
  for (const protocol::Region& peripheral : peripherals(map, inputs))
    if (peripheral.size != 0) result.add(peripheral);
  result.add({"cluster_window", map.shared_base, map.window_bytes, Route::kUnmapped, 0});
  result.add({"global_memory", inputs.global_base, inputs.global_bytes, Route::kGlobal, 0});
  return result;
}

}  // namespace spica::cluster
