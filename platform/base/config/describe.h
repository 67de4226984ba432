// SPDX-License-Identifier: Apache-2.0
// Turns a parameter struct (models/base/params.h) into fields. The only templates of this folder. A struct may also
// list names of its parameters:
//
// kProgrammingModel: parameters of the programming model, that is sizes, shapes, counts, addresses, clock and styles
// that a program sees or relies on.
//
//   static constexpr std::string_view kProgrammingModel[] = {"warps", "lanes"};
//
// All others affect timing only: whatever their legal values, a program without a race leaves the same memory. Timing
// fuzz (testbenches/kernels/fuzz) varies them, so a new parameter takes part unless it is listed.
//
// kPolicies and kProgramChoices: for hardware parameters, less is better for a time, and more is better for any other
// number; programs that search for better machines (spica explain) rely on this. kPolicies lists the numbers for which
// it does not hold, kProgramChoices those that a program chooses:
//
//   static constexpr std::string_view kPolicies[] = {"timeout", "interleave_bytes"};
//   static constexpr std::string_view kProgramChoices[] = {"tile_m"};
//
// kRequired: parameters that a file must give, because no default makes sense. For the options of a run: kFiles names
// files; kWork changes what is computed; kMeasures adds results; kOutputs sets the destination of results; kLetters
// have a letter; kEarlierNames had other names; kParameters are short forms of a parameter of the machine; kNeeds have
// an effect only together with others (several entries for one option: one of each):
//
//   static constexpr config::Link kNeeds[] = {{"only_used", "energy report"}};
//
// A choice may be stored as its name, with an empty name for "none":
//
//   field("region", p.region, names_of(kRegions), "what is timed");
//
// A list may hold texts, names of choices or whole numbers instead of groups:
//
//   field.list("threads", p.threads, "threads", Range{1, 1 << 20}, "numbers the kernel can share the work among");
//   field.list("defines", p.defines, "what the kernel is compiled with");
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/base/params.h"
#include "platform/base/config/field.h"

namespace spica::config {

/// All parameters of `params` as one group. The fields refer to `params`, which must outlive them and must not move.
template <class Params>
Field describe(Params& params, std::string_view name = {}, std::string_view doc = {},
               std::string_view source = {});

namespace detail {

/// Whether a struct has the member that `Part` reads.
template <template <class> class Part, class Params, class = void>
struct Has : std::false_type {};
template <template <class> class Part, class Params>
struct Has<Part, Params, std::void_t<Part<Params>>> : std::true_type {};

template <class Params>
using Check = decltype(Params::check(std::declval<const Params&>(), std::declval<const Contradiction&>()));
template <class Params>
using Prepare = decltype(&Params::prepare);
template <class Params>
using Locate = decltype(&Params::locate);
template <class Params>
using ProgrammingModel = decltype(Params::kProgrammingModel);
template <class Params>
using Policies = decltype(Params::kPolicies);
template <class Params>
using ProgramChoices = decltype(Params::kProgramChoices);
template <class Params>
using Required = decltype(Params::kRequired);
template <class Params>
using Files = decltype(Params::kFiles);
template <class Params>
using Work = decltype(Params::kWork);
template <class Params>
using Measures = decltype(Params::kMeasures);
template <class Params>
using Outputs = decltype(Params::kOutputs);
template <class Params>
using Letters = decltype(Params::kLetters);
template <class Params>
using EarlierNames = decltype(Params::kEarlierNames);
template <class Params>
using Parameters = decltype(Params::kParameters);
template <class Params>
using Needs = decltype(Params::kNeeds);

/// The field of that name. An unknown name is an error in the declaration.
inline Field& named_field(std::vector<Field>& fields, std::string_view list, std::string_view name) {
  for (Field& field : fields)
    if (field.name == name) return field;
  throw std::logic_error(std::string(list) + " names no field: " + std::string(name));
}

/// Splits "a b" into its words.
inline std::vector<std::string> words_of(std::string_view text) {
  std::istringstream words{std::string(text)};
  return {std::istream_iterator<std::string>(words), {}};
}

/// Marks the fields that the struct names.
template <class Params>
void mark_named([[maybe_unused]] std::vector<Field>& fields) {
  if constexpr (Has<ProgrammingModel, Params>::value)
    for (const std::string_view name : Params::kProgrammingModel)
      named_field(fields, "kProgrammingModel", name).timing = false;
  if constexpr (Has<Policies, Params>::value)
    for (const std::string_view name : Params::kPolicies)
      named_field(fields, "kPolicies", name).better = Better::kNeither;
  if constexpr (Has<ProgramChoices, Params>::value)
    for (const std::string_view name : Params::kProgramChoices)
      named_field(fields, "kProgramChoices", name).better = Better::kEither;
  if constexpr (Has<Required, Params>::value)
    for (const std::string_view name : Params::kRequired)
      named_field(fields, "kRequired", name).required = true;
  if constexpr (Has<Files, Params>::value)
    for (const std::string_view name : Params::kFiles) named_field(fields, "kFiles", name).is_file = true;
  if constexpr (Has<Work, Params>::value)
    for (const std::string_view name : Params::kWork) named_field(fields, "kWork", name).is_work = true;
  if constexpr (Has<Measures, Params>::value)
    for (const std::string_view name : Params::kMeasures)
      named_field(fields, "kMeasures", name).concern = Concern::kMeasure;
  if constexpr (Has<Outputs, Params>::value)
    for (const std::string_view name : Params::kOutputs)
      named_field(fields, "kOutputs", name).concern = Concern::kOutput;
  if constexpr (Has<Letters, Params>::value)
    for (const Link& link : Params::kLetters)
      named_field(fields, "kLetters", link.option).letter = link.names;
  if constexpr (Has<EarlierNames, Params>::value)
    for (const Link& link : Params::kEarlierNames)
      named_field(fields, "kEarlierNames", link.option).earlier = words_of(link.names);
  if constexpr (Has<Parameters, Params>::value)
    for (const Link& link : Params::kParameters)
      named_field(fields, "kParameters", link.option).parameter = link.names;
  if constexpr (Has<Needs, Params>::value)
    for (const Link& link : Params::kNeeds)
      named_field(fields, "kNeeds", link.option).needs.push_back(words_of(link.names));
}

/// The direction of better hardware by unit, for a number whose struct does not state it.
inline Better better_by_unit(std::string_view unit) {
  for (const std::string_view time : {"cycles", "cycles of its clock", "clocks", "ps", "ns", "us"})
    if (unit == time) return Better::kLess;
  for (const std::string_view name : {"", "address", "seed", "class"})
    if (unit == name) return Better::kNeither;
  return Better::kMore;
}

/// The visitor that a struct's describe() calls once per field.
class Describer {
 public:
  explicit Describer(std::vector<Field>& fields) : fields_(fields) {}

  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  void operator()(std::string_view name, Number& value, std::string_view unit, base::Range range,
                  std::string_view doc, std::string_view source = {}) {
    static_assert(!std::is_same_v<Number, bool>, "a boolean has no unit and no range");
    static_assert(std::is_unsigned_v<Number> || std::is_same_v<Number, double>,
                  "parameters are unsigned integers or double");
    using Held = std::conditional_t<std::is_unsigned_v<Number>, std::uint64_t, double>;
    Field& field = add(Field::Kind::kReal, name, doc, source);
    field.unit = unit;
    field.range = range;
    field.better = better_by_unit(unit);
    if constexpr (std::is_unsigned_v<Number>) {
      field.kind = Field::Kind::kInteger;
      field.max_integer = std::numeric_limits<Number>::max();
    }
    field.get = [&value]() -> Value { return static_cast<Held>(value); };
    field.set = [&value](const Value& v) { value = static_cast<Number>(std::get<Held>(v)); };
  }

  void operator()(std::string_view name, bool& value, std::string_view doc, std::string_view source = {}) {
    plain(Field::Kind::kBool, name, value, doc, source);
  }

  void operator()(std::string_view name, std::string& value, std::string_view doc,
                  std::string_view source = {}) {
    plain(Field::Kind::kString, name, value, doc, source);
  }

  /// A choice stored as its name; empty: none was made.
  void operator()(std::string_view name, std::string& value, std::vector<std::string> choices,
                  std::string_view doc, std::string_view source = {}) {
    plain(Field::Kind::kChoice, name, value, doc, source);
    fields_.back().choices = std::move(choices);
  }

  /// An optional whole number; it is read as 0 if missing.
  template <class Number>
  void operator()(std::string_view name, std::optional<Number>& value, std::string_view unit,
                  base::Range range, std::string_view doc, std::string_view source = {}) {
    Field& field = add(Field::Kind::kInteger, name, doc, source);
    field.unit = unit;
    field.range = range;
    field.max_integer = std::numeric_limits<Number>::max();
    field.get = [&value]() -> Value { return std::uint64_t{value.value_or(0)}; };
    field.set = [&value](const Value& v) { value = static_cast<Number>(std::get<std::uint64_t>(v)); };
  }

  template <class Enum, std::size_t N>
  void operator()(std::string_view name, Enum& value, const base::Choices<Enum, N>& choices,
                  std::string_view doc, std::string_view source = {}) {
    Field& field = add(Field::Kind::kChoice, name, doc, source);
    for (const auto& item : choices.items) field.choices.emplace_back(item.name);
    field.get = [&value, choices]() -> Value { return std::string(choices.name_of(value)); };
    field.set = [&value, choices](const Value& v) {
      for (const auto& item : choices.items)
        if (item.name == std::get<std::string>(v)) value = item.value;
    };
  }

  template <class Params>
  void group(std::string_view name, Params& params, std::string_view doc, std::string_view source = {}) {
    fields_.push_back(describe(params, name, doc, source));
  }

  /// A group whose fields depend on earlier values: `fields` creates them after those are read. If it returns nothing,
  /// the fields are unknown and the group is not checked.
  void late(std::string_view name, std::string_view doc,
            std::function<std::optional<std::vector<Field>>()> fields) {
    Field& field = add(Field::Kind::kGroup, name, doc, {});
    field.children = fields().value_or(std::vector<Field>());
    field.late = std::move(fields);
  }

  template <class Params>
  void list(std::string_view name, std::vector<Params>& entries, std::string_view doc,
            std::string_view source = {}) {
    Field& field = add(Field::Kind::kList, name, doc, source);
    field.children = describe_entries(entries);
    field.resize = [&entries](std::size_t size) {
      entries.assign(size, Params{});
      return describe_entries(entries);
    };
    field.prototype = [] {
      const auto entry = std::make_shared<Params>();
      Field group = describe(*entry, "*");
      // The check never runs on a prototype, but the owner of the entry must live as long as the fields.
      group.check = [entry](const Contradiction&) {};
      return group;
    };
  }

  void list(std::string_view name, std::vector<std::string>& values, std::string_view doc,
            std::string_view source = {}) {
    value_list(name, values, doc, source,
               [](Describer& describer, std::string_view entry, std::string& value) {
                 describer(entry, value, "");
               });
  }

  void list(std::string_view name, std::vector<std::string>& values, const std::vector<std::string>& choices,
            std::string_view doc, std::string_view source = {}) {
    value_list(name, values, doc, source,
               [choices](Describer& describer, std::string_view entry, std::string& value) {
                 describer(entry, value, choices, "");
               });
  }

  template <class Number>
  void list(std::string_view name, std::vector<Number>& values, std::string_view unit, base::Range range,
            std::string_view doc, std::string_view source = {}) {
    value_list(
        name, values, doc, source,
        [unit = std::string(unit), range](Describer& describer, std::string_view entry, Number& value) {
          describer(entry, value, unit, range, "");
        });
  }

 private:
  /// `describe_value` adds one value as a field.
  template <class T, class DescribeValue>
  void value_list(std::string_view name, std::vector<T>& values, std::string_view doc,
                  std::string_view source, const DescribeValue& describe_value) {
    const auto entries = [&values, describe_value] {
      std::vector<Field> fields;
      Describer describer(fields);
      for (T& value : values) describe_value(describer, std::to_string(fields.size()), value);
      return fields;
    };
    Field& field = add(Field::Kind::kList, name, doc, source);
    field.children = entries();
    field.resize = [&values, entries](std::size_t size) {
      values.assign(size, T{});
      return entries();
    };
    field.prototype = [describe_value] {
      std::vector<Field> fields;
      Describer describer(fields);
      T value{};
      describe_value(describer, "*", value);
      fields.front().get = [] { return Value{}; };  // the lifetime of `value` ends here
      fields.front().set = nullptr;
      return std::move(fields.front());
    };
  }

  Field& add(Field::Kind kind, std::string_view name, std::string_view doc, std::string_view source) {
    Field& field = fields_.emplace_back();
    field.kind = kind;
    field.name = name;
    field.doc = doc;
    field.source = source;
    return field;
  }

  template <class T>
  void plain(Field::Kind kind, std::string_view name, T& value, std::string_view doc,
             std::string_view source) {
    Field& field = add(kind, name, doc, source);
    field.get = [&value]() -> Value { return value; };
    field.set = [&value](const Value& v) { value = std::get<T>(v); };
  }

  template <class Params>
  static std::vector<Field> describe_entries(std::vector<Params>& entries) {
    std::vector<Field> fields;
    for (Params& entry : entries) fields.push_back(describe(entry, std::to_string(fields.size())));
    return fields;
  }

  std::vector<Field>& fields_;
};

}  // namespace detail

template <class Params>
Field describe(Params& params, std::string_view name, std::string_view doc, std::string_view source) {
  Field group;
  group.name = name;
  group.doc = doc;
  group.source = source;
  Params::describe(params, detail::Describer(group.children));
  detail::mark_named<std::remove_const_t<Params>>(group.children);
  if constexpr (detail::Has<detail::Check, Params>::value)
    group.check = [&params](const Contradiction& report) { Params::check(params, report); };
  return group;
}

}  // namespace spica::config
