// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/machine/soc/soc_params.h"
#include "platform/workloads/gemm_design.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// O = softmax(Q K^T / sqrt(head_dim)) V for each head, with `sequence` queries and as many keys.
struct AttentionSize {
  std::uint32_t sequence = 1024, head_dim = 64;
  std::uint32_t queries = 0;  // process only the first ones; 0: all
  /// The number of computed rows of O.
  std::uint32_t rows() const { return queries != 0 ? queries : sequence; }
  std::uint32_t heads = 1;
  bool causal = false;  // a query sees only the keys up to its own number
  /// The number of keys that a query sees.
  std::uint32_t keys(std::uint32_t query) const { return causal ? query + 1 : sequence; }
  /// Multiply-adds of both products of all heads, for the visible keys, without the softmax.
  std::uint64_t macs() const {
    const std::uint64_t treated = rows();
    const std::uint64_t pairs = causal ? treated * (treated + 1) / 2 : treated * sequence;
    return 2 * pairs * head_dim * heads;
  }
  /// Elements of Q, K or V per head.
  std::uint64_t elements() const { return std::uint64_t{sequence} * head_dim; }
  std::string text() const;
};

/// The exponential function in the softmax.
enum class Exponential : std::uint8_t {
  kExact,       // within one unit in the last place
  kPolynomial,  // 1 + x + x^2 / 2, as in the published kernels
};
inline constexpr base::Choices kExponentials{
    base::Choice<Exponential>{"exact", Exponential::kExact},
    base::Choice<Exponential>{"polynomial", Exponential::kPolynomial}};

/// The factor for earlier output when a tile of keys has raised the maximum score.
enum class Rescaling : std::uint8_t {
  kFactor,      // exp(old maximum - new)
  kReciprocal,  // 1 / exp(new - old), a division as in the published kernels
};
inline constexpr base::Choices kRescalings{base::Choice<Rescaling>{"factor", Rescaling::kFactor},
                                           base::Choice<Rescaling>{"reciprocal", Rescaling::kReciprocal}};

/// The region between the markers of an attention kernel.
enum class AttentionWindow : std::uint8_t { kResults, kPasses };
inline constexpr base::Choices kAttentionWindows{
    base::Choice<AttentionWindow>{"results", AttentionWindow::kResults},
    base::Choice<AttentionWindow>{"passes", AttentionWindow::kPasses}};

/// The distribution of the softmax of a tile of 64 queries and 64 keys over the threads, which determines the order of
/// its sums (attention_exact.h).
enum class SoftmaxOrder : std::uint8_t {
  kAny,
  kRows,  // a query per warp, eight keys per lane; lane 0 adds up the sums of the lanes
  kLanes,  // a query per lane, sixteen keys for each of the warps that share it
  kRegisters,  // four queries per lane, with eight keys of each: those of its accumulators
};
inline constexpr base::Choices kSoftmaxOrders{
    base::Choice<SoftmaxOrder>{"any", SoftmaxOrder::kAny},
    base::Choice<SoftmaxOrder>{"rows", SoftmaxOrder::kRows},
    base::Choice<SoftmaxOrder>{"lanes", SoftmaxOrder::kLanes},
    base::Choice<SoftmaxOrder>{"registers", SoftmaxOrder::kRegisters}};

/// The order of Q, the transposed K, and V in memory.
enum class AttentionLayout : std::uint8_t {
  kRowMajor,
  kSwizzled,  // as A and B of a tensor core inside a core: operand_layout.h
  /// as A and B of a decoupled tensor core; of each sixteen keys, column 4 a + 2 b + c of K has key 8 c + 2 a + b
  kDecoupled,
};
inline constexpr base::Choices kAttentionLayouts{
    base::Choice<AttentionLayout>{"row_major", AttentionLayout::kRowMajor},
    base::Choice<AttentionLayout>{"swizzled", AttentionLayout::kSwizzled},
    base::Choice<AttentionLayout>{"decoupled", AttentionLayout::kDecoupled}};

/// The maximum number of roundings of a value to FP32, and to a narrower format, on its way into a result.
struct Roundings {
  unsigned product = 0;  // product of q and k, or of P and v, until the sum of its tile is complete
  unsigned carried = 0;  // earlier output, when it is rescaled and the next tile is added
  unsigned half_product = 0;  // product, or partial sum of products, to FP16
  unsigned half_probability = 0;  // P to FP16, before the multiplication
  unsigned sum = 16;  // probability, until the sum of its tile; not in files: roundings_of()
  // The formats of half_product and half_probability; not in files.
  Element product_format = Element::kFp16, probability_format = Element::kFp16;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    constexpr base::Range kTimes{1, 1 << 16};
    field("product", p.product, "", kTimes,
          "roundings of a product of q and k, or of P and v, until the sum of its tile is complete");
    field("carried", p.carried, "", kTimes,
          "roundings of the previous output when it is rescaled and the next tile is added");
    field("half_product", p.half_product, "", base::Range{0, 1 << 16},
          "roundings to FP16 of a product, or a partial sum, on its way into the sum of its tile");
    field("half_probability", p.half_probability, "", base::Range{0, 1},
          "roundings of P to FP16 before it is multiplied");
  }

  static constexpr std::string_view kRequired[] = {"product", "carried"};
};

/// A design for attention, as described in a file (configs/designs/attention; read by
/// platform/workloads/design_file.h).
struct AttentionDesign {
  // Not in files.
  std::string name;  // "virgo"
  std::string kernel_file,
      polynomial_file;  // the user's own kernels; empty: those that come with Spica
  std::string source_file;  // path of `source`
  bool published_region = false;  // the source is compiled with the timed region of the published program

  std::string title;
  unsigned order = GemmDesign::kLastOrder;
  std::string kernel, polynomial_kernel, source;
  compiler::Toolchain toolchain = compiler::Toolchain::kClang;
  std::vector<std::string> defines;
  std::vector<unsigned> warps;
  std::vector<std::string> needs;
  std::string config;
  ComputeUnit unit = ComputeUnit::kMatrixUnit;
  Element element = Element::kFp32;
  AttentionLayout layout = AttentionLayout::kRowMajor;
  std::string fp16;
  AttentionWindow window = AttentionWindow::kResults;
  std::uint32_t longest = kLongest;
  Rescaling rescaling = Rescaling::kFactor;
  Roundings roundings;
  SoftmaxOrder softmax = SoftmaxOrder::kAny;

  static constexpr std::uint32_t kLongest = 65536;  // limit from the distance of the published addresses

  static constexpr std::string_view kRequired[] = {"kernel", "config", "unit"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("title", p.title, "title in one line");
    field("order", p.order, "", base::Range{0, GemmDesign::kLastOrder}, "position in lists, lowest first");
    field("kernel", p.kernel,
          "program with the exact exponential: a kernel shipped with Spica, or an ELF file "
          "relative to this file");
    field(
        "polynomial_kernel", p.polynomial_kernel,
        "optional program with the polynomial exponential: a shipped kernel, or an ELF file relative to this file");
    field(
        "source", p.source,
        "source of both programs, for other numbers of cores and warps, causal attention and several heads: a "
        "folder of sw/kernels, or a C++ file relative to this file");
    field("compiler", p.toolchain, kToolchains,
          "compiler of the source; published: clang with -Os, as the published kernels");
    field.list("defines", p.defines, "macros of the kernels, NAME or NAME=VALUE each");
    field.list(
        "warps", p.warps, "warps", base::Range{1, 1024},
        "numbers of warps of all cores together that the source supports; none: only that of `config`");
    field.list("needs", p.needs, "further requirements on the machine, as in designs of matrix products");
    field("config", p.config, "machine: a configuration's name, or a path relative to this file");
    field("unit", p.unit, kComputeUnits, "unit that multiplies; utilisation follows from it");
    field("element", p.element, kElements, "format of an element of Q, K and V in memory; O is FP32");
    field(
        "layout", p.layout, kAttentionLayouts,
        "order of Q, transposed K, and V in memory. swizzled: row-major with permuted squares, words of a tensor "
        "core adjacent (Q as operand A, K and V as B); decoupled: blocks of a decoupled tensor core, even and odd "
        "keys of sixteen exchanged",
        kLayoutSource);
    field("fp16", p.fp16, "design for FP16 operands: a name, or a path relative to this file");
    field(
        "window", p.window, kAttentionWindows,
        "timed region of the published program, used with --region published or if the kernel has no other. "
        "results: first load to last result in memory; passes: configuration of the unit to the end of the last "
        "pass over the keys, without the division and the stores",
        "kernels flash_attention");
    field("longest", p.longest, "keys", base::Range{128, kLongest},
          "longest sequence that the kernel supports");
    field("rescaling", p.rescaling, kRescalings,
          "factor of the output when the maximum rises; factor: exp(old - new); reciprocal: 1 / "
          "exp(new - old), which differs for the polynomial",
          "kernels flash_attention/flash_impl.hpp");
    field("softmax", p.softmax, kSoftmaxOrders,
          "distribution of the softmax of a tile over threads; it defines the order of sums, and "
          "the result is compared bit by bit with that order. rows: a query per warp; lanes: a "
          "query per lane, shared with other warps; registers: a lane has the queries and keys of "
          "its accumulators; any: unknown, not compared",
          "kernels flash_attention/flash_impl.hpp (rows)");
    field.group("roundings", p.roundings, "how often a value is rounded, at most, on its way into a result");
  }
  static void check(const AttentionDesign& design, const config::Contradiction& contradiction);
};

/// Throw UserError if the kernels do not exist and cannot be compiled for the machine, or do not support the size.
void check_attention_machine(const AttentionDesign& design, const soc::SocParams& params);
void check_attention_size(const AttentionDesign& design, const AttentionSize& size,
                          Exponential exponential = Exponential::kExact);

/// The defines for compiling the source for a machine and a size; empty: the existing kernels support them. Throws
/// UserError if there is no source to compile.
std::optional<std::vector<std::string>> attention_defines(const AttentionDesign& design,
                                                          const AttentionSize& size, Exponential exponential,
                                                          const soc::SocParams& params);

/// Derives a design for BF16, or for FP8 with two elements along k, from an FP16 design whose source supports it.
/// `overrides` receives the parameters that give the machine's units this format. Throws UserError for other designs.
AttentionDesign in_element(AttentionDesign design, Element element, std::vector<std::string>& overrides);
/// The note in a kernel compiled for this element; empty: none needed.
const char* element_note(Element element);

/// The roundings of the design on a machine: with fewer warps, a lane adds up more probabilities of a tile. Tensor
/// cores round sums to FP16 only with FP16 operands.
Roundings roundings_of(const AttentionDesign& design, const soc::SocParams& params);

/// Multiply-accumulates per cycle of the unit that the design uses.
std::uint64_t peak_macs(const AttentionDesign& design, const soc::SocParams& params);

/// Row-major operands of a head, sequence x head_dim; different for each head. Uniform in [-1, 1), Q in [-spread,
/// spread): a large spread gives some keys of a query much more weight than others.
struct AttentionOperands {
  std::vector<float> q, k, v;
};
AttentionOperands make_attention_operands(const AttentionSize& size, std::uint64_t seed, double spread,
                                          Element element = Element::kFp32, std::uint32_t head = 0);
/// The operands rounded to the nearest numbers of a format.
AttentionOperands rounded(AttentionOperands operands, Element element);
/// The operands in the layout of a kernel, with K transposed: head_dim rows of `sequence` elements.
struct AttentionMemory {
  std::vector<unsigned char> q, k, v;
};
AttentionMemory attention_memory(const AttentionDesign& design, const AttentionSize& size,
                                 const AttentionOperands& operands);

/// The published addresses (kernels), with heads in sequence, and the argument block: the published 40 bytes, then the
/// number of queries and, for several heads, their number and distances.
inline constexpr std::uint64_t kQueryAddress = 0xA000'0000, kKeyAddress = 0xA100'0000,
                               kValueAddress = 0xA200'0000, kOutputAddress = 0xC000'0000;
std::vector<unsigned char> attention_arguments(const AttentionSize& size, Element element = Element::kFp32);

}  // namespace spica::workloads
