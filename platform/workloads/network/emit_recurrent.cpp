// SPDX-License-Identifier: Apache-2.0
// LSTM and GRU: a product for the inputs of all steps; in each step a product of the state, and a cell.
#include <fmt/format.h>

#include "platform/workloads/network/emit.h"

namespace spica::network {

namespace {

/// Gates of ONNX: LSTM input, output, forget, cell; GRU update, reset, hidden.
class RecurrentEmitter {
 public:
  explicit RecurrentEmitter(const EmitContext& context)
      : context_(context), recurrent_(std::get<Recurrent>(context.draft.parameters)) {
    x_ = input(0);
    weights_ = input(1);
    states_ = input(2);
    bias_ = input(3);
    steps_ = x_.extents[0];
    batch_ = x_.extents[1];
    directions_ = weights_.extents[0];
    hidden_ = recurrent_.hidden;
    wide_ = (recurrent_.gru ? 3 : 4) * hidden_;
    type_ = context.placement.network().tensors[x_.tensor].type;
    y_ = context.draft.outputs[0] != kNone ? plain_operand(context.placement.create(context.draft.outputs[0]))
                                           : scratch("states", hidden_);
    gates_of_x_ = scratch("inputs", wide_);
    gates_ = scratch("gates", wide_);
    if (!recurrent_.gru) cells_ = scratch("cells", hidden_);
  }

  void run() {
    for (std::int64_t direction = 0; direction < directions_; ++direction) {
      of_inputs(direction);
      const bool is_backward = recurrent_.direction == "reverse" || direction == 1;
      Operand h = initial(5, direction), c = recurrent_.gru ? Operand() : initial(6, direction);
      for (std::int64_t i = 0; i < steps_; ++i) {
        const std::int64_t step = is_backward ? steps_ - 1 - i : i;
        if (recurrent_.gru) gru(direction, step, h);
        else lstm(direction, step, h, c);
        h = at(y_, step, direction, 0, hidden_);
        if (!recurrent_.gru) c = at(cells_, step, direction, 0, hidden_);
      }
    }
    last(1, y_);
    if (!recurrent_.gru) last(2, cells_);
  }

 private:
  Operand input(std::size_t i) const {
    const Placed placed = context_.placement.plain(context_.draft.input(i));
    return placed.given() ? plain_operand(placed) : Operand();
  }
  /// A tensor [steps, directions, batch, columns]: each step has a place of its own, to be checked after the run.
  Operand scratch(const char* name, std::int64_t columns) const {
    return plain_operand(context_.placement.create(fmt::format("{}/{}", context_.node().name, name), type_,
                                                   {steps_, directions_, batch_, columns}));
  }
  /// [batch, count]: some columns of one step.
  Operand at(const Operand& of, std::int64_t step, std::int64_t direction, std::int64_t first,
             std::int64_t count) const {
    return {of.tensor,
            of.offset + step * of.strides[0] + direction * of.strides[1] + first * of.strides[3],
            {batch_, count},
            {of.strides[2], of.strides[3]}};
  }
  Operand initial(std::size_t i, std::int64_t direction) const {
    Operand given = input(i);
    if (!given.given())
      given = plain_operand(
          context_.placement.create(fmt::format("{}/zero", context_.node().name),
                                    ConstantBuilder(type_, {directions_, batch_, hidden_}).finish()));
    return {given.tensor,
            given.offset + direction * given.strides[0],
            {batch_, hidden_},
            {given.strides[1], given.strides[2]}};
  }
  /// The transpose of rows `first` and following of a matrix of weights.
  static Operand turned(const Operand& of, std::int64_t direction, std::int64_t first, std::int64_t count) {
    return {of.tensor,
            of.offset + direction * of.strides[0] + first * of.strides[1],
            {of.extents[2], count},
            {of.strides[2], of.strides[1]}};
  }
  /// Elements `first` and following of the biases, of inputs or, from `wide_` on, of states.
  Operand bias(std::int64_t direction, std::int64_t first, const Extents& extents) const {
    if (!bias_.given()) return {};
    Operand operand{bias_.tensor, bias_.offset + direction * bias_.strides[0] + first * bias_.strides[1],
                    extents, Extents(extents.size())};
    operand.strides.back() = bias_.strides[1];
    return operand;
  }

  void add(const std::string& name, Parameters parameters, std::vector<Operand> inputs,
           std::vector<Operand> outputs) const {
    Operator added = context_.start();
    added.name = fmt::format("{}/{}", context_.node().name, name);
    added.parameters = std::move(parameters);
    added.inputs = std::move(inputs);
    added.outputs = std::move(outputs);
    context_.placement.add(std::move(added));
  }

  void of_inputs(std::int64_t direction) const {
    Operand x = x_, b = turned(weights_, direction, 0, wide_),
            y{gates_of_x_.tensor,
              gates_of_x_.offset + direction * gates_of_x_.strides[1],
              {steps_, batch_, wide_},
              {gates_of_x_.strides[0], gates_of_x_.strides[2], gates_of_x_.strides[3]}};
    const auto is_one = [&](const Operand& one) {
      return batch_ == 1 || one.strides[0] == batch_ * one.strides[1];
    };
    if (is_one(x) && is_one(y)) {
      for (Operand* one : {&x, &y}) {
        if (batch_ == 1) one->strides[1] = one->strides[0];
        one->extents = {steps_ * batch_, one->extents[2]};
        one->strides.erase(one->strides.begin());
      }
    } else {
      b.extents.insert(b.extents.begin(), steps_);
      b.strides.insert(b.strides.begin(), 0);
    }
    add(fmt::format("inputs{}", suffix(direction)), Product{1, {}}, {x, b, bias(direction, 0, y.extents), {}},
        {y});
  }

  void lstm(std::int64_t direction, std::int64_t step, const Operand& h, const Operand& c) const {
    const Operand gates = at(gates_, step, direction, 0, wide_);
    add(step_name("state", direction, step), Product{1, {}},
        {h, turned(states_, direction, 0, wide_), bias(direction, wide_, gates.extents),
         at(gates_of_x_, step, direction, 0, wide_)},
        {gates});
    add(step_name("cell", direction, step), LstmCell{}, {gates, c},
        {at(y_, step, direction, 0, hidden_), at(cells_, step, direction, 0, hidden_)});
  }

  void gru(std::int64_t direction, std::int64_t step, const Operand& h) const {
    const bool is_after = recurrent_.linear_before_reset;
    const Operand gates = at(gates_, step, direction, 0, wide_),
                  of_x = at(gates_of_x_, step, direction, 0, wide_);
    const auto of_state = [&](const char* name, const Operand& state, std::int64_t first,
                              std::int64_t count) {
      const Operand to = at(gates_, step, direction, first, count);
      add(step_name(name, direction, step), Product{1, {}},
          {state, turned(states_, direction, first, count), bias(direction, wide_ + first, to.extents), {}},
          {to});
    };
    of_state("state", h, 0, is_after ? wide_ : 2 * hidden_);
    if (!is_after) {
      const Operand state = reset_state(direction, step, h);
      of_state("reset state", state, 2 * hidden_, hidden_);
    }
    add(step_name("cell", direction, step), GruCell{is_after}, {of_x, gates, h},
        {at(y_, step, direction, 0, hidden_)});
  }

  /// The state times the reset gate.
  Operand reset_state(std::int64_t direction, std::int64_t step, const Operand& h) const {
    const auto tensor = [&](const char* name) {
      return plain_operand(
          context_.placement.create(step_name(name, direction, step), type_, {batch_, hidden_}));
    };
    const Operand sum = tensor("reset sum"), gate = tensor("reset gate"), state = tensor("kept state");
    add(step_name("reset sum", direction, step), Elementwise{Function::kAdd, 0, 0},
        {at(gates_of_x_, step, direction, hidden_, hidden_), at(gates_, step, direction, hidden_, hidden_)},
        {sum});
    add(step_name("reset gate", direction, step), Elementwise{Function::kSigmoid, 0, 0}, {sum}, {gate});
    add(step_name("kept state", direction, step), Elementwise{Function::kMul, 0, 0}, {gate, h}, {state});
    return state;
  }

  /// Of all directions: the state behind the last step.
  void last(std::size_t output, const Operand& of) const {
    if (output >= context_.draft.outputs.size() || context_.draft.outputs[output] == kNone) return;
    const Operand to = plain_operand(context_.placement.create(context_.draft.outputs[output]));
    std::vector<Operand> from, parts;
    for (std::int64_t direction = 0; direction < directions_; ++direction) {
      const bool is_backward = recurrent_.direction == "reverse" || direction == 1;
      from.push_back(at(of, is_backward ? 0 : steps_ - 1, direction, 0, hidden_));
      parts.push_back({to.tensor,
                       to.offset + direction * to.strides[0],
                       {batch_, hidden_},
                       {to.strides[1], to.strides[2]}});
    }
    add(output == 1 ? "last state" : "last cells", Copy{}, from, parts);
  }

  std::string suffix(std::int64_t direction) const {
    return directions_ == 1 ? "" : direction == 0 ? " forward" : " backward";
  }
  std::string step_name(const char* what, std::int64_t direction, std::int64_t step) const {
    return fmt::format("{}{} {}", what, suffix(direction), step);
  }

  const EmitContext& context_;
  const Recurrent& recurrent_;
  Operand x_, weights_, states_, bias_, y_, gates_of_x_, gates_, cells_;
  std::int64_t steps_ = 0, batch_ = 0, directions_ = 0, hidden_ = 0, wide_ = 0;
  ElementType type_ = ElementType::kUnknown;
};

}  // namespace

void emit_recurrent(const EmitContext& context) { RecurrentEmitter(context).run(); }

}  // namespace spica::network
