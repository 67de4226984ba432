// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"

namespace spica::shared_memory {

/// How lane requests to words of other lanes are routed (virgo tile/VirgoSharedMemComponents.scala).
enum class Unaligned : std::uint8_t {
  kFullySerialised,  // one request per cycle for the whole cluster
  kCoreSerialised,   // the lanes of one core per cycle
  kCrossbar,         // all at once
};
inline constexpr base::Choices kUnalignedChoices{
    base::Choice<Unaligned>{"fully_serialised", Unaligned::kFullySerialised},
    base::Choice<Unaligned>{"core_serialised", Unaligned::kCoreSerialised},
    base::Choice<Unaligned>{"crossbar", Unaligned::kCrossbar}};

/// Which request wins a word bank (virgo tile/RadianceSharedMem.scala; v1: radiance tile/RadianceCluster.scala).
/// Chosen anew in each cycle: nothing is queued between the lanes' buffers and the bank, and a request of one word
/// claims the arbiter for no other cycle (rocket-chip tilelink/Arbiter.scala).
enum class Arbitration : std::uint8_t {
  kLowestIndexFirst,  // v1: wide ports, then cores, then the unaligned path; without a bound for those behind
  kRoundRobinUniform,  // v2: each bank picks one wide port or core per cycle, round robin
};
inline constexpr base::Choices kArbitrationChoices{
    base::Choice<Arbitration>{"lowest_index_first", Arbitration::kLowestIndexFirst},
    base::Choice<Arbitration>{"round_robin_uniform", Arbitration::kRoundRobinUniform}};

/// The client of a wide port; statistics use this name.
enum class WideClient : std::uint32_t { kMatrixA, kMatrixB, kMatrixWrite, kDma, kTensorCore, kHost };

inline constexpr unsigned kMaxBanks = 64;
inline constexpr unsigned kFewestWords = 8, kMostWords = 32;  // of a line

/// Defaults are v1: 64 KB in 4 banks of 8 words.
struct SharedMemoryParams {
  std::uint64_t size = 64 * 1024;
  std::uint64_t banks = 4;
  std::uint64_t words = 8;
  std::uint64_t word_bytes = 4;
  std::uint64_t read_latency = 2;
  std::uint64_t write_latency = 1;
  std::uint64_t core_request_latency = 1;
  std::uint64_t core_response_latency = 0;
  std::uint64_t wide_buffer_latency = 1;
  std::uint64_t core_queue_depth = 2;
  std::uint64_t wide_queue_depth = 2;
  std::uint64_t source_ids = 32;
  Unaligned unaligned = Unaligned::kFullySerialised;
  bool unaligned_joins_directions = false;
  bool broadcast = false;
  Arbitration arbitration = Arbitration::kLowestIndexFirst;

  // Set by the cluster; not keys.
  std::uint64_t base = 0xFF00'0000;  // guest address of byte 0
  std::uint64_t cores = 4;
  std::uint64_t lanes = 8;
  std::vector<WideClient> wide_ports{WideClient::kMatrixA, WideClient::kMatrixB, WideClient::kDma};

  /// True if lanes that access words of other lanes are served one at a time.
  bool serialises_unaligned() const { return unaligned == Unaligned::kFullySerialised; }

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"size", "banks", "words", "word_bytes"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("size", p.size, "B", Range{1024, 16 * 1024 * 1024},
          "capacity: a power of two per bank, or with one bank a multiple of 256",
          "chipyard RadianceConfigs.scala (v1 64 KB, v2 128 or 256 KB)");
    field("banks", p.banks, "banks", Range{1, kMaxBanks, base::kPow2},
          "banks; each is a contiguous slice of the address range", "virgo tile/RadianceSharedMem.scala");
    field("words", p.words, "words", Range{kFewestWords, kMostWords, base::kPow2},
          "word banks in a bank; together they are a line", "virgo tile/RadianceSharedMem.scala");
    field("word_bytes", p.word_bytes, "B", Range{4, 8, base::kPow2}, "width of a word bank",
          "virgo tile/RadianceSharedMem.scala");
    field("read_latency", p.read_latency, "cycles", Range{1, 64},
          "from the bank serving a load to its data: SRAM and output register",
          "virgo tile/RadianceSharedMem.scala");
    field("write_latency", p.write_latency, "cycles", Range{1, 64},
          "from the bank serving a store to its acknowledgement", "virgo tile/RadianceSharedMem.scala");
    field("core_request_latency", p.core_request_latency, "cycles", Range{1, 16},
          "from the request of the core to the bank: its request register; crossbars are "
          "combinational",
          "virgo tile/RadianceSharedMem.scala UNCERTAIN");
    field("core_response_latency", p.core_response_latency, "cycles", Range{0, 16},
          "from the output of the bank to the core, whose response register is part of the core",
          "virgo tile/RadianceSharedMem.scala");
    field("wide_buffer_latency", p.wide_buffer_latency, "cycles", Range{0, 16},
          "buffer between a wide port and the banks, in each direction (at least 1 towards the "
          "banks)",
          "virgo tile/VirgoSharedMemComponents.scala (2-entry TLBuffer)");
    field("core_queue_depth", p.core_queue_depth, "accesses", Range{1, 64},
          "warp accesses queued at the port of a core", "virgo tile/RadianceSharedMem.scala UNCERTAIN");
    field("wide_queue_depth", p.wide_queue_depth, "requests", Range{1, 64}, "requests queued at a wide port",
          "virgo tile/VirgoSharedMemComponents.scala (2-entry TLBuffer)");
    field("source_ids", p.source_ids, "accesses", Range{1, 256},
          "outstanding warp accesses of a core (one id on every lane)", "vortex VX_config.vh (32 per lane)");
    field("unaligned", p.unaligned, kUnalignedChoices,
          "path of lane requests to words other than the lane's own",
          "virgo tile/VirgoSharedMemComponents.scala");
    field("unaligned_joins_directions", p.unaligned_joins_directions,
          "the serialised unaligned path accepts one load or store per cycle instead of one of each",
          "radiance tile/RadianceCluster.scala, virgo tile/VirgoSharedMemComponents.scala (a path for each)");
    field("broadcast", p.broadcast,
          "lanes of an access to the same word of a bank are served together, and every lane "
          "reaches every bank; off: in sequence",
          "gpgpu-sim configs/tested-cfgs/SM7_TITANV/gpgpusim.config (gpgpu_shmem_limited_broadcast 0)");
    field("arbitration", p.arbitration, kArbitrationChoices,
          "arbitration of a word bank, anew in each cycle: wide ports, then cores by number; or in turn",
          "v1: radiance tile/RadianceCluster.scala (TLArbiter.lowestIndexFirst); v2: virgo "
          "tile/RadianceSharedMem.scala (TLArbiter.roundRobin); order of the cores UNCERTAIN");
  }

  template <class Self, class Report>
  static void check(const Self& p, Report&& contradiction) {
    if (p.broadcast && p.unaligned != Unaligned::kCrossbar)
      contradiction({"broadcast", "unaligned"}, "broadcast needs a crossbar: set unaligned to crossbar");
    if (p.words * p.word_bytes > 128)
      contradiction({"words", "word_bytes"}, "a line must not exceed 128 bytes");
    const std::uint64_t slice = p.banks == 0 ? 0 : p.size / p.banks;
    if (p.banks == 1 && p.size % 256 != 0)
      contradiction({"size"}, "must be a multiple of 256, for example " + std::to_string(p.size / 256 * 256) +
                                  " or " + std::to_string((p.size / 256 + 1) * 256));
    if (p.banks > 1 && (slice * p.banks != p.size || (slice & (slice - 1)) != 0)) {
      std::uint64_t below = p.banks;
      while (2 * below <= p.size) below *= 2;
      contradiction({"size", "banks"}, "with several banks the size must be a power of two, for example " +
                                           std::to_string(below) + " or " + std::to_string(2 * below) +
                                           "; other sizes have one bank: cluster.shared_memory.banks=1");
    }
    if (p.size < p.banks * p.words * p.word_bytes)
      contradiction({"size", "banks", "words"}, "every bank needs at least one line");
  }
};

}  // namespace spica::shared_memory
