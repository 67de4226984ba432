// SPDX-License-Identifier: Apache-2.0
// Expected results of operators that choose, join or move elements. inputs[i] are those of the operator, `y` the extents of
// the result; `set(i, value)` is called for elements of the result in row-major order, or in any order where stated.
#pragma once

#include <functional>
#include <vector>

#include "platform/workloads/network/array.h"

namespace spica::network {

using SetElement = std::function<void(std::size_t i, double value)>;

/// An index without a row of data has the value NaN: no result is right.
void expect_gather(const std::vector<Array>& inputs, const Extents& y, const SetElement& set);
void expect_gather_elements(const GatherElements& gather, const std::vector<Array>& inputs, const Extents& y,
                            const SetElement& set);
void expect_gather_nd(const GatherNd& gather, const std::vector<Array>& inputs, const Extents& y,
                      const SetElement& set);
/// First all elements of data, then updates in any order.
void expect_scatter(const Scatter& scatter, const std::vector<Array>& inputs, const Extents& y,
                    const SetElement& set);
void expect_one_hot(const OneHot& one_hot, const std::vector<Array>& inputs, const Extents& y,
                    const SetElement& set);
void expect_pad(const Pad& pad, const std::vector<Array>& inputs, const Extents& y, const SetElement& set);
/// `size`: of the elements that a result is computed from.
void expect_resize(const Resize& resize, const std::vector<Array>& inputs, const Extents& y,
                   const std::function<void(std::size_t i, double value, double size)>& set);
/// Places of the k first elements of a row in the order of TopK.
std::vector<std::size_t> first_of_row(const TopK& top, const std::vector<double>& row);

}  // namespace spica::network
