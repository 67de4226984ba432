// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/epilogue_options.h"

#include <fmt/format.h>

#include "models/numeric/convert.h"
#include "platform/cli/choices.h"
#include "platform/machine/loader/user_error.h"
#include "platform/workloads/npy.h"

namespace spica::cli {

namespace {
constexpr const char* kRandom = "random";
}

workloads::Epilogue EpilogueOptions::epilogue() const {
  workloads::Epilogue epilogue;
  epilogue.bias = !bias.empty();
  epilogue.activation = value_of(workloads::kActivations, activation).value_or(epilogue.activation);
  if (!output_format.empty()) epilogue.output = *numeric::format_of_key(output_format);
  if (output_scale != 0 && !epilogue.has_steps())
    throw loader::UserError(
        fmt::format("--output-scale: numbers of {} mean themselves; those of 8 bits have a scale",
                    numeric::info(epilogue.output).key));
  return epilogue;
}

std::vector<float> EpilogueOptions::given_bias() const {
  if (bias.empty() || bias == kRandom) return {};
  return workloads::read_npy_row(bias, workloads::Element::kBf16).values;
}

std::string EpilogueOptions::text() const {
  std::string text;
  if (!bias.empty()) text += "bias, ";
  if (activation != "none") text += activation + ", ";
  return text + "to " + numeric::info(epilogue().output).key;
}

void add_epilogue_options(Command& command, EpilogueOptions& options) {
  command.option("--bias", options.bias,
                 "a number that is added to each column of C: random, or a file of numpy of one dimension");
  command
      .option("--activation", options.activation,
              "what the kernel applies to each element of C, behind the bias")
      .one_of(names_of(workloads::kActivations))
      .shows_default();
  command
      .option(
          "--output-format", options.output_format,
          "number format to which the kernel rounds C when it stores it, beyond the largest number to the "
          "largest; int8 and uint8, with --scaled fp8 too, in steps of a scale (default with --bias or "
          "--activation: fp32)")
      .one_of(workloads::output_formats());
  command
      .option(
          "--output-scale", options.output_scale,
          "what 1 of C means, with an --output-format of 8 bits (default: the largest magnitude of C over "
          "the largest number of the format; 1 for fp8 without --scaled)")
      .between(1e-30, 1e30);
}

}  // namespace spica::cli
