// SPDX-License-Identifier: Apache-2.0
// A convolution as a matrix product (implicit GEMM): the windows of the image are never copied into a matrix; A is a
// view of the image with overlapping windows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/workloads/matrix_view.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// Images of height x width pixels with several channels (NHWC), filters of filter_height x filter_width x channels. An
/// image has a border of `padding` zeros; a filter moves by `stride` pixels.
struct Convolution {
  std::uint32_t images = 1, height = 0, width = 0, channels = 0;
  std::uint32_t filters = 0, filter_height = 0, filter_width = 0;
  std::uint32_t stride = 1, padding = 0;

  std::uint32_t output_height() const { return (height + 2 * padding - filter_height) / stride + 1; }
  std::uint32_t output_width() const { return (width + 2 * padding - filter_width) / stride + 1; }
  /// Multiply-accumulates, including those with the border, as usual.
  std::uint64_t macs() const;
  /// The format of parse_convolution().
  std::string text() const;
};

/// "HEIGHTxWIDTHxCHANNELS,FILTERSxHEIGHTxWIDTH", then ",stride=N", ",padding=N", ",images=N" as needed. Throws
/// UserError.
Convolution parse_convolution(const std::string& text);

/// The product that computes a convolution, one filter row after the other.
///
/// In memory the image includes its border, and zeros after its channels and columns up to a multiple of the transfer
/// size and of the stride. Its rows are sorted by row number modulo stride, so that the pixels under a filter row are
/// `stride` pixels apart for every filter position. Row i of A begins at pixel i * stride. For each filter row, k has a
/// run of filter_width pixels with all channels (up to a multiple of the tile; B has zeros there). C has a row for each
/// filter position on the padded image, image by image; rows of positions that extend past an edge are computed, but
/// unused.
struct ImplicitGemm {
  GemmSize size;  // m up to the last used position
  ViewOfA view;
  std::uint32_t grid_height = 0, grid_width = 0;  // filter positions on an image, in C

  /// The row of C for a pixel of the output.
  std::uint64_t row(std::uint32_t image, std::uint32_t y, std::uint32_t x) const {
    return (std::uint64_t{image} * grid_height + y) * grid_width + x;
  }
};
/// `tile_k`: of the kernel. Throws UserError if the product is too large.
ImplicitGemm implicit_gemm(const Convolution& convolution, std::uint32_t tile_k, Element element);

/// The memory contents of the image, given as [image][y][x][channel], for a product of m rows.
std::vector<float> image_memory(const Convolution& convolution, const ImplicitGemm& gemm, std::uint32_t m,
                                const std::vector<float>& image);
/// B, k x n, from filters [filter][y][x][channel]; n is at least their number.
std::vector<float> filter_matrix(const Convolution& convolution, const ImplicitGemm& gemm, std::uint32_t k,
                                 std::uint32_t n, const std::vector<float>& filters);

}  // namespace spica::workloads
