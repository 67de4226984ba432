// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/gemm_options.h"

#include <fmt/format.h>

#include <cctype>

#include "platform/cli/choices.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/region_option.h"
#include "platform/machine/loader/user_error.h"
#include "platform/workloads/block_operand.h"
#include "platform/workloads/design_file.h"

namespace spica::cli {

void check_options(const GemmOptions& options) {
  std::string others;
  const auto no = [&](bool given, const char* option) {
    if (given) others += (others.empty() ? "" : ", ") + std::string(option);
  };
  if (options.a.empty() != options.b.empty())
    throw loader::UserError("--a and --b: both operands are files, or none");
  if (options.epilogue.given() && options.batch > 1)
    throw loader::UserError("--bias, --activation and --output-format finish one product: without --batch");
  if (options.epilogue.output_scale != 0 && options.epilogue.output_format.empty())
    throw loader::UserError("--output-scale: of numbers of --output-format");
  if (!options.a.empty() || !options.c.empty()) {
    no(options.batch > 1, "--batch");
    no(!options.convolution.empty(), "--convolution");
    if (!options.a.empty()) no(!options.size.empty(), "--size (the files say it)");
    if (!others.empty())
      throw loader::UserError("--a, --b and --c are the matrices of one product: without " + others);
  }
  if (options.convolution.empty()) return;
  no(options.reshaped(), "--a-format, --b-format, --a-transposed and --b-transposed");
  no(!options.size.empty(), "--size");
  no(options.batch > 1, "--batch (images=N)");
  no(options.leading.a != 0, "--lda");
  no(options.leading.b != 0, "--ldb");
  no(options.leading.c != 0, "--ldc");
  if (!others.empty())
    throw loader::UserError("--convolution says the sizes and where the image is: without " + others);
}

void add_gemm_options(Command& command, GemmOptions& options) {
  command
      .option(
          "--design", options.design,
          "how the product is computed: a name, or a design file (default: the design meant for --config; without --config, virgo-dma)")
      .names([] { return names_in_order(workloads::kGemmDesigns); });
  command.option(
      "--size", options.size,
      "MxNxK; MxNxK+MxNxK for a design with two products (default: 256x256x256, second product 128x128x256)");
  command
      .option("--batch", options.batch,
              "so many products of this size, each with operands of its own, one after the other in one run")
      .between(1, 4096)
      .shows_default();
  command.option(
      "--format", options.format,
      "number format of A and B, and of the unit that multiplies them; operands are the same in each, rounded "
      "to it (integers with a scale for each matrix), and the result has max_error and rms_error against their product "
      "before that (default: the design's)");
  command.flag(
      "--scaled", options.scaled,
      "a scale for each matrix, its largest magnitude over the largest number of the format, also with formats of "
      "floating-point numbers, of 8 bits or less");
  command
      .option(
          "--block-scale", options.block_scale,
          "scale of a block of 32 with a format of MX: floor, its largest power of two over that of the format; the "
          "largest numbers of a block may become the largest of the format. rceil, the least power of two with which none "
          "is beyond it (default: floor)")
      .one_of(names_of(workloads::kBlockScales));
  command.option(
      "--a", options.a,
      "A from a file of numpy (.npy), a matrix of float32, float16, int8, uint8, int32 or of a format of "
      "ml_dtypes; rounded to the format of A and B. --b as well; they say the size");
  command.option("--b", options.b, "B likewise");
  command.option(
      "--c", options.c,
      "write C to a file of numpy: float32, float16 or int32 (bfloat16 as float32), or of --output-format");
  for (auto& [name, form] : {std::pair{'a', &options.form_a}, {'b', &options.form_b}}) {
    const char matrix = static_cast<char>(std::toupper(name));
    command.option(
        fmt::format("--{}-format", name), form->format,
        fmt::format(
            "number format of {} in memory, from which the DMA converts it to that of the unit as it loads, "
            "times a scale: integers, with --scaled formats of 8 bits, have one (default: that of the unit)",
            matrix));
    command.flag(
        fmt::format("--{}-transposed", name), form->transposed,
        fmt::format("the columns of {} are the rows of memory; the DMA transposes as it loads", matrix));
  }
  add_epilogue_options(command, options.epilogue);
  const auto leading = [&](const char* option, std::uint32_t& value, const char* matrix) {
    command
        .option(
            option, value,
            fmt::format(
                "elements of memory from a row of {} to the next, or from a column when it is stored by columns "
                "(default: they follow each other)",
                matrix))
        .between(1, 9'999'999);
  };
  leading("--lda", options.leading.a, "A");
  leading("--ldb", options.leading.b, "B");
  leading("--ldc", options.leading.c, "C");
  command.option(
      "--convolution", options.convolution,
      "instead of --size the product of a convolution, computed from the image itself (implicit GEMM): "
      "HEIGHTxWIDTHxCHANNELS,FILTERSxHEIGHTxWIDTH, then stride=N, padding=N, images=N with commas as needed");
  add_region_option(command, options.region);
  command.option("--seed", options.job.seed, "seed of the operands").shows_default();
  command.option("--config", options.config, "configuration to use instead of the design's own");
  add_job_options(command, options.job);
  command.flag("--annotate", options.job.annotate,
               "print the kernel's source with cycles and energy per line");
  add_annotation_options(command, options.job);
}

}  // namespace spica::cli
