// SPDX-License-Identifier: Apache-2.0
// Windows over images in double precision: convolutions and pooling. Axes are [N, C, H, W].
#pragma once

#include <vector>

#include "platform/workloads/network/array.h"
#include "platform/workloads/network/operators.h"

namespace spica::network {

/// Adds the sums of products to `sums`, row-major in the extents of the output, and those of their absolute values to
/// `sizes`.
void convolve(const Convolution& convolution, const Array& x, const Array& weights, const Extents& output,
              std::vector<double>& sums, std::vector<double>& sizes);

/// The same of a convolution that is `transposed`.
void convolve_transposed(const Convolution& convolution, const Array& x, const Array& weights,
                         const Extents& output, std::vector<double>& sums, std::vector<double>& sizes);

/// Maxima or means of windows, and the means of absolute values.
void pool_windows(const Pool& pool, const Array& x, const Extents& output, std::vector<double>& values,
                  std::vector<double>& sizes);

}  // namespace spica::network
