// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/base/config/choices.h"
#include "platform/workloads/block_operand.h"
#include "platform/workloads/epilogue.h"
#include "platform/workloads/gemm_loads.h"
#include "platform/workloads/matrix_view.h"
#include "platform/workloads/timed_region.h"

namespace spica::workloads {

/// The options for processing elements of C before they are stored.
struct EpilogueOptions {
  std::string bias;  // "random", a numpy file, or empty
  std::string activation = "none";
  std::string output_format;  // empty: fp32
  double output_scale = 0;  // 0: chosen to fit

  bool given() const { return !bias.empty() || activation != "none" || !output_format.empty(); }
  /// Without scales. Throws UserError.
  Epilogue epilogue() const;
  /// The numbers in the file; empty: random ones. Throws UserError.
  std::vector<float> given_bias() const;
  /// "bias, relu, to int8"
  std::string text() const;
};

/// A variant for which options make a kernel be recompiled.
struct KernelVariant {
  std::string define;
  std::vector<std::string>
      arguments;  // that it adds to those of the kernel: TYPE:NAME (gemm_memory.cpp) or TYPE:VALUE
  const char* what;
  const char* note;     // in the program of a kernel that can be compiled so
  const char* refusal;  // of a kernel that cannot
  std::vector<std::pair<const char*, std::uint64_t>> details;  // for the results; 0: not asked for
};

/// The default design if neither design nor configuration is given.
inline constexpr const char* kUsualDesign = "virgo-dma";

/// The options of `spica gemm`, also for sweeps of products.
struct GemmOptions {
  std::string design, size, format;
  bool scaled = false;
  std::string block_scale;
  std::string a, b;  // numpy files
  OperandForm form_a, form_b;  // in memory
  EpilogueOptions epilogue;
  std::uint32_t batch = 1;
  LeadingDimensions leading;
  std::string convolution;
  std::string region;  // a key of kRegions; empty: results, if the kernel supports it
  std::uint64_t seed = 1;
  std::string config;

  /// True if the kernel must support rows that are not contiguous.
  bool strided() const { return !convolution.empty() || !leading.natural(); }
  bool reshaped() const { return form_a.given() || form_b.given(); }
  /// Their arguments come in this order, as in gemm_arguments.h of the kernels.
  std::vector<KernelVariant> variants() const {
    std::vector<KernelVariant> all;
    if (batch > 1)
      all.push_back({"GEMM_BATCHED",
                     {"u32:batch", "u32:stride_a", "u32:stride_b", "u32:stride_c"},
                     "batch of them",
                     "gemm.batched",
                     "its kernel computes one product in a run, no batch of them: it has no GEMM_MAIN "
                     "(sw/kernels/gemm_common/gemm_arguments.h)",
                     {{"batch", batch}}});
    if (strided())
      all.push_back(
          {"GEMM_STRIDED",
           {"u32:lda", "u32:ldb", "u32:ldc", "u32:run", "u64:runs"},
           "matrices with gaps",
           "gemm.strided",
           "its kernel supports contiguous rows only, without --lda, --ldb, --ldc and --convolution; use "
           "a design like virgo-dma, fp16-virgo, tc, simt or turing-fp32 (sw/kernels/gemm_common/gemm_strides.h)",
           {{"lda", leading.a}, {"ldb", leading.b}, {"ldc", leading.c}}});
    return all;
  }
  /// Throws UserError if options contradict each other. `writes_c`: C is written to a file.
  void check(bool writes_c) const;

  static constexpr std::string_view kFiles[] = {"design", "a", "b", "bias", "config"};
  static constexpr std::string_view kWork[] = {"size",       "a",     "b",          "bias",
                                               "activation", "batch", "convolution"};
  static constexpr config::Link kNeeds[] = {{"output_scale", "output_format"}};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field(
        "design", o.design,
        "name (spica config --kind design --names) or file of a design (default: that of --config, else virgo-dma)");
    field("size", o.size,
          "MxNxK, for a design with two products MxNxK+MxNxK (default: 256x256x256, second 128x128x256)");
    field(
        "format", o.format,
        "number format of A and B; the same numbers are rounded to each format (default: that of the design)");
    field(
        "scaled", o.scaled,
        "scale each matrix so that its largest magnitude becomes the largest number of the format (8 bits or less)");
    field("block_scale", o.block_scale, config::names_of(kBlockScales),
          "scale of MX blocks: by the power of two below the largest number (floor, the default), or without "
          "saturation (rceil)");
    field("a", o.a, "A from a numpy file (.npy), rounded to --format; needs --b; both set the size");
    field("b", o.b, "B from a numpy file (.npy); see --a");
    constexpr const char* kForm =
        "number format of this matrix in memory; the DMA converts it during loads (default: that of the unit)";
    field("a_format", o.form_a.format, kForm);
    field("b_format", o.form_b.format, kForm);
    constexpr const char* kTransposed =
        "this matrix is stored by columns; the DMA transposes it during loads";
    field("a_transposed", o.form_a.transposed, kTransposed);
    field("b_transposed", o.form_b.transposed, kTransposed);
    field("bias", o.epilogue.bias,
          "number to add to each column of C: random, or a one-dimensional numpy file");
    field("activation", o.epilogue.activation, config::names_of(kActivations),
          "function that the kernel applies to C after the bias");
    field("output_format", o.epilogue.output_format, output_formats(),
          "number format of C, saturating (default with --bias or --activation: fp32)");
    field(
        "output_scale", o.epilogue.output_scale, "", base::Range{0, 1e30},
        "value of one step of C in 8 bits; 0: from the largest magnitude of C; for fp8 without --scaled, 1");
    field("batch", o.batch, "products", base::Range{1, 4096},
          "number of products to run back to back, each with its own operands");
    constexpr const char* kLeading =
        "distance of rows (or columns, if stored by columns) in memory, in elements; 0: contiguous";
    field("lda", o.leading.a, "elements", base::Range{0, 9'999'999}, kLeading);
    field("ldb", o.leading.b, "elements", base::Range{0, 9'999'999}, kLeading);
    field("ldc", o.leading.c, "elements", base::Range{0, 9'999'999}, kLeading);
    field(
        "convolution", o.convolution,
        "convolution instead of --size (implicit GEMM): HxWxCHANNELS,FILTERSxHxW[,stride=N][,padding=N][,images=N]");
    field("region", o.region, config::names_of(kRegions), kRegionText);
    field("seed", o.seed, "seed", base::Range{0, 1.9e19}, "seed of the random operands");
    field("config", o.config, "configuration to use instead of the design's own");
  }
};

/// The output files of `spica gemm` in addition to those of every run.
struct GemmOutputs {
  std::string c;  // empty: none

  static constexpr std::string_view kFiles[] = {"c"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field("c", o.c, "write C to a numpy file (bfloat16 as float32)");
  }
};

}  // namespace spica::workloads
