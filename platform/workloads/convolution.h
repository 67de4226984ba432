// SPDX-License-Identifier: Apache-2.0
// A convolution as a matrix product (implicit GEMM): the windows of the image are never copied to a matrix; A is a view
// of the image in which windows overlap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/workloads/matrix_view.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// Images of height x width pixels of some channels (NHWC), filters of filter_height x filter_width x channels. Zeros,
/// `padding` wide, surround an image; a filter moves by `stride` pixels.
struct Convolution {
  std::uint32_t images = 1, height = 0, width = 0, channels = 0;
  std::uint32_t filters = 0, filter_height = 0, filter_width = 0;
  std::uint32_t stride = 1, padding = 0;

  std::uint32_t output_height() const { return (height + 2 * padding - filter_height) / stride + 1; }
  std::uint32_t output_width() const { return (width + 2 * padding - filter_width) / stride + 1; }
  /// Multiply-accumulates, those with the surrounding zeros among them, as is usual.
  std::uint64_t macs() const;
  /// As parse_convolution() reads.
  std::string text() const;
};

/// "HEIGHTxWIDTHxCHANNELS,FILTERSxHEIGHTxWIDTH", then ",stride=N", ",padding=N", ",images=N" as needed. Throws
/// UserError.
Convolution parse_convolution(const std::string& text);

/// The product that computes a convolution, row by row of the filter.
///
/// The image in memory has its surrounding zeros, and zeros behind its channels and columns up to a multiple of what a
/// transfer moves and of the stride. Its rows are sorted by the remainder of their number by the stride, so that the
/// pixels under a row of the filter are `stride` pixels apart wherever the filter is: row i of A begins at pixel i *
/// stride, and for each row of the filter k has a run of filter_width pixels with all their channels (up to a multiple
/// of the tile, against which B has zeros). C has a row for each place of the filter on the padded image, one image
/// after the other; those that reach over an edge are also computed, and mean nothing.
struct ImplicitGemm {
  GemmSize size;  // m up to the last place that counts
  ViewOfA view;
  std::uint32_t grid_height = 0, grid_width = 0;  // places of the filter on an image, in C

  /// Row of C for a pixel of the output.
  std::uint64_t row(std::uint32_t image, std::uint32_t y, std::uint32_t x) const {
    return (std::uint64_t{image} * grid_height + y) * grid_width + x;
  }
};
/// `tile_k`: of the kernel. Throws UserError when it does not fit what a product can have.
ImplicitGemm implicit_gemm(const Convolution& convolution, std::uint32_t tile_k, Element element);

/// The image, which is [image][y][x][channel], as it is in memory, for a product of m rows.
std::vector<float> image_memory(const Convolution& convolution, const ImplicitGemm& gemm, std::uint32_t m,
                                const std::vector<float>& image);
/// B, k x n, of filters [filter][y][x][channel], n at least their number.
std::vector<float> filter_matrix(const Convolution& convolution, const ImplicitGemm& gemm, std::uint32_t k,
                                 std::uint32_t n, const std::vector<float>& filters);

}  // namespace spica::workloads
