// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/numeric/block_format.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/workloads/arithmetic.h"
#include "platform/workloads/design_parts.h"
#include "platform/workloads/epilogue.h"
#include "platform/workloads/matrix_view.h"
#include "platform/workloads/operand_layout.h"

namespace spica::config {
class Contradiction;
}

namespace spica::workloads {

struct Condition;

/// The form of A or B in memory, if the DMA changes it (gemm_loads.h).
struct LoadedOperand {
  std::optional<Element> format;  // in memory; empty: the unit's element
  bool transposed = false;        // rows of memory are columns of the matrix
};

/// The contents of a design file (configs/designs; read by platform/workloads/design_file.h).
struct GemmDesignFile {
  std::string title;
  unsigned order = kLastOrder;
  std::string kernel, source;
  compiler::Toolchain toolchain = compiler::Toolchain::kClang;
  std::vector<std::string> defines, follows;
  std::string config;
  std::vector<std::string> standard;
  bool work_groups = false;
  ComputeUnit unit = ComputeUnit::kLanes;
  std::vector<unsigned> matrix_units{0};
  std::string size = "256x256x256";
  GemmSize tile{1, 1, 1};
  std::vector<std::string> needs;
  GemmOperands operands;
  std::vector<std::string> arguments{"u32:m", "u32:n", "u32:k", "u32:unit", "u64:a", "u64:b", "u64:c"};
  Window window = Window::kResults;
  GemmCheckRule rule;
  std::string suppressions;
  std::vector<Published> published;

  static constexpr unsigned kLastOrder = 9999;
  static constexpr std::string_view kRequired[] = {"config", "unit"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("title", p.title, "title in one line");
    field("order", p.order, "", base::Range{0, kLastOrder}, "position in lists, lowest first");
    field("kernel", p.kernel,
          "program, compiled for `config`: a kernel shipped with Spica, or an ELF file relative to "
          "this file");
    field("source", p.source,
          "source of the kernel, compiled for machines other than `config`, and without `kernel` "
          "for each: a folder of sw/kernels, or a C++ file relative to this file");
    field("compiler", p.toolchain, kToolchains,
          "compiler of the source; published: clang with -Os, as the published kernels");
    field.list("defines", p.defines, "macros of the kernel, NAME or NAME=VALUE each");
    field.list("follows", p.follows,
               "further macros of the source, NAME=KEY each, with the value of this key of the machine");
    field("config", p.config, "machine: a configuration's name, or a path relative to this file");
    field.list("standard", p.standard, "configurations that use this design by default, by name");
    field(
        "work_groups", p.work_groups,
        "the kernel is named gemm (SPICA_KERNEL) and runs as a grid of work groups, one for each tile of C: x "
        "counts tiles of "
        "columns, y of rows, z products of a batch; on any number of clusters");
    field("unit", p.unit, kComputeUnits,
          "unit that multiplies; utilisation and the order of sums follow from it");
    field.list("matrix_units", p.matrix_units, "", base::Range{0, 15},
               "matrix unit of each product, by number");
    field("size", p.size, "default size: MxNxK, for several products joined by +");
    field.group(
        "tile", p.tile,
        "matrices become multiples of it, with zeros at the edges; a kernel that says its own (GEMM_TILE) needs none");
    field.list("needs", p.needs,
               "requirements of the kernel on the machine, KEY=VALUE|VALUE, KEY>=VALUE or KEY<=VALUE "
               "each, optionally with `if` and a condition; as in sweeps (docs/sweeps.md); other "
               "machines are refused");
    field.group("operands", p.operands, "matrices in global memory");
    field.list("arguments", p.arguments,
               "argument block of a product, as for --args; values may be m, n, k, unit (number of the "
               "matrix unit) and the addresses a, b, c; for several products in sequence",
               "kernels sgemm_tcore/common.h");
    field(
        "window", p.window, kWindows,
        "timed region of the published program, used with --region published or if the kernel has no other. "
        "results: first load to last result in memory; k_blocks: first to last k block; stores: configuration to "
        "the issue of the last store; commands: configuration of loads and stores to the last store command",
        "kernels sgemm_tcore, sgemm_gemmini_dma");
    field.group("check", p.rule, "how the result is checked");
    field("suppressions", p.suppressions,
          "known and intended findings of --check, a file for --suppress, relative to this file");
    field.list("published", p.published, "published results on its own configuration");
  }
};

/// A design for one or several matrix products: a kernel on a configuration. Contents of the design file, the place of
/// its files, and additions from the kernel's program and the command line.
struct GemmDesign : GemmDesignFile {
  std::string name;  // "tc"
  std::string given;  // value of --design for it
  std::string kernel_file;  // the user's own kernel; empty: `kernel` names one that comes with the platform
  std::string source_file;  // path of `source`
  std::string suppressions_file;  // path of `suppressions`
  std::uint32_t row_elements = 1;  // leading dimensions must be multiples of it; set by the program
  std::uint32_t slot_bits = 0;  // unit in which the program counts along k (operand_layout.h); 0: an element
  std::optional<numeric::BlockFormat> blocks;  // A and B are block-scaled
  std::uint32_t scale_slots = 0;  // slots for the scales of a tile along k, before its elements
  std::uint32_t scale_depth =
      0;  // scales lie apart, those of that many elements along k together; 0: they do not
  std::optional<Epilogue> epilogue;  // processing of the sums, which are then of operands.c
  LoadedOperand loaded_a, loaded_b;

  static void check(const GemmDesign& design, const config::Contradiction& contradiction);

  Element element() const { return operands.a.element; }  // of A and B in the unit
  Element stored_a() const { return loaded_a.format.value_or(element()); }  // in memory
  Element stored_b() const { return loaded_b.format.value_or(element()); }
  Element result() const { return epilogue ? epilogue->output : operands.c.element; }  // of C in memory
  Packing packing() const {
    const std::uint32_t bits = numeric::info(element()).stored_bits;
    return {bits, slot_bits == 0 ? bits : slot_bits};
  }
  /// The number of slots for that many elements along k, with whole tiles if there are scales; and the elements of a
  /// tile.
  std::uint32_t slots(std::uint64_t k) const {
    const std::uint64_t plain = k * packing().bits / packing().slot_bits;
    return static_cast<std::uint32_t>(plain + (scale_slots == 0 ? 0 : k / tile.k * scale_slots));
  }
  /// The space for that many elements along k, including scales.
  std::uint64_t stored_elements(std::uint64_t k) const {
    return std::uint64_t{slots(k)} * packing().slot_bits / packing().bits;
  }
  std::uint32_t elements_of_tile(std::uint64_t slots) const {
    return static_cast<std::uint32_t>((slots - scale_slots) * packing().slot_bits / packing().bits);
  }
};

/// The requirements of unit and element on the tensor cores; empty for other units.
std::vector<std::string> tensor_core_needs(ComputeUnit unit, Element element);
/// The order in which a unit (not lanes) adds products of `element` to sums stored as `result`; `number`: of the matrix
/// unit.
Arithmetic unit_arithmetic(ComputeUnit unit, Element element, Element result, const soc::SocParams& params,
                           unsigned number = 0, numeric::ScaleFormat scale = numeric::ScaleFormat::kNone);
/// That of the design's unit, of the first product.
Arithmetic unit_arithmetic(const GemmDesign& design, const soc::SocParams& params);
/// The number of elements along k that the machine's tensor cores with fragments multiply at a time for 16x16 results of
/// `sum_bits`; 0: they do not have the format.
unsigned warp_depth(const soc::SocParams& params, Element format, unsigned sum_bits = 32,
                    numeric::ScaleFormat scale = numeric::ScaleFormat::kNone);
/// Why the numerics of these tensor cores have no rule for products of a format that their instructions have; empty: they
/// have one, or there are no such instructions.
std::string missing_warp_rule(const soc::SocParams& params, Element format, Element sums = Element::kFp32,
                              numeric::ScaleFormat scale = numeric::ScaleFormat::kNone);
/// All reasons why the kernel cannot run on this machine; empty: it can.
std::vector<std::string> unfit(const GemmDesign& design, const soc::SocParams& params);
/// The design with C in the storage format of the machine's matrix unit.
GemmDesign stored_by(GemmDesign design, const soc::SocParams& params);
/// Throws UserError if the kernel cannot run on the machine.
void check_machine(const GemmDesign& design, const soc::SocParams& params);
/// The defines for compiling the kernel for a machine accepted by check_machine(): `defines`, and `follows` with the
/// machine's values.
std::vector<std::string> defines_for(const GemmDesign& design, const soc::SocParams& params);
/// Reports operand layouts that do not fit the tile.
void check_layouts(const GemmDesign& design, const config::Contradiction& contradiction);
/// The size padded to multiples of the tile. Throws UserError if a layout, or the sections of k after which the check
/// rounds sums, do not fit the tile.
GemmSize padded(const GemmDesign& design, const GemmSize& size, const soc::SocParams& params);
/// The sizes of its products, "MxNxK" separated by +; empty: the default ones. Throws UserError for a wrong number of
/// sizes.
std::vector<GemmSize> parse_sizes(const GemmDesign& design, const std::string& text);

/// Multiply-accumulates per cycle of all units of a kind; for matrix units, of those with the numbers `units`.
std::uint64_t peak_macs(ComputeUnit unit, const std::vector<unsigned>& units, const soc::SocParams& params);
/// The peak rate of the design's units, the reference for utilisation.
std::uint64_t peak_macs(const GemmDesign& design, const soc::SocParams& params);

/// The tolerance of a sum relative to double precision.
Tolerance tolerance_of(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                       std::uint32_t k);
/// The format of the sums in the design's unit.
Element sums_in(const GemmDesign& design, const soc::SocParams& params);
/// The sums of product number `product` as computed by its unit, bit-exact if the design states the order; sums of
/// integers are rounded to FP32.
std::vector<float> sums_of(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                           const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b);

/// Checks product number `product`: if the design states the order of additions, bit by bit or, with an activation,
/// within its rounding errors; else with the double-precision bound.
GemmCheck check_design(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                       const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& c);
/// The same for operands whose sums are already known. `differs`: as in check_gemm().
GemmCheck check_numbers(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                        const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                        const std::vector<float>& c, const std::vector<bool>* differs);
/// Compares with the design's result for operands in double precision, without a bound. `bias`: for an epilogue that
/// has one.
GemmCheck check_reals(const GemmDesign& design, const GemmSize& size, const std::vector<float>& a,
                      const std::vector<float>& b, const std::vector<float>& bias,
                      const std::vector<float>& c);
/// With an epilogue: checks its result for `sums` (sums_of) and the bias, one per column or empty, with the bound of
/// finished().
GemmCheck check_finished(const GemmDesign& design, const soc::SocParams& params, const GemmSize& size,
                         const std::vector<float>& a, const std::vector<float>& b,
                         const std::vector<float>& sums, const std::vector<float>& bias,
                         const std::vector<float>& c);
/// True if the check compares bit by bit.
bool is_checked_bitwise(const GemmDesign& design);

/// The place of the operands in global memory: the addresses of the design if they fit, else consecutive ones.
struct GemmLayout {
  std::uint64_t a = 0, b = 0, c = 0;
  std::uint64_t runs = 0;  // start of A's runs, if there are views
  std::uint64_t bias = 0;  // of the epilogue
  std::uint64_t scales_a = 0, scales_b = 0;  // of blocks, if they lie apart
  float scale_a = 1, scale_b = 1;  // for the DMA's conversions
};
/// Alignment of the matrices of concurrent products.
inline constexpr std::uint64_t kProductAlignment = std::uint64_t{1} << 20;
/// Addresses for matrices.
struct MatrixRoom {
  std::uint64_t begin = kOperandsBegin, end = kStacksBegin;
};
/// Above the program and below the stacks of all threads, or below the program, where those leave no room.
MatrixRoom matrix_room(const soc::SocParams& params);
/// One layout per product. Throws UserError if the matrices do not fit into the room. `alignment`: of each matrix, in
/// bytes. `views`: for all products; empty: contiguous rows. Matrices whose place in the design is outside the room
/// follow the others.
std::vector<GemmLayout> layouts_of(const GemmDesign& design, const std::vector<GemmSize>& sizes,
                                   std::uint64_t alignment = kProductAlignment,
                                   const MatrixViews* views = nullptr, const MatrixRoom& room = {});

/// Alignment of the matrices of a batch: each begins on a line, directly after the previous one.
inline constexpr std::uint64_t kBatchAlignment = 64;
/// The design with its source also compiled for `define`, which adds `arguments` to those of the kernel. Throws
/// UserError if there is no source, or a run has several products, which do not support `what`.
GemmDesign compiled_for(GemmDesign design, const std::string& define,
                        const std::vector<std::string>& arguments, const char* what);

/// The design with the timed region of the published kernel: recompiled if the two regions differ.
GemmDesign timed_as_published(GemmDesign design);

/// The note in a kernel that is compiled for block scales apart from the operands.
inline constexpr const char* kScalesNote = "gemm.scales";
/// The note in a kernel that can be compiled with an epilogue.
inline constexpr const char* kEpilogueNote = "gemm.epilogue";
/// The design recompiled with this epilogue. Throws UserError like compiled_for(), and if the design has its own
/// activation, or sums other than FP32 or integers.
GemmDesign finished_by(GemmDesign design, const Epilogue& epilogue);

/// The argument blocks of all products in sequence; for a batch a single one, with the number of products and their
/// distances.
std::vector<unsigned char> argument_block(const GemmDesign& design, const std::vector<GemmSize>& sizes,
                                          const std::vector<GemmLayout>& layouts,
                                          const MatrixViews* views = nullptr);

}  // namespace spica::workloads
