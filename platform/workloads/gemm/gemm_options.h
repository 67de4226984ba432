// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/choices.h"
#include "platform/workloads/block_operand.h"
#include "platform/workloads/epilogue.h"
#include "platform/workloads/gemm_loads.h"
#include "platform/workloads/matrix_view.h"
#include "platform/workloads/timed_region.h"

namespace spica::workloads {

/// What a kernel can do with the elements of C before it stores them.
struct EpilogueOptions {
  std::string bias;  // "random", a file of numpy, or none
  std::string activation = "none";
  std::string output_format;  // none: fp32
  double output_scale = 0;  // 0: what fits

  bool given() const { return !bias.empty() || activation != "none" || !output_format.empty(); }
  /// Without its scales. Throws UserError.
  Epilogue epilogue() const;
  /// The numbers of the file; none: random ones. Throws UserError.
  std::vector<float> given_bias() const;
  /// "bias, relu, to int8"
  std::string text() const;
};

/// The design where neither it nor a configuration is asked for.
inline constexpr const char* kUsualDesign = "virgo-dma";

/// What `spica gemm` can be asked for, and a sweep of products.
struct GemmOptions {
  std::string design, size, format;
  bool scaled = false;
  std::string block_scale;
  std::string a, b;  // files of numpy
  OperandForm form_a, form_b;  // in memory
  EpilogueOptions epilogue;
  std::uint32_t batch = 1;
  LeadingDimensions leading;
  std::string convolution;
  std::string region;  // of kRegions; empty: results, where the kernel has that
  std::uint64_t seed = 1;
  std::string config;

  /// The kernel must take rows that do not follow each other.
  bool strided() const { return !convolution.empty() || !leading.natural(); }
  bool reshaped() const { return form_a.given() || form_b.given(); }
  /// Throws UserError when options say different things about the same. `writes_c`: C goes to a file.
  void check(bool writes_c) const;

  static constexpr std::string_view kFiles[] = {"design", "a", "b", "bias", "config"};
  static constexpr std::string_view kWork[] = {"size",       "a",     "b",          "bias",
                                               "activation", "batch", "convolution"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field(
        "design", o.design,
        "how the product is computed: a name of spica config --kind design --names, or a design file (default: the design "
        "meant for --config; without --config, virgo-dma)");
    field(
        "size", o.size,
        "MxNxK; MxNxK+MxNxK for a design with two products (default: 256x256x256, second product 128x128x256)");
    field(
        "format", o.format,
        "number format of A and B, and of the unit that multiplies them; operands are the same in each, rounded "
        "to it (integers with a scale for each matrix), and the result has max_error and rms_error against their product "
        "before that (default: the design's)");
    field(
        "scaled", o.scaled,
        "a scale for each matrix, its largest magnitude over the largest number of the format, also with formats of "
        "floating-point numbers, of 8 bits or less");
    field(
        "block_scale", o.block_scale, config::names_of(kBlockScales),
        "scale of a block of 32 with a format of MX: floor, its largest power of two over that of the format; the "
        "largest numbers of a block may become the largest of the format. rceil, the least power of two with which none "
        "is beyond it (default: floor)");
    field("a", o.a,
          "A from a file of numpy (.npy), a matrix of float32, float16, int8, uint8, int32 or of a format of "
          "ml_dtypes; rounded to the format of A and B. --b as well; they say the size");
    field("b", o.b, "B likewise");
    constexpr const char* kForm =
        "number format of this matrix in memory, from which the DMA converts it to that of the unit as it loads, times a scale: "
        "integers, with --scaled formats of 8 bits, have one (default: that of the unit)";
    field("a_format", o.form_a.format, kForm);
    field("b_format", o.form_b.format, kForm);
    constexpr const char* kTransposed =
        "the columns of this matrix are the rows of memory; the DMA transposes as it loads";
    field("a_transposed", o.form_a.transposed, kTransposed);
    field("b_transposed", o.form_b.transposed, kTransposed);
    field("bias", o.epilogue.bias,
          "a number that is added to each column of C: random, or a file of numpy of one dimension");
    field("activation", o.epilogue.activation, config::names_of(kActivations),
          "what the kernel applies to each element of C, behind the bias");
    field("output_format", o.epilogue.output_format, output_formats(),
          "number format to which the kernel rounds C when it stores it, beyond the largest number to the "
          "largest; int8 and uint8, with --scaled fp8 too, in steps of a scale (default with --bias or "
          "--activation: fp32)");
    field("output_scale", o.epilogue.output_scale, "", base::Range{0, 1e30},
          "what 1 of C means, with an --output-format of 8 bits; 0: the largest magnitude of C over "
          "the largest number of the format, 1 for fp8 without --scaled");
    field("batch", o.batch, "products", base::Range{1, 4096},
          "products of this size in one run, one after the other, each with operands of its own");
    constexpr const char* kLeading =
        "from a row of this matrix to the next in memory, or from a column when it is stored by columns; 0: they follow each "
        "other";
    field("lda", o.leading.a, "elements", base::Range{0, 9'999'999}, kLeading);
    field("ldb", o.leading.b, "elements", base::Range{0, 9'999'999}, kLeading);
    field("ldc", o.leading.c, "elements", base::Range{0, 9'999'999}, kLeading);
    field(
        "convolution", o.convolution,
        "instead of --size the product of a convolution, computed from the image itself (implicit GEMM): "
        "HEIGHTxWIDTHxCHANNELS,FILTERSxHEIGHTxWIDTH, then stride=N, padding=N, images=N with commas as needed");
    field("region", o.region, config::names_of(kRegions), kRegionText);
    field("seed", o.seed, "seed", base::Range{0, 1.9e19}, "of the operands");
    field("config", o.config, "configuration to use instead of the design's own");
  }
};

/// What `spica gemm` writes in addition to the results of every run.
struct GemmOutputs {
  std::string c;  // empty: none

  static constexpr std::string_view kFiles[] = {"c"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field(
        "c", o.c,
        "write C to a file of numpy: float32, float16 or int32 (bfloat16 as float32), or of --output-format");
  }
};

}  // namespace spica::workloads
