// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/soc/soc_params.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// O = softmax(Q K^T / sqrt(head_dim)) V, one head: `sequence` queries and as many keys.
struct AttentionSize {
  std::uint32_t sequence = 1024, head_dim = 64;
  /// Of both products; the softmax is not counted.
  std::uint64_t macs() const { return 2 * std::uint64_t{sequence} * sequence * head_dim; }
  std::string text() const;
};

/// What replaces exp() in the softmax.
enum class Exponential : std::uint8_t {
  kExact,       // within one unit in the last place
  kPolynomial,  // 1 + x + x^2 / 2, as the published kernels have it
};

/// How often a value is rounded, at most, on its way into a result.
struct Roundings {
  unsigned product = 0;  // a product of q and k, or of P and v, until the sum of its tile is complete
  unsigned carried = 0;  // the output so far, when it is rescaled and the products of the next tile join it
};

/// One way to compute attention.
struct AttentionDesign {
  std::string name;
  std::string kernel;  // with the exact exponential; that with the polynomial ends in _poly
  std::string gemm_design;  // the matrix-product design that multiplies with the same unit
  Roundings roundings;
  std::string kernel_of(Exponential exponential) const;
};

/// The design of that name; throws UserError with the names there are.
const AttentionDesign& attention_design(const std::string& name);
std::vector<std::string> attention_design_names();

/// Throw UserError when the machine is not one the kernels are compiled for, and when the kernels cannot
/// compute that size.
void check_attention_machine(const AttentionDesign& design, const soc::SocParams& params);
void check_attention_size(const AttentionSize& size);

/// Multiply-accumulates per cycle of the unit the design computes on.
std::uint64_t peak_macs(const AttentionDesign& design, const soc::SocParams& params);

/// Row-major operands, sequence x head_dim. Uniform in [-1, 1), Q in [-spread, spread): a large spread makes
/// some keys of a query count much more than others.
struct AttentionOperands {
  std::vector<float> q, k, v;
};
AttentionOperands make_attention_operands(const AttentionSize& size, std::uint64_t seed, double spread);

/// The published places (kernels), and the 40-byte argument block.
inline constexpr std::uint64_t kQueryAddress = 0xA000'0000, kKeyAddress = 0xA100'0000,
                               kValueAddress = 0xA200'0000, kOutputAddress = 0xC000'0000;
std::vector<unsigned char> attention_arguments(const AttentionSize& size);

}  // namespace spica::workloads
