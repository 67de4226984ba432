// SPDX-License-Identifier: Apache-2.0
// A network as a machine executes it: operators on tensors in memory. lower() makes it from a graph.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "platform/workloads/network/graph.h"
#include "platform/workloads/network/tensor.h"

namespace spica::network {

/// Memory of its own: a contiguous array of elements.
struct Tensor {
  enum class Role : std::uint8_t {
    kInput,       // given by the user; `name` is that of the model's input
    kConstant,    // `constant` has its values
    kActivation,  // written by operators
  };
  std::string name;  // of the value of the model that it holds
  ElementType type = ElementType::kUnknown;
  Extents extents;  // as stored, row-major
  Role role = Role::kActivation;
  std::optional<Constant> constant;
};

/// The elements of a tensor that an operator reads or writes: element (i, j, ...) is at offset + i *
/// strides[0] + j * strides[1] + ... Transpose, Slice, Reshape, Expand and Split of the model have become
/// strides.
struct Operand {
  std::size_t tensor = kNone;  // index in Network::tensors; kNone: an optional input that is not given
  std::int64_t offset = 0;  // elements
  Extents extents;
  Extents strides;  // elements; 0: one element for each index (broadcast, repeated heads); negative: reversed

  bool given() const { return tensor != kNone; }
};

/// Functions of one to three inputs, element by element. Definitions are those of the ONNX operators of these
/// names, unless stated.
enum class Function : std::uint8_t {
  kIdentity,
  // one input
  kAbs,
  kNeg,
  kExp,
  kLog,
  kSqrt,
  kReciprocal,
  kErf,
  kSin,
  kCos,
  kTanh,
  kSigmoid,
  kSoftplus,
  kSign,
  kFloor,
  kCeil,
  kRound,
  kNot,
  kIsNan,
  kRelu,
  kHardSwish,
  kMish,
  kSoftsign,
  kGeluErf,  // x / 2 (1 + erf(x / sqrt 2))
  kGeluTanh,  // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  kGeluSigmoid,  // x sigmoid(1.702 x)
  kSilu,  // x sigmoid(x)
  kLeakyRelu,  // alpha
  kElu,  // beta max(x, 0) + alpha beta (exp(min(x, 0)) - 1); Selu has a beta other than 1
  kHardSigmoid,  // max(0, min(1, alpha x + beta))
  kClip,  // alpha: lower limit, beta: upper limit
  kCast,  // to the type of the output
  // two inputs
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,
  kMin,
  kMax,
  kMod,
  kPrelu,
  kEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kAnd,
  kOr,
  kXor,
  kSiluGate,  // a sigmoid(a) b
  // three inputs
  kWhere,
};

/// inputs: 1 to 3 operands; outputs: 1. All have the same extents; strides 0 broadcast. Adjacent axes are
/// merged where all operands allow it, so an operation on whole tensors has one axis. Integer types are
/// computed as such.
struct Elementwise {
  Function function = Function::kIdentity;
  double alpha = 0, beta = 0;
};

/// y = function(scale * sum_k a b + bias + residual). inputs: a, b, bias, residual: always four, the last two
/// optional. outputs: y. With B batch axes (any number, often 0 or 1): a is [B..., rows, k], b [B..., k,
/// columns], y, bias and residual [B..., rows, columns]. Strides of 0 repeat: a weight over the batch, a key
/// head over its queries, a bias over rows. A transposed operand has its strides exchanged.
struct Product {
  double scale = 1;
  Elementwise function;  // kIdentity if none
};

/// As Product; inputs: x [N, C, H, W], weights [M, C / groups, R, S], bias, residual [N, M, P, Q]. outputs: y
/// [N, M, P, Q]. A convolution along one axis has H = R = P = 1. pads: top, left, bottom, right, in elements
/// of value 0.
struct Convolution {
  std::array<std::int64_t, 2> strides{1, 1}, dilations{1, 1};
  std::array<std::int64_t, 4> pads{};
  std::int64_t groups = 1;  // C: depthwise
  Elementwise function;
  bool transposed = false;  // ConvTranspose: weights are [C, M / groups, R, S]
};

/// Real values (q - zero) * scale of integers of 8 bits, or of 32 to dequantise. inputs: x or q, scale, zero point (optional:
/// 0), all with the extents of the output.
struct Quantize {};
struct Dequantize {};

/// y = softmax(scale * x + mask) along the last axis. inputs: x, mask (optional), same extents; outputs: y.
/// `logarithm`: its logarithm. `causal`: the mask is constant and excludes all columns behind row + columns -
/// rows.
struct Softmax {
  double scale = 1;
  bool logarithm = false, causal = false;
};

/// Along the last axis of n elements: (x - mean) / sqrt(variance + epsilon) * weight + bias.
/// inputs: x, weight, bias (both optional), same extents; outputs: y. Variance is that of n elements.
struct LayerNorm {
  double epsilon = 0;
};

/// Along the last axis: x / sqrt(mean(x^2) + epsilon) * weight. inputs: x, weight (optional); outputs: y.
struct RmsNorm {
  double epsilon = 0;
};

/// inputs: x [N, groups, channels of a group, elements], weight, bias (optional, same extents); outputs: y.
/// Mean and variance over the last two axes. Instance normalisation has one channel in a group.
struct GroupNorm {
  double epsilon = 0;
};

/// Rotary embedding of the last axis with 2h elements: y[i] = x[i] cos[i] - x[i + h] sin[i] for i < h, and
/// y[i] = x[i] cos[i] + x[i - h] sin[i] above. inputs: x, cos, sin, same extents; outputs: y.
/// `interleaved`: partners are elements 2i and 2i + 1.
struct Rotary {
  bool interleaved = false;
};

/// inputs: data [A, n, C], indices [I]; outputs: y [A, I, C]: y[a, i, c] = data[a, indices[i], c]. A negative
/// index counts from the end.
struct Gather {};

/// inputs: data, updates, indices; outputs: y. y = data, but y[..., indices[i], ...] = updates[i, ...]
/// (ScatterND with indices [U, depth] and ScatterElements along `axis`).
struct Scatter {
  bool elements = false;
  std::int64_t axis = 0;
};

/// y[...] = data[..., indices[...], ...] along `axis` (GatherElements). inputs: data, indices; outputs: y.
struct GatherElements {
  std::int64_t axis = 0;
};

/// inputs: data, indices [B..., I..., depth]; outputs: y: y[b, i, ...] = data[b, indices[b, i], ...] with `batch` axes B.
struct GatherNd {
  std::int64_t batch = 0;
};

/// inputs: indices [I...], values [2]: off, on; outputs: y [I...] with another axis `axis`, values[1] at the index and
/// values[0] elsewhere.
struct OneHot {
  std::int64_t axis = 0;
};

/// y[..., i] = x[..., 0] + ... + x[..., i], without the last one if `exclusive`. inputs: x; outputs: y.
struct CumulativeSum {
  bool exclusive = false;
};

/// Of the last axis. inputs: x [..., n]; outputs: y [...].
struct Reduce {
  enum class Operation : std::uint8_t {
    kSum,
    kMean,
    kMax,
    kMin,
    kProduct,
    kSumSquare,
    kL1,
    kL2,
    kLogSum,
    kLogSumExp,
    kArgMax,
    kArgMin
  };
  Operation operation = Operation::kSum;
};

/// Largest or smallest k along the last axis, sorted. inputs: x [..., n]; outputs: values [..., k], indices
/// [..., k]; one of the outputs may be missing.
struct TopK {
  std::int64_t k = 1;
  bool largest = true;
};

/// outputs[i] = inputs[i], same extents and type for each i: Concat, Slice, and views that strides cannot
/// express.
struct Copy {};

/// inputs: x; outputs: y, same rank. Element i of y along an axis is element i - before[axis] of x, or
/// padding.
struct Pad {
  enum class Mode : std::uint8_t { kConstant, kReflect, kEdge };
  Mode mode = Mode::kConstant;
  double value = 0;
  std::vector<std::int64_t> before;
};

/// inputs: x [N, C, H, W], rows [P], columns [Q]: the nearest elements, or those before the place of an element of y; of
/// kLinear also the share of the next one in rows and columns. outputs: y [N, C, P, Q]. Names of modes as in ONNX.
struct Resize {
  enum class Mode : std::uint8_t { kNearest, kLinear };
  Mode mode = Mode::kNearest;
  std::string coordinates = "half_pixel", rounding = "round_prefer_floor";
  std::array<double, 2> scales{1, 1};  // of H and W
  std::array<std::int64_t, 2>
      repeats{};  // kNearest: how often each row and column occurs; 0: not equally often
};

/// inputs: x [N, C, H, W]; outputs: y [N, C, P, Q]. Global pooling is a Reduce.
struct Pool {
  bool maximum = true;
  bool counts_padding = false;  // of an average
  std::array<std::int64_t, 2> kernel{1, 1}, strides{1, 1}, dilations{1, 1};
  std::array<std::int64_t, 4> pads{};  // top, left, bottom, right
};

/// One step of an LSTM. inputs: gates [N, 4 H]: input, output, forget, cell, before their functions; cells [N, H].
/// outputs: state, cells [N, H].
struct LstmCell {};

/// One step of a GRU. inputs: gates of x and of the state [N, 3 H]: update, reset, hidden, before their functions; the
/// state [N, H]; outputs: state. `resets`: the reset gate acts on the hidden gate of the state.
struct GruCell {
  bool resets = false;
};

/// As the ONNX operator, one direction or both. Only of drafts: operators are its steps. inputs: x [T, N, I], W, R, B,
/// (sequence lengths: never given), initial h, initial c; outputs: Y, Y_h, Y_c, as in ONNX.
struct Recurrent {
  bool gru = false, linear_before_reset = false;
  std::string direction = "forward";
  std::int64_t hidden = 0;
};

using Parameters =
    std::variant<Elementwise, Product, Convolution, Softmax, LayerNorm, RmsNorm, GroupNorm, Rotary, Gather,
                 GatherElements, Scatter, Reduce, TopK, Copy, Pad, Resize, Pool, Quantize, Dequantize,
                 Recurrent, GatherNd, OneHot, CumulativeSum, LstmCell, GruCell>;

/// "product", "softmax", "layer_norm": the types of operators in mapping files and results, in the order of
/// Parameters.
std::vector<std::string> operator_types();

/// One launch, or several of the same kernel (a Copy with several inputs).
struct Operator {
  std::string name;  // of its main node
  std::vector<std::size_t> nodes;  // Network::graph.nodes, in order
  Parameters parameters;
  std::vector<Operand> inputs, outputs;

  /// "product"; of an Elementwise its function, "gelu_erf".
  std::string type() const;
};

/// What becomes of a node of the file.
struct Row {
  enum class State : std::uint8_t { kOperator, kFused, kFolded, kView };
  State state = State::kFolded;
  std::size_t op = kNone;  // in Network::operators; kOperator, kFused
};

/// The value of an input or output of the model.
struct Port {
  std::string name;
  Operand operand;  // of an output it may have any strides
};

struct Network {
  Graph graph;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;  // in order of execution
  std::vector<Row> rows;  // one for each node of the graph
  std::vector<Port> inputs, outputs;
};

/// "gelu_erf", "add".
std::string_view name_of(Function function);

}  // namespace spica::network
