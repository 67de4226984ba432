// SPDX-License-Identifier: Apache-2.0
// Makes the calls of an operator: a part of kernel_calls.cpp.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/invariant.h"
#include "platform/workloads/network_run/kernel_calls.h"

namespace spica::network {

std::uint64_t elements_of(const Extents& extents);
std::uint64_t rows_of(const Extents& extents);

/// The calls that compute an operator: what is common to all kinds of operators.
class OperatorCalls {
 public:
  OperatorCalls(const Operator& op, const KernelMemory& memory) : op_(op), memory_(memory) {}
  std::vector<Call> take() && { return std::move(calls_); }

 protected:
  ElementType type(const Operand& operand) const { return memory_.places[operand.tensor].type; }
  Call base(std::string op, const Operand& result, const Operand& of_format) const;
  static std::string bits_of(ElementType type) { return fmt::format("{}", 8 * bytes_of(type)); }
  /// A copy is the same for all types with as many bits.
  Call copy(const Operand& result, const Operand& from) const;
  void append(std::vector<Call> calls) {
    for (Call& call : calls) calls_.push_back(std::move(call));
  }

  const Operator& op_;
  const KernelMemory& memory_;
  std::vector<Call> calls_;
};

/// Operators with elements or rows.
class RowCalls final : public OperatorCalls {
 public:
  using OperatorCalls::OperatorCalls;
  void operator()(const Elementwise& operation);
  void operator()(const Copy&);
  void operator()(const Softmax& softmax);
  void operator()(const LayerNorm& norm) { rows("LayerNorm", norm.epsilon, true); }
  void operator()(const RmsNorm& norm) { rows("RmsNorm", norm.epsilon, false); }
  void operator()(const GroupNorm& norm);
  void operator()(const Reduce& reduce);
  void operator()(const Rotary& rotary);
  void operator()(const CumulativeSum& operation);
  void operator()(const Quantize&) { requantise("Quantize"); }
  void operator()(const Dequantize&) { requantise("Dequantize"); }
  void operator()(const LstmCell&);
  void operator()(const GruCell& cell);
  /// The emission has made steps of it.
  void operator()(const Recurrent&) { SPICA_INVARIANT(false); }

 private:
  void requantise(const char* name);
  void rows(const char* name, double epsilon, bool has_bias);
  void add_factors(Call& call, double epsilon, bool has_bias, bool adds_axis) const;
};

/// Operators with products or windows.
class ProductCalls final : public OperatorCalls {
 public:
  using OperatorCalls::OperatorCalls;
  void operator()(const Product& product);
  void operator()(const Convolution& convolution);
  void operator()(const Pool& pool);

 private:
  /// Whether rows of words of two 16-bit elements begin at words.
  static bool has_even_rows(const Operand& matrix);
  /// A transposed convolution with a stride of s has s phases in each direction: what is written in steps of s is a
  /// convolution with every s-th element of the window, backwards.
  void of_phases(const Convolution& convolution);
  /// Bias and residual, as far as there are.
  template <class Shaped>
  void add_terms(Call& call, Shaped&& shaped) const {
    static constexpr const char* kNames[] = {"bias", "residual"};
    for (std::size_t i = 0; i < 2; ++i)
      if (op_.inputs.size() > 2 + i && op_.inputs[2 + i].given())
        call.operands.push_back({kNames[i], shaped(op_.inputs[2 + i]), {}});
  }
  static std::map<std::string, double> windows(const std::array<std::int64_t, 2>& window,
                                               const std::array<std::int64_t, 2>& strides,
                                               const std::array<std::int64_t, 4>& pads,
                                               const std::array<std::int64_t, 2>& dilations,
                                               const Operand& x);
  /// A convolution as product of weights and windows: groups are in the batch, the common dimension has the rows and
  /// columns of a window, for each of them the channels of a group. Empty: the strides do not allow it.
  std::optional<Call> as_product(const Call& plain, const Convolution& convolution) const;
  /// Rows and columns of a picture, as one axis; empty: their strides differ.
  static std::optional<Operand> flat(const Operand& picture);
  /// Of 1 x 1 windows, each element of a picture: weights times pictures.
  bool is_product(const Convolution& convolution) const;
  void of_product(const Convolution& convolution);
};

/// Operators that choose, join or move elements.
class SelectionCalls final : public OperatorCalls {
 public:
  using OperatorCalls::OperatorCalls;
  void operator()(const TopK& top) { select(op_.outputs[0], op_.outputs[1], top.k, top.largest); }
  void operator()(const Gather&);
  void operator()(const GatherElements& gather);
  void operator()(const GatherNd& gather);
  void operator()(const Scatter& scatter);
  void operator()(const OneHot& one_hot);
  /// Elements of x, and what is around them: a value, or copies of what is already there, axis by axis.
  void operator()(const Pad& pad);
  void operator()(const Resize& resize);
  /// The k largest or smallest of each row; values or places may be missing.
  void select(const Operand& values, const Operand& places, std::int64_t k, bool largest);

 private:
  Call fill(const Operand& result, double value) const;
  static std::vector<std::size_t> axes_from(std::size_t first, std::size_t count);
  /// Indices without their last axis, which has their entries, for elements of these extents.
  static Operand without_entries(const Operand& indices, const Extents& extents);
  /// A gather or scatter; the entries of an index are for these axes of `data`.
  void at_index(const char* name, const Operand& result, const Operand& x, const Operand& index,
                const Operand& data, const std::vector<std::size_t>& axes);
};

}  // namespace spica::network
