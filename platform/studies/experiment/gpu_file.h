// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "models/base/params.h"
#include "platform/base/config/source.h"

namespace spica::experiment {

/// Floating-point operations per cycle of a multiprocessor; an addition and a multiplication count as one each.
struct GpuRates {
  std::uint64_t tensor = 1024, lanes = 128;

  static constexpr std::string_view kRequired[] = {"tensor", "lanes"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    constexpr base::Range kRate{1, 1 << 20};
    field("tensor", p.tensor, "FLOP/cycle", kRate, "rate of the tensor cores, FP16");
    field("lanes", p.lanes, "FLOP/cycle", kRate, "rate of the lanes, FP32");
  }
};

/// The resources shared by the thread blocks on a multiprocessor.
struct GpuRoom {
  std::uint64_t shared_memory = 0, registers = 0, warps = 0;

  static constexpr std::string_view kRequired[] = {"shared_memory", "registers", "warps"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("shared_memory", p.shared_memory, "B", base::Range{1, 1 << 24},
          "bytes of shared memory of a multiprocessor, at most");
    field("registers", p.registers, "words", base::Range{1, 1 << 24}, "registers of a multiprocessor");
    field("warps", p.warps, "warps", base::Range{1, 1 << 10}, "warps of a multiprocessor, at most");
  }
};

/// The bandwidths of a GPU's memories.
struct GpuBandwidth {
  double l1 = 1, l2 = 1, dram = 1;

  static constexpr std::string_view kRequired[] = {"l1", "l2", "dram"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    constexpr base::Range kBandwidth{0.1, 1e6};
    field("l1", p.l1, "GB/s", kBandwidth, "shared memory and level 1 data cache of one multiprocessor");
    field("l2", p.l2, "GB/s", kBandwidth, "level 2 cache");
    field("dram", p.dram, "GB/s", kBandwidth, "main memory");
  }
};

enum class GlobalCopies : std::uint8_t { kRegisters, kAsynchronous };
inline constexpr base::Choices kGlobalCopies{
    base::Choice<GlobalCopies>{"registers", GlobalCopies::kRegisters},
    base::Choice<GlobalCopies>{"asynchronous", GlobalCopies::kAsynchronous}};

/// A GPU as modelled by the formulas of required-bandwidth, a file of configs/gpus.
struct Gpu {
  std::string title, source;
  unsigned order = 9999;
  double clock_mhz = 1000;
  std::uint64_t multiprocessors = 1;
  GpuRates flop_per_cycle;
  std::uint64_t operand_reads = 1;
  GlobalCopies global_copies = GlobalCopies::kRegisters;
  GpuRoom blocks;
  GpuBandwidth gb_per_s;
  std::string machine;

  static constexpr std::string_view kRequired[] = {"title", "source", "clock_mhz", "multiprocessors"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("title", p.title, "name of the GPU");
    field("source", p.source, "publication, and the place in it");
    field("order", p.order, "", base::Range{0, 9999}, "position in lists, lowest first");
    field("clock_mhz", p.clock_mhz, "MHz", base::Range{1, 1e5}, "clock of the multiprocessors");
    field("multiprocessors", p.multiprocessors, "multiprocessors", base::Range{1, 4096},
          "number of multiprocessors");
    field.group("flop_per_cycle", p.flop_per_cycle, "floating-point operations of a multiprocessor");
    field("operand_reads", p.operand_reads, "reads", base::Range{1, 2},
          "reads of each element of A and B from shared memory by a warp",
          "raihan section II.B (Volta 2), III (Turing 1)");
    field("global_copies", p.global_copies, kGlobalCopies,
          "copies from global to shared memory: by registers (load and store), or asynchronous",
          "ptx section 9.7.9.25");
    field.group("blocks", p.blocks, "room for thread blocks on a multiprocessor");
    field.group("gb_per_s", p.gb_per_s, "bandwidth of its memories");
    field("machine", p.machine,
          "configuration of one multiprocessor to simulate with --measure; empty: none");
  }
};

extern const config::FileKind kGpus;
Gpu gpu_of(const config::Source& source);
/// Reads a GPU by name, or from a file. Throws ConfigError.
Gpu read_gpu(const std::string& name, const std::filesystem::path& configs_dir);

}  // namespace spica::experiment
