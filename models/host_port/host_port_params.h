// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"
#include "models/host_port/host_port_regs.h"

namespace spica::host_port {

/// The address layout for a host, and the number of requests that the port handles at once.
struct HostPortParams {
  bool present = false;
  std::uint64_t registers_base = 0x1000'0000;
  std::uint64_t windows_base = 0x2000'0000;
  std::uint64_t window_stride = 0x0100'0000;
  std::uint64_t latency = 1;
  std::uint64_t queue_depth = 4;
  std::uint64_t max_request = 32;
  std::uint64_t outstanding = 4;

  // Set by the machine, not keys.
  std::uint64_t clusters = 1;
  std::uint64_t cores = 4;  // of all clusters
  std::uint64_t cluster_base = 0xFF00'0000;  // guest address of the cluster's window
  std::uint64_t shared_line = 32;  // bytes of a line; a request to shared memory never crosses one

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"present", "registers_base", "windows_base",
                                                           "window_stride"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"window_stride"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("present", p.present,
          "the machine has a port for a host in the same simulation, which must be bound");
    field("registers_base", p.registers_base, "address", Range{0, 0xFFFF'F000},
          "address of the first register of the port, seen from the host (host_port_regs.h)");
    field("windows_base", p.windows_base, "address", Range{0, 0xFFFF'F000},
          "address of the window of cluster 0, seen from the host: shared memory, print buffer, "
          "matrix-unit registers");
    field("window_stride", p.window_stride, "B", Range{4096, 268435456, base::kPow2},
          "distance of the windows of two clusters, seen from the host");
    field("latency", p.latency, "cycles", Range{1, 1000},
          "from a request to the register access, or to the first request behind the port");
    field("queue_depth", p.queue_depth, "requests", Range{1, 64}, "queued requests");
    field("max_request", p.max_request, "B", Range{4, 128, base::kPow2},
          "largest request; longer ones, and those that cross a multiple of it, are split");
    field("outstanding", p.outstanding, "requests", Range{1, 64}, "outstanding parts of a split request");
  }

  template <class Report>
  static void check(const HostPortParams& p, Report&& contradiction) {
    if (p.registers_base % HOST_PORT_BLOCK_BYTES != 0 || p.windows_base % HOST_PORT_BLOCK_BYTES != 0)
      contradiction({"registers_base", "windows_base"}, "must be multiples of 4096");
  }
};

}  // namespace spica::host_port
