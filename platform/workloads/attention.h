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

/// O = softmax(Q K^T / sqrt(head_dim)) V, of each head: `sequence` queries and as many keys.
struct AttentionSize {
  std::uint32_t sequence = 1024, head_dim = 64;
  std::uint32_t queries = 0;  // that are treated, from the first on; 0: all
  /// Rows of O that are computed.
  std::uint32_t rows() const { return queries != 0 ? queries : sequence; }
  std::uint32_t heads = 1;
  bool causal = false;  // a query sees the keys up to its own number only
  /// Keys that a query sees.
  std::uint32_t keys(std::uint32_t query) const { return causal ? query + 1 : sequence; }
  /// Multiply-adds of both products of all heads, for the visible keys; without the softmax.
  std::uint64_t macs() const {
    const std::uint64_t treated = rows();
    const std::uint64_t pairs = causal ? treated * (treated + 1) / 2 : treated * sequence;
    return 2 * pairs * head_dim * heads;
  }
  /// Elements of Q, K or V of a head.
  std::uint64_t elements() const { return std::uint64_t{sequence} * head_dim; }
  std::string text() const;
};

/// What replaces exp() in the softmax.
enum class Exponential : std::uint8_t {
  kExact,       // within one unit in the last place
  kPolynomial,  // 1 + x + x^2 / 2, as the published kernels have it
};
inline constexpr base::Choices kExponentials{
    base::Choice<Exponential>{"exact", Exponential::kExact},
    base::Choice<Exponential>{"polynomial", Exponential::kPolynomial}};

/// By what the output so far is multiplied when a tile of keys has raised the maximum of its scores.
enum class Rescaling : std::uint8_t {
  kFactor,      // exp(old maximum - new)
  kReciprocal,  // 1 / exp(new - old), as the published kernels divide
};
inline constexpr base::Choices kRescalings{base::Choice<Rescaling>{"factor", Rescaling::kFactor},
                                           base::Choice<Rescaling>{"reciprocal", Rescaling::kReciprocal}};

/// What an attention kernel puts between its markers.
enum class AttentionWindow : std::uint8_t { kResults, kPasses };
inline constexpr base::Choices kAttentionWindows{
    base::Choice<AttentionWindow>{"results", AttentionWindow::kResults},
    base::Choice<AttentionWindow>{"passes", AttentionWindow::kPasses}};

/// How the threads of a kernel share the softmax of a tile of 64 queries and 64 keys: the order of its sums follows
/// from it (attention_exact.h).
enum class SoftmaxOrder : std::uint8_t {
  kAny,
  kRows,  // a warp has a query, a lane eight of the keys; lane 0 adds up the sums of the lanes
  kLanes,  // a lane has a query, and sixteen of the keys for each of the warps that share it
  kRegisters,  // a lane has four queries, and of each eight of the keys: those of its accumulators
};
inline constexpr base::Choices kSoftmaxOrders{
    base::Choice<SoftmaxOrder>{"any", SoftmaxOrder::kAny},
    base::Choice<SoftmaxOrder>{"rows", SoftmaxOrder::kRows},
    base::Choice<SoftmaxOrder>{"lanes", SoftmaxOrder::kLanes},
    base::Choice<SoftmaxOrder>{"registers", SoftmaxOrder::kRegisters}};

/// The order of Q, the transposed K and V in memory.
enum class AttentionLayout : std::uint8_t {
  kRowMajor,
  kSwizzled,  // as A and B of a tensor core inside a core: operand_layout.h
  kDecoupled,  // as A and B of a decoupled one, and of sixteen keys column 4 a + 2 b + c of K has key 8 c + 2 a + b
};
inline constexpr base::Choices kAttentionLayouts{
    base::Choice<AttentionLayout>{"row_major", AttentionLayout::kRowMajor},
    base::Choice<AttentionLayout>{"swizzled", AttentionLayout::kSwizzled},
    base::Choice<AttentionLayout>{"decoupled", AttentionLayout::kDecoupled}};

/// How often a value is rounded to FP32, at most, on its way into a result; and to a narrower format.
struct Roundings {
  unsigned product = 0;  // a product of q and k, or of P and v, until the sum of its tile is complete
  unsigned carried = 0;  // the output so far, when it is rescaled and the products of the next tile join it
  unsigned half_product = 0;  // a product, or a sum of some, to FP16
  unsigned half_probability = 0;  // P to FP16, before it is multiplied
  unsigned sum = 16;  // a probability, on its way into the sum of its tile; not in a file: roundings_of()
  // The formats of half_product and half_probability; not in a file.
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

/// One way to compute attention, as a design file says (configs/designs/attention;
/// platform/workloads/design_file.h reads them).
struct AttentionDesign {
  // Of the file, not in it.
  std::string name;  // "virgo"
  std::string kernel_file,
      polynomial_file;  // of the user's kernels; empty: those that come with the platform
  std::string source_file;  // of `source`
  bool published_region = false;  // its source is compiled to time what the published program does

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

  static constexpr std::uint32_t kLongest = 65536;  // what fits between two of the published places

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

/// Throw UserError when the machine is not one the kernels are or can be compiled for, and when the kernels cannot
/// compute that size.
void check_attention_machine(const AttentionDesign& design, const soc::SocParams& params);
void check_attention_size(const AttentionDesign& design, const AttentionSize& size,
                          Exponential exponential = Exponential::kExact);

/// What the source is compiled with for a machine and a size; nothing when the kernels that are there do. Throws
/// UserError when there is no source that could be compiled.
std::optional<std::vector<std::string>> attention_defines(const AttentionDesign& design,
                                                          const AttentionSize& size, Exponential exponential,
                                                          const soc::SocParams& params);

/// Derives a design for BF16, or for FP8 with two elements along k, from one for FP16, with its source compiled for
/// that. `overrides` gets what makes the machine's units such. Throws UserError for other designs.
AttentionDesign in_element(AttentionDesign design, Element element, std::vector<std::string>& overrides);
/// The note in a kernel that is compiled for such an element; none: it needs no note.
const char* element_note(Element element);

/// Those of the design on a machine: with fewer warps, a lane adds up more of the probabilities of a tile. Tensor cores
/// round what they add up to FP16 with operands of FP16 only.
Roundings roundings_of(const AttentionDesign& design, const soc::SocParams& params);

/// Multiply-accumulates per cycle of the unit the design computes on.
std::uint64_t peak_macs(const AttentionDesign& design, const soc::SocParams& params);

/// Row-major operands of a head, sequence x head_dim; each head has its own. Uniform in [-1, 1), Q in [-spread,
/// spread): a large spread makes some keys of a query count much more than others.
struct AttentionOperands {
  std::vector<float> q, k, v;
};
AttentionOperands make_attention_operands(const AttentionSize& size, std::uint64_t seed, double spread,
                                          Element element = Element::kFp32, std::uint32_t head = 0);
/// The nearest numbers of a format, of those of FP32.
AttentionOperands rounded(AttentionOperands operands, Element element);
/// They as a kernel takes them, K transposed: head_dim rows of `sequence` elements.
struct AttentionMemory {
  std::vector<unsigned char> q, k, v;
};
AttentionMemory attention_memory(const AttentionDesign& design, const AttentionSize& size,
                                 const AttentionOperands& operands);

/// The published places (kernels), heads in sequence; and the argument block: their 40 bytes, behind them the
/// number of queries, and of several heads their number and distances.
inline constexpr std::uint64_t kQueryAddress = 0xA000'0000, kKeyAddress = 0xA100'0000,
                               kValueAddress = 0xA200'0000, kOutputAddress = 0xC000'0000;
std::vector<unsigned char> attention_arguments(const AttentionSize& size, Element element = Element::kFp32);

}  // namespace spica::workloads
