// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/key_of.h"

#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

namespace spica::soc {

namespace {

/// The visitor of a description that looks for the parameter at a place. A group and its first parameter have one
/// place, but not one type.
class KeyFinder {
 public:
  KeyFinder(const void* place, const std::type_info& type, std::string prefix, std::string& found)
      : place_(place), type_(type), prefix_(std::move(prefix)), found_(found) {}

  template <class Value, class... Rest>
  void operator()(std::string_view name, const Value& value, const Rest&...) {
    compare(name, value);
  }
  template <class Params, class... Rest>
  void group(std::string_view name, const Params& params, const Rest&...) {
    compare(name, params);
    Params::describe(params, KeyFinder(place_, type_, key(name) + ".", found_));
  }
  template <class Entry, class... Rest>
  void list(std::string_view name, const std::vector<Entry>& entries, const Rest&...) {
    compare(name, entries);
    if constexpr (!std::is_arithmetic_v<Entry> && !std::is_same_v<Entry, std::string>)
      for (std::size_t i = 0; i < entries.size(); ++i)
        group(std::string(name) + "." + std::to_string(i), entries[i]);
  }
  /// Fields that follow from values belong to a block of a plugin: no text of ours names them.
  template <class... Rest>
  void late(const Rest&...) {}

 private:
  std::string key(std::string_view name) const { return prefix_ + std::string(name); }
  template <class Value>
  void compare(std::string_view name, const Value& value) {
    if (&value == place_ && typeid(Value) == type_) found_ = key(name);
  }

  const void* const place_;
  const std::type_info& type_;
  const std::string prefix_;
  std::string& found_;
};

}  // namespace

std::string detail::key_at(const SocParams& params, const void* place, const std::type_info& type) {
  std::string found;
  SocParams::describe(params, KeyFinder(place, type, "", found));
  if (found.empty()) throw std::logic_error("not a parameter of the machine");
  return found;
}

SocParams any_machine(std::size_t matrix_unit) {
  SocParams params;
  params.cluster.matrix_units.resize(matrix_unit + 1);
  return params;
}

}  // namespace spica::soc
