// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/convolution.h"

#include <cmath>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"

using namespace spica;
using workloads::Convolution;
using workloads::GemmSize;
using workloads::OperandLayout;

namespace {

/// Element of an image with what surrounds it.
double pixel(const Convolution& c, const std::vector<float>& image, std::uint32_t number, std::int64_t y,
             std::int64_t x, std::uint32_t channel) {
  if (y < 0 || x < 0 || y >= c.height || x >= c.width) return 0;
  return image[((std::uint64_t{number} * c.height + static_cast<std::uint64_t>(y)) * c.width +
                static_cast<std::uint64_t>(x)) *
                   c.channels +
               channel];
}

/// By the definition.
double direct(const Convolution& c, const std::vector<float>& image, const std::vector<float>& filters,
              std::uint32_t number, std::uint32_t y, std::uint32_t x, std::uint32_t filter) {
  double sum = 0;
  for (std::uint32_t r = 0; r < c.filter_height; ++r)
    for (std::uint32_t s = 0; s < c.filter_width; ++s)
      for (std::uint32_t channel = 0; channel < c.channels; ++channel)
        sum += pixel(c, image, number, std::int64_t{y} * c.stride + r - c.padding,
                     std::int64_t{x} * c.stride + s - c.padding, channel) *
               filters[((std::uint64_t{filter} * c.filter_height + r) * c.filter_width + s) * c.channels +
                       channel];
  return sum;
}

/// Largest difference between the product and the definition.
double difference(const std::string& text, std::uint32_t tile) {
  const Convolution c = workloads::parse_convolution(text);
  const auto gemm = workloads::implicit_gemm(c, tile, workloads::Element::kFp32);
  const auto image = workloads::make_operand(std::uint64_t{c.images} * c.height * c.width * c.channels, 1);
  const auto filters =
      workloads::make_operand(std::uint64_t{c.filters} * c.filter_height * c.filter_width * c.channels, 2);
  const std::uint32_t m = (gemm.size.m + tile - 1) / tile * tile, k = gemm.size.k, n = c.filters;
  const auto memory = workloads::image_memory(c, gemm, m, image);
  const auto a = workloads::viewed_matrix(memory, gemm.view, m, k);
  const auto b = workloads::filter_matrix(c, gemm, k, n, filters);
  double worst = 0;
  for (std::uint32_t number = 0; number < c.images; ++number)
    for (std::uint32_t y = 0; y < c.output_height(); ++y)
      for (std::uint32_t x = 0; x < c.output_width(); ++x)
        for (std::uint32_t filter = 0; filter < n; ++filter) {
          double sum = 0;
          for (std::uint32_t i = 0; i < k; ++i)
            sum += double{a[gemm.row(number, y, x) * k + i]} * b[std::uint64_t{i} * n + filter];
          worst = std::fmax(worst, std::fabs(sum - direct(c, image, filters, number, y, x, filter)));
        }
  return worst;
}

std::string reason(const std::string& text) {
  try {
    workloads::parse_convolution(text);
  } catch (const input::UserError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a view of the image times the filters is the convolution by its definition") {
  for (const char* text : {"5x6x3,4x3x3", "5x6x3,4x3x3,padding=1", "7x5x2,3x3x2,stride=2,padding=1",
                           "9x8x3,2x5x3,stride=3,padding=2,images=3", "4x4x8,5x1x1,stride=2,images=2",
                           "6x6x1,1x6x6", "11x7x9,2x2x4,stride=4,padding=3"})
    for (const std::uint32_t tile : {1u, 16u, 64u}) {
      INFO(text << ", tile " << tile);
      CHECK(difference(text, tile) < 1e-12);
    }
}

TEST_CASE("a convolution has the output and the multiply-adds of the field's formula") {
  const Convolution first = workloads::parse_convolution("224x224x3,64x7x7,stride=2,padding=3");
  CHECK(first.output_height() == 112);
  CHECK(first.output_width() == 112);
  CHECK(first.macs() == 118'013'952);  // He et al., ResNet: 3 x 49 x 64 x 112^2
  CHECK(first.text() == "224x224x3,64x7x7,stride=2,padding=3");
}

TEST_CASE("rows of the filter are runs of k and begin at multiples of the tile") {
  const auto gemm = workloads::implicit_gemm(workloads::parse_convolution("56x56x64,64x3x3,padding=1"), 64,
                                             workloads::Element::kFp32);
  CHECK(gemm.size.k == 576);  // nothing is added: 3 runs of 3 x 64
  CHECK(gemm.view.run == 192);
  CHECK(gemm.view.leading == 64);
  CHECK(gemm.view.starts == std::vector<std::uint32_t>{0, 58 * 64, 2 * 58 * 64});
  CHECK(gemm.size.m == 55 * 58 + 56);
}

TEST_CASE("a convolution that makes no sense is refused with an example") {
  using Catch::Contains;
  CHECK_THAT(reason("56x56,64x3x3"), Contains("'56x56' is not HEIGHTxWIDTHxCHANNELS; for example"));
  CHECK_THAT(reason("56x56x64"), Contains("'' is not FILTERSxHEIGHTxWIDTH"));
  CHECK_THAT(reason("56x56x64,64x0x3"), Contains("'64x0x3' is not FILTERS"));
  CHECK_THAT(reason("56x56x64,64x3x3,pad=1"), Contains("'pad=1' is not one of stride=N"));
  CHECK_THAT(reason("56x56x64,64x3x3,stride=0"), Contains("'stride=0' is not one of"));
  CHECK_THAT(reason("56x56x64,64x3x3,stride"), Contains("'stride' is not one of"));
  CHECK_THAT(reason("2x9x1,1x3x3"), Contains("the filter is larger than the image, which is 2x9"));
}

TEST_CASE("rows apart hold nothing between them, and what is written there is counted") {
  const std::vector<float> rows{1, 2, 3, 4, 5, 6};
  std::vector<float> memory = workloads::spread_rows(rows, 2, 5);
  REQUIRE(memory.size() == 12);
  CHECK(memory[5] == 3);
  CHECK(std::isnan(memory[4]));
  CHECK(workloads::gathered_rows(memory, 2, 5) == rows);
  CHECK(workloads::changed_between_rows(memory, 2, 5) == 0);
  memory[3] = 0;
  memory[9] = 1;
  CHECK(workloads::changed_between_rows(memory, 2, 5) == 2);
}

TEST_CASE("all leading dimensions that cannot be are named at once with a number that works") {
  using Catch::Message;
  CHECK_THROWS_MATCHES(
      workloads::views_of({64, 32, 128}, {100, 33, 35}, OperandLayout::kAlongK, OperandLayout::kAcross, 2),
      input::UserError,
      Message("--lda 100: its rows have 128 elements, so the stride must be at least 128\n"
              "--ldb 33: must be a multiple of 2, for example 34\n"
              "--ldc 35: must be a multiple of 2, for example 36"));
  CHECK_THROWS_MATCHES(
      workloads::views_of({64, 32, 128}, {0, 64, 0}, OperandLayout::kAlongK, OperandLayout::kSwizzledB, 1),
      input::UserError, Message("--ldb 64: this design does not store the matrix by rows or columns"));
  const auto views =
      workloads::views_of({64, 32, 128}, {}, OperandLayout::kAcross, OperandLayout::kAlongK, 1);
  CHECK(views.a.leading == 64);
  CHECK(views.ldb == 128);
  CHECK(views.ldc == 32);
}
