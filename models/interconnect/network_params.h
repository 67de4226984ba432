// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "models/protocol/payload/slice_map.h"

namespace spica::interconnect {

/// What connects the clusters to the level 2 cache.
enum class Kind : std::uint8_t {
  kBus,       // interconnect::Crossbar: one channel each way for the whole cache
  kCrossbar,  // Network: ports of clusters and slices of the cache
};
inline constexpr base::Choices kKinds{base::Choice<Kind>{"bus", Kind::kBus},
                                      base::Choice<Kind>{"crossbar", Kind::kCrossbar}};

/// The input that an output of a crossbar serves next.
enum class Arbitration : std::uint8_t {
  kIslip,       // from a pointer that moves behind each winner
  kRoundRobin,  // from a pointer that moves every cycle
};
inline constexpr base::Choices kArbitrations{
    base::Choice<Arbitration>{"islip", Arbitration::kIslip},
    base::Choice<Arbitration>{"round_robin", Arbitration::kRoundRobin}};

/// Which of the transfers that wait at an input compete for outputs.
enum class Queues : std::uint8_t {
  kInOrder,  // the first
  kPerOutput,  // the first for each output
};
inline constexpr base::Choices kQueues{base::Choice<Queues>{"in_order", Queues::kInOrder},
                                       base::Choice<Queues>{"per_output", Queues::kPerOutput}};

struct NetworkParams {
  Kind kind = Kind::kBus;
  std::uint64_t clusters_per_port = 1;
  std::uint64_t packet_bytes = 32;
  std::uint64_t interleave_bytes = 256;
  protocol::SliceHash hash = protocol::SliceHash::kNone;
  Queues queues = Queues::kInOrder;
  std::uint64_t input_queue = 64;
  std::uint64_t slice_requests = 1024;
  std::uint64_t request_latency = 5;
  std::uint64_t response_latency = 5;
  Arbitration arbitration = Arbitration::kIslip;
  double clock_mhz = 0;

  // Set by the machine, not keys.
  std::uint64_t slices = 1;
  std::vector<std::uint16_t> port_of = {0};  // by requester, ports without gaps
  std::uint64_t ports() const {
    std::uint64_t ports = 0;
    for (const std::uint16_t port : port_of) ports = port >= ports ? port + 1u : ports;
    return ports;
  }
  std::vector<std::uint16_t> cluster_of = {
      0};  // by requester; those of no cluster have the number after the last
  bool is_crossbar() const { return kind == Kind::kCrossbar; }

  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"kind", "clusters_per_port", "interleave_bytes"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("kind", p.kind, kKinds,
          "bus: the system bus of section bus; crossbar: ports of clusters and slices of the level 2 cache, "
          "with the other keys of this section");
    field("clusters_per_port", p.clusters_per_port, "clusters", Range{1, 2},
          "neighbouring clusters that share a port",
          "gpgpu-sim configs/tested-cfgs/SM7_TITANV (2), SM75_RTX2060 (1)");
    field("packet_bytes", p.packet_bytes, "B", Range{16, 128, base::kPow2},
          "data of a packet; a port and a slice carry a packet per cycle in each direction",
          "gpgpu-sim src/gpgpu-sim/mem_fetch.cc (a sector of 32 bytes and a header of 8)");
    field("interleave_bytes", p.interleave_bytes, "B", Range{64, 4096, base::kPow2},
          "consecutive bytes per slice", "gpgpu-sim src/gpgpu-sim/addrdec.cc (256)");
    field("hash", p.hash, protocol::kSliceHashes,
          "slice of a chunk: none: chunk number modulo slices; xor: its upper fields folded into the lowest; "
          "ipoly: a polynomial remainder, for a power of two of slices; ipoly_folded: the same over the next "
          "power of two, folded, which loads the first slices twice; ipoly_mod: even for any number",
          "Rau, ISCA 1991; gpgpu-sim src/gpgpu-sim/hashing.cc");
    field(
        "queues", p.queues, kQueues,
        "what waits at a port or slice: in_order: one queue, whose first transfer blocks those behind it; "
        "per_output: a queue for each receiver",
        "in_order: gpgpu-sim src/gpgpu-sim/local_interconnect.cc; per_output: McKeown, IEEE/ACM Transactions on "
        "Networking 7 (2), 1999");
    field("input_queue", p.input_queue, "requests", Range{1, 1024}, "requests that wait at a port",
          "gpgpu-sim configs/tested-cfgs/SM7_TITANV/gpgpusim.config (512 packets)");
    field("slice_requests", p.slice_requests, "requests", Range{1, 4096},
          "requests of a slice from the choice of their port to the departure of their answer",
          "gpgpu-sim configs/tested-cfgs/SM7_TITANV/gpgpusim.config (queues of 512 packets each way)");
    field("request_latency", p.request_latency, "cycles", Range{1, 1024},
          "from acceptance of a one-packet request to its delivery to an idle slice",
          "UNCERTAIN, as of the bus");
    field("response_latency", p.response_latency, "cycles", Range{1, 1024},
          "from a one-packet response of a slice to the requester", "UNCERTAIN, as of the bus");
    field("arbitration", p.arbitration, kArbitrations,
          "input that an output takes next: islip: the one behind the last winner; round_robin: in turn from "
          "a pointer that moves every cycle",
          "gpgpu-sim src/gpgpu-sim/local_interconnect.cc (islip)");
    field("clock_mhz", p.clock_mhz, "MHz", Range{0, 10000},
          "clock of the crossbar and the level 2 cache; 0: clock_mhz of the machine");
  }
};

}  // namespace spica::interconnect
