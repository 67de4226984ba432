// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/base/params.h"

namespace spica::config {

/// The value of a parameter: a whole number, a number, a truth value, a text or the name of a choice.
using Value = std::variant<std::uint64_t, double, bool, std::string>;

/// Called by a parameter struct's check() with the conflicting keys, relative to the struct.
class Contradiction {
 public:
  using Report = std::function<void(const std::vector<std::string>& keys, std::string_view what)>;
  explicit Contradiction(Report report) : report_(std::move(report)) {}

  void operator()(std::initializer_list<std::string_view> keys, std::string_view what) const {
    report_({keys.begin(), keys.end()}, what);
  }
  void operator()(const std::vector<std::string>& keys, std::string_view what) const { report_(keys, what); }

 private:
  Report report_;
};

/// The direction in which a number is better hardware, disregarding cost.
enum class Better : std::uint8_t {
  kNeither,  // a threshold, a granularity, an address, a limit of the run
  kLess,     // a time
  kMore,     // an amount: a capacity, a width, a count
  kEither,   // chosen by the program: no value is better
};

/// How an option of a run relates to its results.
enum class Concern : std::uint8_t {
  kRun,      // results depend on it
  kMeasure,  // it adds results; the run is the same
  kOutput,   // destination of results, or how a run is watched and shown
};

/// An option of a run, and the names that belong to it.
struct Link {
  std::string_view option, names;  // separated by spaces
};

/// One parameter, group of parameters, or list of groups or values, bound to the struct that declares it. describe.h
/// creates fields from a parameter struct; all other code of this folder works on fields only.
struct Field {
  enum class Kind : std::uint8_t { kInteger, kReal, kBool, kChoice, kString, kGroup, kList };

  Kind kind = Kind::kGroup;
  std::string name;
  std::string doc;
  std::string source;  // source of the default; may be empty
  bool timing = true;  // no value changes the memory that a race-free program leaves
  bool required = false;  // no default makes sense
  bool is_file =
      false;  // options of a run: names a file, or one shipped with Spica; results depend on its contents
  bool is_work =
      false;  // options of a run: changes the result of the computation, not only how it is computed
  Concern concern = Concern::kRun;  // options of a run
  std::string letter;  // options of a run: a one-letter form, "q"; empty: none
  std::vector<std::string> earlier;  // options of a run: names that it had, which are still read
  std::string parameter;  // options of a run: the machine parameter it is short for
  /// Options of a run: no effect unless one entry of each list is also given, as NAME or NAME=VALUE.
  std::vector<std::vector<std::string>> needs;

  // Members for single values.
  std::string unit;  // kInteger, kReal
  base::Range range{0, 0};  // kInteger, kReal
  Better better = Better::kNeither;  // kInteger, kReal
  std::uint64_t max_integer = 0;  // kInteger: the maximum of its type
  std::vector<std::string> choices;  // kChoice
  std::function<Value()> get;
  std::function<void(const Value&)> set;  // the value must be legal

  // kGroup: its fields. kList: one group or value per entry, named "0", "1", ...
  std::vector<Field> children;
  // kGroup whose fields depend on earlier fields: creates them; returns nothing if they are unknown. May be empty.
  std::function<std::optional<std::vector<Field>>()> late;
  std::function<void(const Contradiction&)> check;  // kGroup; may be empty
  std::function<std::vector<Field>(std::size_t)> resize;  // kList: creates that many new entries
  std::function<Field()> prototype;  // kList: creates a separate new entry

  bool is_value() const { return kind != Kind::kGroup && kind != Kind::kList; }
};

/// True if the entries are values, not groups.
inline bool is_value_list(const Field& field) {
  return field.kind == Field::Kind::kList && field.prototype().is_value();
}

}  // namespace spica::config
