// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/gemm/gemm_options.h"

#include <fmt/format.h>

#include "models/numeric/convert.h"
#include "platform/base/input/user_error.h"
#include "platform/workloads/npy.h"

namespace spica::workloads {

namespace {
constexpr const char* kRandom = "random";
}

Epilogue EpilogueOptions::epilogue() const {
  Epilogue epilogue;
  epilogue.bias = !bias.empty();
  epilogue.activation = config::value_of(kActivations, activation).value_or(epilogue.activation);
  if (!output_format.empty()) epilogue.output = *numeric::format_of_key(output_format);
  if (output_scale != 0 && !epilogue.has_steps())
    throw input::UserError(fmt::format("--output-scale: {} has no scale; formats of 8 bits have one",
                                       numeric::info(epilogue.output).key));
  return epilogue;
}

std::vector<float> EpilogueOptions::given_bias() const {
  if (bias.empty() || bias == kRandom) return {};
  return read_npy_row(bias, Element::kBf16).values;
}

std::string EpilogueOptions::text() const {
  std::string text;
  if (!bias.empty()) text += "bias, ";
  if (activation != "none") text += activation + ", ";
  return text + "to " + numeric::info(epilogue().output).key;
}

void GemmOptions::check(bool writes_c) const {
  std::string others;
  const auto no = [&](bool given, const char* option) {
    if (given) others += (others.empty() ? "" : ", ") + std::string(option);
  };
  if (a.empty() != b.empty())
    throw input::UserError("--a and --b: give files for both operands, or for none");
  if (epilogue.given() && batch > 1)
    throw input::UserError(
        "--bias, --activation and --output-format apply to a single product; omit --batch");
  if (!a.empty() || writes_c) {
    no(batch > 1, "--batch");
    no(!convolution.empty(), "--convolution");
    if (!a.empty()) no(!size.empty(), "--size (the files set it)");
    if (!others.empty()) throw input::UserError("--a, --b and --c apply to a single product; omit " + others);
  }
  if (convolution.empty()) return;
  no(reshaped(), "--a-format, --b-format, --a-transposed and --b-transposed");
  no(!size.empty(), "--size");
  no(batch > 1, "--batch (images=N)");
  no(leading.a != 0, "--lda");
  no(leading.b != 0, "--ldb");
  no(leading.c != 0, "--ldc");
  if (!others.empty()) throw input::UserError("--convolution sets the sizes and the layout; omit " + others);
}

}  // namespace spica::workloads
