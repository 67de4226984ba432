// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/client/run.h"

#include <utility>

#include "platform/bindings/client/machine_impl.h"
#include "platform/bindings/client/process.h"

namespace spica {

namespace {

/// Errors of several actions as one.
class Problems {
 public:
  template <class Action>
  void collect(const std::string& what, Action&& action) {
    try {
      action();
    } catch (const Error& error) {
      text_ += (text_.empty() ? "" : "\n") + what + error.what();
    }
  }
  void raise() const {
    if (!text_.empty()) throw Error(text_);
  }

 private:
  std::string text_;
};

}  // namespace

const Result::Output& Result::output_of(const std::string& symbol, const Type& element) const {
  const auto found = outputs.find(symbol);
  if (found == outputs.end()) throw Error("'" + symbol + "' is not one of the requested outputs");
  const Type& type = found->second.type;
  if (!element.same_element(type) &&
      (type.kind != Type::Kind::kUnknown || found->second.bytes.size() % element.bytes != 0))
    throw Error("'" + symbol + "' is " + type.text() + ", not " + element.text());
  return found->second;
}

Result run(const std::string& program, const Options& options, const char* share) {
  Machine machine = Machine::Impl::machine(client::start(client::program_of(share), options.configuration,
                                                         options.settings, options.allow_plugins));
  machine.load(program);

  Problems problems;
  std::map<std::string, Variable> outputs;
  problems.collect("", [&] { machine.arguments(options.arguments); });
  if (!options.kernel.empty() || !options.grid.empty())
    problems.collect("", [&] { machine.grid(options.kernel, options.grid, options.block); });
  for (const Input& input : options.inputs)
    problems.collect("input '" + input.symbol + "': ",
                     [&] { machine.write(input.symbol, input.type, input.bytes.data()); });
  for (const std::string& name : options.outputs)
    problems.collect("output '" + name + "': ", [&] { outputs[name] = machine.variable(name); });
  problems.raise();

  Result result;
  static_cast<Outcome&>(result) = machine.run();
  if (result.end == Outcome::End::kInternalError) throw InternalError(result.report);
  result.output = machine.output();
  for (auto& [name, value] : machine.counts()) result.statistics[name] = value;
  for (auto& [name, variable] : outputs) {
    Result::Output& output = result.outputs[name];
    output.type = variable.type;
    output.bytes.resize(variable.bytes);
    machine.read(variable.address, output.bytes.data(), output.bytes.size());
  }
  if (result.end != Outcome::End::kFinished) throw GuestFault(std::move(result));
  return result;
}

}  // namespace spica
