// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/params.h"
#include "models/numeric/format_choices.h"
#include "models/numeric/sum_params.h"

namespace spica::matrix_unit {

/// Format of the operands. Products are exact (fused multiply-add); sums are FP32, of integer operands 32-bit integers.
using OperandFormat = numeric::Format;
inline constexpr base::Choices kOperandFormats =
    numeric::choices<OperandFormat::kFp32, OperandFormat::kFp16, OperandFormat::kBf16, OperandFormat::kTf32,
                     OperandFormat::kE4m3, OperandFormat::kE5m2, OperandFormat::kE3m2, OperandFormat::kE2m3,
                     OperandFormat::kE2m1, OperandFormat::kInt8, OperandFormat::kInt4>();

/// Format in which sums are stored to memory.
enum class ResultFormat : std::uint8_t { kStandard, kFp32, kFp16, kBf16 };
inline constexpr base::Choices kResultFormats{base::Choice<ResultFormat>{"standard", ResultFormat::kStandard},
                                              base::Choice<ResultFormat>{"fp32", ResultFormat::kFp32},
                                              base::Choice<ResultFormat>{"fp16", ResultFormat::kFp16},
                                              base::Choice<ResultFormat>{"bf16", ResultFormat::kBf16}};

/// Format of the sums in the accumulator.
enum class SumFormat : std::uint8_t { kStandard, kFp16, kBf16 };
inline constexpr base::Choices kSumFormats{base::Choice<SumFormat>{"standard", SumFormat::kStandard},
                                           base::Choice<SumFormat>{"fp16", SumFormat::kFp16},
                                           base::Choice<SumFormat>{"bf16", SumFormat::kBf16}};

/// Order and rounding of additions.
using numeric::Numerics;
inline constexpr auto kNumerics =
    numeric::numerics_choices("chain", base::Choice<Numerics>{"custom", Numerics::kCustom});

/// Meaning of the words written to CSR 0xACC (virgo tile/GemminiTile.scala).
enum class CommandSet : std::uint8_t { kQuartileV1, kQuartile, kHexadecile };
inline constexpr base::Choices kCommandSets{base::Choice<CommandSet>{"quartile_v1", CommandSet::kQuartileV1},
                                            base::Choice<CommandSet>{"quartile", CommandSet::kQuartile},
                                            base::Choice<CommandSet>{"hexadecile", CommandSet::kHexadecile}};

/// One matrix unit. The defaults are the v1 unit: FP32, 8x8, one 64x64x64 tile.
struct MatrixUnitParams : numeric::SumParams {
  std::uint64_t dim = 8;
  OperandFormat operand = OperandFormat::kFp32;
  std::uint64_t macs_per_cell = 1;
  bool block_scales = false;
  SumFormat accumulate = SumFormat::kStandard;
  ResultFormat result = ResultFormat::kStandard;
  std::uint64_t accumulator_bytes = 16 * 1024;
  std::uint64_t tile_m = 64;
  std::uint64_t tile_n = 64;
  std::uint64_t tile_k = 64;
  CommandSet command_set = CommandSet::kQuartileV1;
  std::uint64_t shared_bytes = 64 * 1024;  // set by the cluster, not a key
  std::uint64_t unit = 0;  // number within the cluster, not a key
  bool dma_scales = false, dma_transposes = false;  // set by the cluster, not keys
  std::uint64_t command_queue = 0;
  std::uint64_t rocc_queue = 2;
  std::uint64_t load_entries = 8;
  std::uint64_t store_entries = 4;
  std::uint64_t execute_entries = 16;
  std::uint64_t execute_queue = 8;
  std::uint64_t store_commands = 2;
  std::uint64_t transfer_bytes = 64;
  std::uint64_t operand_rows = 16;
  std::uint64_t loop_start_latency = 4;
  std::uint64_t input_latency = 1;
  std::uint64_t output_latency = 1;
  std::uint64_t accumulator_latency = 3;
  std::uint64_t busy_latency = 2;

  std::string_view command_set_name() const { return kCommandSets.name_of(command_set); }
  /// Bits of one word: `macs_per_cell` elements of A, or of B, consecutive along k. A cell takes one word of each per
  /// cycle. All addresses, strides and extents along k count words.
  std::uint32_t word_bits() const {
    return static_cast<std::uint32_t>(macs_per_cell) * numeric::info(operand).stored_bits;
  }
  /// Bytes of one word, of one operand row (DIM words), of one accumulator row.
  std::uint32_t element_bytes() const { return word_bits() / 8; }
  /// True if sums are integers. With block scales they are FP32.
  bool multiplies_integers() const { return !numeric::info(operand).is_float && !block_scales; }
  /// Elements along k that share a scale (mx 5.2), and the number of such groups in a block operation.
  static constexpr std::uint32_t kScaledBlock = 32;
  std::uint32_t scaled_blocks() const {
    return static_cast<std::uint32_t>(dim * macs_per_cell) / kScaledBlock;
  }
  /// True if the word width is supported: 32 bits, or 16 bits with floating-point sums.
  bool fits_word() const { return word_bits() == 32 || (word_bits() == 16 && !multiplies_integers()); }
  /// The format to which each sum in the accumulator is rounded.
  numeric::Format sum_format() const {
    if (multiplies_integers()) return numeric::Format::kInt32;
    switch (accumulate) {
      case SumFormat::kFp16: return numeric::Format::kFp16;
      case SumFormat::kBf16: return numeric::Format::kBf16;
      case SumFormat::kStandard: break;
    }
    return numeric::Format::kFp32;
  }
  /// Elements along k of a block operation.
  unsigned block_depth() const { return static_cast<unsigned>(dim * macs_per_cell); }
  /// The rule by which products and the sum in the accumulator are added; std::nullopt: chains, or integers.
  std::optional<numeric::SumRule> sum_rule() const {
    if (block_scales) return std::nullopt;
    return numeric::selected_rule(*this, {}, operand, sum_format(), block_depth());
  }
  std::uint32_t sum_bits() const { return numeric::info(sum_format()).stored_bits; }
  /// The format of a stored result; by default as wide as a word of an operand.
  numeric::Format result_format() const {
    if (multiplies_integers()) return numeric::Format::kInt32;
    switch (result) {
      case ResultFormat::kFp32: return numeric::Format::kFp32;
      case ResultFormat::kFp16: return numeric::Format::kFp16;
      case ResultFormat::kBf16: return numeric::Format::kBf16;
      case ResultFormat::kStandard: break;
    }
    if (word_bits() != 16) return numeric::Format::kFp32;
    return operand == OperandFormat::kFp16 ? numeric::Format::kFp16 : numeric::Format::kBf16;
  }
  /// True if stores round to 16 bits.
  bool narrow() const { return numeric::bits(result_format()) == 16; }
  std::uint64_t macs_per_cycle() const { return dim * dim * macs_per_cell; }
  /// True if loads of tiles do not depend on a configuration command.
  bool loads_are_fixed() const { return command_set == CommandSet::kHexadecile; }
  std::uint32_t row_bytes() const { return static_cast<std::uint32_t>(dim) * element_bytes(); }
  std::uint32_t accumulator_row_bytes() const { return static_cast<std::uint32_t>(dim) * 4; }
  /// Shared memory in operand rows; local addresses count these, or rows of the accumulator.
  std::uint32_t shared_rows() const { return static_cast<std::uint32_t>(shared_bytes) / row_bytes(); }
  std::uint32_t accumulator_rows() const {
    return static_cast<std::uint32_t>(accumulator_bytes) / accumulator_row_bytes();
  }
  /// The number of adjacent blocks that one load or store moves.
  std::uint32_t transfer_blocks() const {
    const auto blocks = static_cast<std::uint32_t>(transfer_bytes) / row_bytes();
    return blocks == 0 ? 1 : blocks;
  }
  /// The same for FP32 rows moved to the accumulator.
  std::uint32_t accumulator_transfer_blocks() const {
    const auto blocks = static_cast<std::uint32_t>(transfer_bytes) / accumulator_row_bytes();
    return blocks == 0 ? 1 : blocks;
  }
  /// Cycles from the last operand row entering the array to its sum in the accumulator: input register, column, deskew,
  /// output register, accumulator.
  std::uint64_t array_latency() const {
    return input_latency + dim + (dim - 1) + output_latency + accumulator_latency;
  }

  /// Explains that the word width is invalid, with the values that are valid.
  std::string wrong_word() const {
    std::string fit;
    for (const std::uint64_t macs : {1, 2, 4, 8})
      if (const std::uint64_t bits = macs * numeric::info(operand).stored_bits;
          bits == 32 || (bits == 16 && !multiplies_integers()))
        fit += (fit.empty() ? "" : " or ") + std::to_string(macs);
    return std::string("a word of macs_per_cell ") +
           (multiplies_integers() ? "integers has 32 bits" : "elements has 16 or 32 bits") +
           ": macs_per_cell " + fit + " with " + numeric::info(operand).key;
  }

  /// Parameters of the programming model (see describe.h).
  static constexpr auto kProgrammingModel =
      joined(kSumKeys, std::array<std::string_view, 12>{"dim", "operand", "macs_per_cell", "block_scales",
                                                        "accumulate", "result", "accumulator_bytes", "tile_m",
                                                        "tile_n", "tile_k", "command_set", "command_queue"});
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr auto kPolicies = kSumPolicies;
  /// Parameters that programs choose (see describe.h).
  static constexpr std::string_view kProgramChoices[] = {"tile_m", "tile_n", "tile_k"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("dim", p.dim, "elements", Range{2, 32, base::kPow2},
          "rows and columns of the array; MACs per cycle = dim * dim * macs_per_cell",
          "virgo subsystem/Configs.scala");
    field(
        "operand", p.operand, kOperandFormats,
        "format of A and B; sums are FP32, or 32-bit integers for integer formats",
        "virgo subsystem/Configs.scala (fp32, fp16); formats: ieee754, bf16, ofp8, mx; gemmini GemminiConfigs.scala (int8, 32-bit sums)");
    field("macs_per_cell", p.macs_per_cell, "MACs", Range{1, 8, base::kPow2},
          "multiply-accumulates per cell and cycle, chained along k as in a tile of several rows; "
          "their elements of A (and of B) fill a word of 16 or 32 bits",
          "gemmini GemminiConfigs.scala (tileRows)");
    field("block_scales", p.block_scales,
          "elements are in blocks of 32 along k with a common power-of-two scale (E8M0), one byte "
          "per block: the first block along k of a loop holds the scales of the others, in its "
          "rows of A and columns of B; sums are FP32, also of integers",
          "mx 5, 6.1; where scales lie and when they are read: no public source UNCERTAIN");
    field("accumulate", p.accumulate, kSumFormats,
          "format of the sums in the accumulator, to which each FP32 sum is rounded; standard: "
          "fp32, or 32-bit integers",
          "gemmini GemminiConfigs.scala (accType)");
    field("numerics", p.numerics, kNumerics,
          "rule of sums, to the bit (spica numerics --list): chain: fused multiply-adds along k, whose "
          "sum is added to the accumulator; tree_fp32: a tree of FP32 additions; custom: with the keys "
          "below; else that of a silicon, with the sum in the accumulator as C",
          "gemmini PE.scala (chain); mma-sim nv.py, amd.py; khattak models, model_validation");
    describe_sums(p, field);
    field("result", p.result, kResultFormats,
          "format of stored sums, as wide as a word of operands; standard: fp32; fp16 or bf16 for "
          "16-bit words; int32 for integers",
          "virgo subsystem/Configs.scala (fp32, fp16)");
    field("accumulator_bytes", p.accumulator_bytes, "B", Range{1024, 1 << 20, base::kPow2},
          "size of the private memory of sums, 32 bits per sum", "virgo subsystem/Configs.scala");
    field("tile_m", p.tile_m, "elements", Range{4, 1024}, "rows of the tile of CISC commands",
          "virgo subsystem/Configs.scala");
    field("tile_n", p.tile_n, "elements", Range{4, 1024}, "columns of the tile of CISC commands",
          "virgo subsystem/Configs.scala");
    field("tile_k", p.tile_k, "elements", Range{4, 1024},
          "depth of the tile of CISC commands, in words of macs_per_cell elements",
          "virgo subsystem/Configs.scala");
    field("command_set", p.command_set, kCommandSets, "encoding of the words written to CSR 0xACC",
          "virgo tile/GemminiTile.scala");
    field("command_queue", p.command_queue, "commands", Range{0, 64},
          "CISC commands queued while one is expanded; 0: a command during expansion is lost",
          "virgo tile/GemminiTile.scala (v1 none, 4 since 2024-09-09)");
    field("rocc_queue", p.rocc_queue, "commands", Range{1, 64},
          "RoCC commands queued before the loop registers", "gemmini LoopMatmul.scala (queue of 2)");
    field("load_entries", p.load_entries, "commands", Range{2, 64}, "load entries of the reservation station",
          "virgo subsystem/Configs.scala");
    field("store_entries", p.store_entries, "commands", Range{2, 64},
          "store entries of the reservation station", "virgo subsystem/Configs.scala");
    field("execute_entries", p.execute_entries, "commands", Range{2, 64},
          "preload and compute entries of the reservation station", "virgo subsystem/Configs.scala");
    field("execute_queue", p.execute_queue, "commands", Range{2, 64},
          "commands queued before the execute controller", "virgo subsystem/Configs.scala");
    field("store_commands", p.store_commands, "commands", Range{1, 64},
          "outstanding store commands to the DMA", "virgo subsystem/Configs.scala (store queue 2)");
    field("transfer_bytes", p.transfer_bytes, "B", Range{16, 128, base::kPow2},
          "longest row segment of one load or store (two blocks of 32 bytes)", "gemmini DMA.scala");
    field("operand_rows", p.operand_rows, "rows", Range{1, 64},
          "rows of A, and rows of B, that are read ahead of the array",
          "gemmini ExecuteController.scala UNCERTAIN");
    field("loop_start_latency", p.loop_start_latency, "cycles", Range{1, 64},
          "from the LOOP_WS command at the loop registers to its first unrolled command; makes 10 "
          "to 15 cycles "
          "from a CISC write to the first operand read",
          "gemmini LoopMatmul.scala UNCERTAIN");
    field("input_latency", p.input_latency, "cycles", Range{0, 64}, "register before the array",
          "gemmini MeshWithDelays.scala");
    field("output_latency", p.output_latency, "cycles", Range{0, 64}, "register after the array",
          "gemmini MeshWithDelays.scala");
    field("accumulator_latency", p.accumulator_latency, "cycles", Range{1, 64},
          "read-add-write of a sum, and an access by the DMA", "gemmini AccumulatorMem.scala");
    // Published software and sw/lib poll register 0x20 until it reads 0, beginning with the instruction after the
    // command. A command through a register is answered before the load leaves the core, so the first poll comes
    // one answer, one request and the two queues later: 4 cycles on the fastest legal machine (peripheral bus and
    // load/store unit 1 cycle each way). After a command through CSR 0xACC it is 9. A bit that rises later would
    // read 0 while the work is still to come.
    field("busy_latency", p.busy_latency, "cycles", Range{0, 4},
          "from a command to the busy bit; at most the delay that a poll of register 0x20 directly "
          "after the command covers on the fastest legal machine",
          "virgo tile/GemminiTile.scala; kernels sgemm_gemmini_dma (polls)");
  }

  template <class Report>
  static void check_scales(const MatrixUnitParams& p, Report&& contradiction) {
    if (numeric::info(p.operand).stored_bits > 8)
      contradiction({"block_scales", "operand"}, "block scales need elements of 8 bits or less");
    if (p.dim * p.macs_per_cell % kScaledBlock != 0)
      contradiction({"block_scales", "dim", "macs_per_cell"},
                    "with block scales, dim * macs_per_cell must be a multiple of 32");
    if (p.tile_k / p.dim < 2 || (p.tile_k / p.dim - 1) * p.scaled_blocks() > p.row_bytes())
      contradiction(
          {"block_scales", "tile_k", "dim"},
          "the first dim words along k hold the scales, and operands follow: tile_k must be at least 2 * dim");
  }

  template <class Report>
  static void check_numerics(const MatrixUnitParams& p, Report&& contradiction) {
    check_sums(p, false, contradiction);
    if (p.numerics == Numerics::kOfUnit) return;
    if (p.block_scales)
      return contradiction({"numerics", "block_scales"},
                           "products with block scales are added in chains: use chain");
    if (p.multiplies_integers())
      return contradiction({"numerics", "operand"}, "sums of integers are exact: use chain");
    if (p.accumulate == SumFormat::kBf16)
      return contradiction({"numerics", "accumulate"}, "no rule has sums in BF16: use chain");
    const std::string missing = numeric::missing_rule(p, {}, p.operand, p.sum_format(), p.block_depth());
    if (!missing.empty()) contradiction({"numerics", "operand", "dim", "macs_per_cell"}, missing);
  }

  template <class Report>
  static void check(const MatrixUnitParams& p, Report&& contradiction) {
    if (p.tile_m % p.dim != 0) contradiction({"tile_m", "dim"}, "tile_m must be a multiple of dim");
    if (p.tile_n % p.dim != 0) contradiction({"tile_n", "dim"}, "tile_n must be a multiple of dim");
    if (p.tile_k % p.dim != 0) contradiction({"tile_k", "dim"}, "tile_k must be a multiple of dim");
    if (p.tile_m * p.tile_n * 4 > p.accumulator_bytes)
      contradiction({"tile_m", "tile_n", "accumulator_bytes"},
                    "the accumulator must hold tile_m * tile_n sums of 4 bytes");
    if (!p.fits_word()) return contradiction({"macs_per_cell", "operand"}, p.wrong_word());
    if (p.block_scales) check_scales(p, contradiction);
    check_numerics(p, contradiction);
    if (p.multiplies_integers() && p.accumulate != SumFormat::kStandard)
      contradiction({"accumulate", "operand"}, "integer sums have 32 bits: use standard");
    if (p.multiplies_integers() && p.result != ResultFormat::kStandard)
      contradiction({"result", "operand"}, "integer sums are stored unchanged: use standard");
    if (numeric::bits(p.result_format()) != p.word_bits())
      contradiction({"result", "operand", "macs_per_cell"},
                    p.word_bits() == 16 ? "results are as wide as operand words (16 bits): use fp16 or bf16"
                                        : "results are as wide as words of operands, 32 bits: fp32");
    if (p.transfer_bytes < p.row_bytes())
      contradiction({"transfer_bytes", "dim", "operand"},
                    "one transfer must hold a row of dim elements: transfer_bytes at least " +
                        std::to_string(p.row_bytes()));
  }
};

}  // namespace spica::matrix_unit
