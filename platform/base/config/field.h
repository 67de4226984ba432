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

/// What a parameter can hold: a whole number, a number, a truth value, a text or the name of a
/// choice.
using Value = std::variant<std::uint64_t, double, bool, std::string>;

/// Called by a parameter struct's check() with the keys that contradict each other, relative to it.
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

/// Which values of a number are better hardware, whatever they cost.
enum class Better : std::uint8_t {
  kNeither,  // a threshold, a granularity, an address, a limit of the run
  kLess,     // a time
  kMore,     // an amount: a capacity, a width, a count
  kEither,   // what a program chooses: another value is neither better nor worse
};

/// What an option of a run has to do with its results.
enum class Concern : std::uint8_t {
  kRun,      // they depend on it
  kMeasure,  // there are more of them; what runs is the same
  kOutput,   // about where they go, or how a run is watched and shown
};

/// An option of a run, and names that belong to it.
struct Link {
  std::string_view option, names;  // with spaces between them
};

/// One declared parameter, group of parameters or list of groups or values, bound to the struct it was
/// declared by. describe.h makes these from a parameter struct; everything else in this folder
/// works on them and knows no struct.
struct Field {
  enum class Kind : std::uint8_t { kInteger, kReal, kBool, kChoice, kString, kGroup, kList };

  Kind kind = Kind::kGroup;
  std::string name;
  std::string doc;
  std::string source;  // where the default comes from; may be empty
  bool timing = true;  // no value changes what a program without a race leaves in memory
  bool required = false;  // has no default that means anything
  bool is_file =
      false;  // of a run: names a file, or one of those that come with Spica; what counts is what is in it
  bool is_work = false;  // of a run: changes what is computed, not only how
  Concern concern = Concern::kRun;  // of a run
  std::string letter;  // of a run: "q", a short form of the name; empty: none
  std::string parameter;  // of a run: the parameter of the machine for which it is short
  /// Of a run: it has no effect unless one of each is given too, as NAME or NAME=VALUE.
  std::vector<std::vector<std::string>> needs;

  // Single values.
  std::string unit;  // kInteger, kReal
  base::Range range{0, 0};  // kInteger, kReal
  Better better = Better::kNeither;  // kInteger, kReal
  std::uint64_t max_integer = 0;  // kInteger: the largest its type holds
  std::vector<std::string> choices;  // kChoice
  std::function<Value()> get;
  std::function<void(const Value&)> set;  // the value must be legal

  // kGroup: its fields. kList: one group or value per entry, named "0", "1", ...
  std::vector<Field> children;
  // kGroup: its fields, when they follow from the fields before it; none: they are not known. May be empty.
  std::function<std::optional<std::vector<Field>>()> late;
  std::function<void(const Contradiction&)> check;  // kGroup; may be empty
  std::function<std::vector<Field>(std::size_t)> resize;  // kList: makes that many fresh entries
  std::function<Field()> prototype;  // kList: a fresh entry of its own

  bool is_value() const { return kind != Kind::kGroup && kind != Kind::kList; }
};

/// Whether its entries are values, not groups.
inline bool is_value_list(const Field& field) {
  return field.kind == Field::Kind::kList && field.prototype().is_value();
}

}  // namespace spica::config
