// SPDX-License-Identifier: Apache-2.0
// Recognition of operators that a file spells out in several nodes.
#pragma once

#include <optional>
#include <vector>

#include "platform/workloads/network/draft.h"
#include "platform/workloads/network/matcher.h"

namespace spica::network {

/// All patterns of a graph. Their nodes are claimed.
std::vector<Draft> find_patterns(Matcher& matcher);

/// One pattern at a node; empty: none of the list at this node. All intermediate values must be used by its nodes only.
/// Sub(x, mean), power 2, mean, + epsilon, square root, division, and optionally * weight, + bias: at Sub.
std::optional<Draft> match_layer_norm(const Matcher& matcher, std::size_t node);
/// Power 2, mean, + epsilon, square root, reciprocal or division, and optionally * weight: at ReduceMean.
std::optional<Draft> match_rms_norm(const Matcher& matcher, std::size_t node);
/// Reshape to [N, groups, -1], InstanceNormalization with weights of 1 and 0, Reshape back, * weight, + bias: at
/// InstanceNormalization.
std::optional<Draft> match_group_norm(const Matcher& matcher, std::size_t node);
/// The three forms of GELU, which give different values: at Erf, Tanh, Sigmoid.
std::optional<Draft> match_gelu(const Matcher& matcher, std::size_t node);
/// x sigmoid(x), and the same times b: at Sigmoid. x HardSigmoid(x / 6 + 1 / 2): at HardSigmoid.
std::optional<Draft> match_silu(const Matcher& matcher, std::size_t node);
/// x cos + concat(-second half, first half) sin: at Concat.
std::optional<Draft> match_rotary(const Matcher& matcher, std::size_t node);
/// Division or product by a number, + mask, Softmax along the last axis: at Softmax.
std::optional<Draft> match_softmax(const Matcher& matcher, std::size_t node);

}  // namespace spica::network
