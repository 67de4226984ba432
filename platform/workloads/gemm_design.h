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

/// How A or B lies in memory, where the DMA brings it into another form (gemm_loads.h).
struct LoadedOperand {
  std::optional<Element> format;  // there; none: the element that the unit multiplies
  bool transposed = false;        // rows of memory are columns of the matrix
};

/// What a design file says (configs/designs; platform/workloads/design_file.h reads them).
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

/// One way to compute a matrix product, or several: a kernel on a configuration. What a design file says, where its
/// files are, and what the kernel's program and the command line add to it.
struct GemmDesign : GemmDesignFile {
  std::string name;  // "tc"
  std::string given;  // what to say to --design for it
  std::string kernel_file;  // of a user's kernel; empty: `kernel` names one that comes with the platform
  std::string source_file;  // of `source`
  std::string suppressions_file;  // of `suppressions`
  std::uint32_t row_elements = 1;  // what leading dimensions must be multiples of; the program says it
  std::uint32_t slot_bits = 0;  // of what the program counts along k (operand_layout.h); 0: an element
  std::optional<numeric::BlockFormat> blocks;  // A and B come in blocks with scales
  std::uint32_t scale_slots = 0;  // of a tile along k, in front of its elements, which hold their scales
  std::optional<Epilogue> epilogue;  // what becomes of the sums, which are then of operands.c
  LoadedOperand loaded_a, loaded_b;

  static void check(const GemmDesign& design, const config::Contradiction& contradiction);

  Element element() const { return operands.a.element; }  // of A and B, as the unit multiplies them
  Element stored_a() const { return loaded_a.format.value_or(element()); }  // in memory
  Element stored_b() const { return loaded_b.format.value_or(element()); }
  Element result() const { return epilogue ? epilogue->output : operands.c.element; }  // of C in memory
  Packing packing() const {
    const std::uint32_t bits = numeric::info(element()).stored_bits;
    return {bits, slot_bits == 0 ? bits : slot_bits};
  }
  /// What the program counts of that many elements along k, whole tiles if there are scales, and a tile's elements.
  std::uint32_t slots(std::uint64_t k) const {
    const std::uint64_t plain = k * packing().bits / packing().slot_bits;
    return static_cast<std::uint32_t>(plain + (scale_slots == 0 ? 0 : k / tile.k * scale_slots));
  }
  /// The room of that many elements along k, scales and all.
  std::uint64_t stored_elements(std::uint64_t k) const {
    return std::uint64_t{slots(k)} * packing().slot_bits / packing().bits;
  }
  std::uint32_t elements_of_tile(std::uint64_t slots) const {
    return static_cast<std::uint32_t>((slots - scale_slots) * packing().slot_bits / packing().bits);
  }
};

/// What the unit and the element ask of the tensor cores; nothing for other units.
std::vector<std::string> tensor_core_needs(ComputeUnit unit, Element element);
/// How a unit, not lanes, adds products of `element` to sums that become `result` in memory; matrix unit `number`.
Arithmetic unit_arithmetic(ComputeUnit unit, Element element, Element result, const soc::SocParams& params,
                           unsigned number = 0);
/// Elements of k that the tensor cores of fragments of the machine multiply for 16x16 results at a time; 0: they do not
/// have the format.
unsigned warp_depth(const soc::SocParams& params, Element format);
/// Why the kernel cannot run on this machine, all reasons; empty: it can.
std::vector<std::string> unfit(const GemmDesign& design, const soc::SocParams& params);
/// The design with C in the format in which a matrix unit of the machine stores its sums.
GemmDesign stored_by(GemmDesign design, const soc::SocParams& params);
/// Throws UserError when the machine is not one the kernel can run on.
void check_machine(const GemmDesign& design, const soc::SocParams& params);
/// What the kernel is compiled with for a machine that check_machine() likes: `defines`, and `follows` with the
/// machine's values.
std::vector<std::string> defines_for(const GemmDesign& design, const soc::SocParams& params);
/// Reports layouts of operands that do not fit its tile.
void check_layouts(const GemmDesign& design, const config::Contradiction& contradiction);
/// The multiples of the tile that the kernel works on. Throws UserError when a layout, or the pieces in which the check
/// rounds sums along k, do not fit the tile.
GemmSize padded(const GemmDesign& design, const GemmSize& size, const soc::SocParams& params);
/// The sizes of its products, "MxNxK" with + between them; empty: those it is usually run with. Throws
/// UserError when there are too many or too few.
std::vector<GemmSize> parse_sizes(const GemmDesign& design, const std::string& text);

/// Multiply-accumulates per cycle of all units of a kind; of matrix units those of the numbers `units`.
std::uint64_t peak_macs(ComputeUnit unit, const std::vector<unsigned>& units, const soc::SocParams& params);
/// Peak of the units the design computes on; utilisation refers to it.
std::uint64_t peak_macs(const GemmDesign& design, const soc::SocParams& params);

/// How far a sum may be from that of double precision.
Tolerance tolerance_of(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                       std::uint32_t k);
/// The format of the sums that the design's unit keeps.
Element sums_in(const GemmDesign& design, const soc::SocParams& params);
/// The sums of product number `product` as its unit makes them, bit by bit where the design says in which order; those
/// of integers rounded to FP32.
std::vector<float> sums_of(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                           const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b);

/// Compares the product of number `product`: when the design says in which order it adds, with that arithmetic, bit by
/// bit, or, activated, within the roundings of the activation; else with the double-precision bound.
GemmCheck check_design(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                       const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& c);
/// The same for operands whose sums are known in another way. `differs` as of check_gemm().
GemmCheck check_numbers(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                        const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                        const std::vector<float>& c, const std::vector<bool>* differs);
/// Compares with what the design makes of operands in double precision, without a bound. `bias`: of an epilogue that
/// has one.
GemmCheck check_reals(const GemmDesign& design, const GemmSize& size, const std::vector<float>& a,
                      const std::vector<float>& b, const std::vector<float>& bias,
                      const std::vector<float>& c);
/// With an epilogue: what comes of `sums` (sums_of) and the bias, one for each column or none, and the bound of
/// finished().
GemmCheck check_finished(const GemmDesign& design, const soc::SocParams& params, const GemmSize& size,
                         const std::vector<float>& a, const std::vector<float>& b,
                         const std::vector<float>& sums, const std::vector<float>& bias,
                         const std::vector<float>& c);
/// Whether the check compares bit by bit.
bool is_checked_bitwise(const GemmDesign& design);

/// Where the operands are in global memory: the addresses of the design while they fit, else consecutive ones.
struct GemmLayout {
  std::uint64_t a = 0, b = 0, c = 0;
  std::uint64_t runs = 0;  // where A's runs begin, when there are views
  std::uint64_t bias = 0;  // of the epilogue
  float scale_a = 1, scale_b = 1;  // of the conversions of the DMA
};
/// Alignment of the matrices of concurrent products.
inline constexpr std::uint64_t kProductAlignment = std::uint64_t{1} << 20;
/// One for each product. Throws UserError when the matrices do not fit below the stacks. `alignment`: bytes, of each
/// matrix. `views`: of all products; none: rows follow each other.
std::vector<GemmLayout> layouts_of(const GemmDesign& design, const std::vector<GemmSize>& sizes,
                                   std::uint64_t alignment = kProductAlignment,
                                   const MatrixViews* views = nullptr);

/// Alignment of the matrices of a batch: they are adjacent, but each begins on a line.
inline constexpr std::uint64_t kBatchAlignment = 64;
/// The design with its source compiled for `define` as well, which adds `arguments` to those of the kernel. Throws
/// UserError when there is no source, or a run has several products: no `what` then.
GemmDesign compiled_for(GemmDesign design, const std::string& define,
                        const std::vector<std::string>& arguments, const char* what);

/// The design whose kernel times what the published one does: compiled for that where the two regions differ.
GemmDesign timed_as_published(GemmDesign design);

/// The note in a kernel that can be compiled with an epilogue.
inline constexpr const char* kEpilogueNote = "gemm.epilogue";
/// The design whose kernel finishes its sums so: compiled for that. Throws UserError as compiled_for() does, and when
/// the design has an activation of its own, or other sums than of FP32 or integers.
GemmDesign finished_by(GemmDesign design, const Epilogue& epilogue);

/// The argument blocks of all products, one after the other; of a batch one, with the number of products and their
/// distances.
std::vector<unsigned char> argument_block(const GemmDesign& design, const std::vector<GemmSize>& sizes,
                                          const std::vector<GemmLayout>& layouts,
                                          const MatrixViews* views = nullptr);

}  // namespace spica::workloads
