// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"
#include "models/host_port/host_port_regs.h"

namespace spica::host_port {

/// Where a host finds what of the machine, and how much the port does at once.
struct HostPortParams {
  bool present = false;
  std::uint64_t registers_base = 0x1000'0000;
  std::uint64_t windows_base = 0x2000'0000;
  std::uint64_t window_stride = 0x0100'0000;
  std::uint64_t latency = 1;
  std::uint64_t queue_depth = 4;
  std::uint64_t max_request = 32;
  std::uint64_t outstanding = 4;

  // Set by the machine; no keys of their own.
  std::uint64_t clusters = 1;
  std::uint64_t cores = 4;  // of all clusters
  std::uint64_t cluster_base = 0xFF00'0000;  // guest address of a cluster's window
  std::uint64_t shared_line = 32;  // bytes; requests to shared memory stay inside one

  /// What programs see or rely on, besides timing (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"present", "registers_base", "windows_base",
                                                           "window_stride"};
  /// Neither better nor worse hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"window_stride"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("present", p.present,
          "the machine has a port for a host in the same simulation, which has to be bound");
    field("registers_base", p.registers_base, "address", Range{0, 0xFFFF'F000},
          "for the host: first register of the port (host_port_regs.h)");
    field(
        "windows_base", p.windows_base, "address", Range{0, 0xFFFF'F000},
        "for the host: shared memory of cluster 0 and what follows it, print buffer and matrix-unit registers");
    field("window_stride", p.window_stride, "B", Range{4096, 268435456, base::kPow2},
          "for the host: from the window of a cluster to that of the next one");
    field("latency", p.latency, "cycles", Range{1, 1000},
          "from a request to its register, or to the first request behind the port");
    field("queue_depth", p.queue_depth, "requests", Range{1, 64},
          "requests that wait for the one being served");
    field("max_request", p.max_request, "B", Range{4, 128, base::kPow2},
          "longer requests, and those that cross a multiple of it, are split");
    field("outstanding", p.outstanding, "requests", Range{1, 64},
          "parts of a request that are under way at once");
  }

  template <class Report>
  static void check(const HostPortParams& p, Report&& contradiction) {
    if (p.registers_base % HOST_PORT_BLOCK_BYTES != 0 || p.windows_base % HOST_PORT_BLOCK_BYTES != 0)
      contradiction({"registers_base", "windows_base"}, "must be multiples of 4096");
  }
};

}  // namespace spica::host_port
