// SPDX-License-Identifier: Apache-2.0
// Calls a kernel like a function: inputs and outputs by the names of the program's variables.
//
//   const spica::Result result = spica::run("my.elf", {"virgo", {}, {{"n", 4}, {"factor", 2.5}},
//                                            {{"x", values}}, {"y"}});
//   result.get<float>("y"); result.cycles; result.statistics.at("main_memory.reads");
//
// Any number of runs, sequential or in several threads: each has a process of its own. docs/library.md.
#ifndef SPICA_RUN_H  // not #pragma once: it is installed at two places
#define SPICA_RUN_H

#include <spica/spica.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace spica {

/// Data for a variable of the program.
struct Input {
  template <class T>
  Input(std::string name, const std::vector<T>& values, std::vector<std::uint64_t> shape = {})
      : symbol(std::move(name)),
        type(Type::of<T>(shape.empty() ? std::vector<std::uint64_t>{values.size()} : std::move(shape))) {
    if (type.count() != values.size())
      throw Error("input '" + symbol + "': " + std::to_string(values.size()) + " values do not fill " +
                  type.text());
    bytes.resize(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  }

  std::string symbol;
  Type type;
  std::vector<unsigned char> bytes;
};

/// The parameters of run() in addition to the program.
struct Options {
  std::string configuration = "virgo";  // a YAML file, or a shipped one by name
  std::vector<std::string> settings;  // "cluster.cores=2", "run.mode=fast"
  Arguments arguments;  // members of the program's argument block
  std::vector<Input> inputs;
  std::vector<std::string> outputs;  // variables to be read after the run
  std::string
      kernel;  // kernel to run as a grid of work groups; empty: main(), or with `grid` the only kernel
  std::vector<unsigned> grid, block;  // number of work groups, and threads of each; see Machine::grid()
  bool allow_plugins =
      false;  // load the block libraries named by the configuration (docs/howto/own-block.md)
};

/// The results of a run.
struct Result : Outcome {
  struct Output {
    Type type;
    std::vector<unsigned char> bytes;
  };
  std::string output;  // what the program printed
  std::map<std::string, std::uint64_t> statistics;  // by the names of stats.json
  std::map<std::string, Output> outputs;

  /// The elements of an output. Throws Error if it is not in Options::outputs, or its elements are not of type T.
  template <class T>
  std::vector<T> get(const std::string& symbol) const {
    const Output& found = output_of(symbol, Type::of<T>({}));
    std::vector<T> values(found.bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), found.bytes.data(), values.size() * sizeof(T));
    return values;
  }

 private:
  const Output& output_of(const std::string& symbol, const Type& element) const;
};

/// The program did not complete because of a fault or a hang. what() is Outcome::report.
class GuestFault : public std::runtime_error {
 public:
  explicit GuestFault(Result had) : std::runtime_error(had.report), result(std::move(had)) {}
  Result result;  // results so far, including outputs
};

/// Runs a program: an ELF file, or a shipped kernel by name. Throws Error with all errors in the arguments, before the
/// first cycle; GuestFault; InternalError. An exit code other than 0 is a result, not an exception.
Result run(const std::string& program, const Options& options, const char* share);
inline Result run(const std::string& program, const Options& options = {}) {
  return run(program, options, SPICA_SHARE);
}

}  // namespace spica

#endif  // SPICA_RUN_H
