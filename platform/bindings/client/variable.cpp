// SPDX-License-Identifier: Apache-2.0
// Which data goes into which variable, and how numbers are written.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "platform/bindings/client/machine_impl.h"

namespace spica {

std::uint64_t Type::count() const {
  std::uint64_t count = 1;
  for (const std::uint64_t length : shape) count *= length;
  return count;
}

std::string Type::text() const {
  const char* const names[] = {"", "uint", "int", "float"};
  std::string text = kind != Kind::kUnknown ? names[static_cast<unsigned>(kind)] + std::to_string(8 * bytes)
                     : bytes == 1           ? "byte"
                                            : "structure of " + std::to_string(bytes) + " bytes";
  for (const std::uint64_t length : shape) text += "[" + std::to_string(length) + "]";
  return text;
}

namespace {

/// Room for `given`: the same shape, the same with fewer rows, or whole consecutive rows.
bool has_room(const Type& variable, const Type& given) {
  if (given.count() > variable.count()) return false;
  std::uint64_t row = 1;
  for (std::size_t i = 1; i < variable.shape.size(); ++i) row *= variable.shape[i];
  if (given.shape.size() <= 1) return given.count() % row == 0;
  return given.shape.size() == variable.shape.size() &&
         std::equal(given.shape.begin() + 1, given.shape.end(), variable.shape.begin() + 1);
}

/// Why data of type `given` does not go into a variable; "": it does.
std::string obstacle(const Variable& variable, const Type& given) {
  const bool bytes = given.kind == Type::Kind::kUnknown && given.bytes == 1;
  if (bytes || variable.type.kind == Type::Kind::kUnknown) {  // whatever they mean
    if (given.count() * given.bytes <= variable.bytes) return {};
    return "the data has " + std::to_string(given.count() * given.bytes) + " bytes, the variable " +
           std::to_string(variable.bytes);
  }
  if (!given.same_element(variable.type)) return "the elements differ";
  if (!has_room(variable.type, given))
    return given.count() > variable.type.count() ? "that is too much" : "the shapes differ";
  return {};
}

/// The shortest text that a program reads back as the same number of that many digits at most.
std::string shortest(double number, int digits) {
  std::array<char, 64> text{};
  for (int few = 1; few <= digits; ++few) {
    std::snprintf(text.data(), text.size(), "%.*g", few, number);
    const bool same = digits < std::numeric_limits<double>::max_digits10
                          ? std::strtof(text.data(), nullptr) == static_cast<float>(number)
                          : std::strtod(text.data(), nullptr) == number;
    if (same) break;
  }
  return text.data();
}

}  // namespace

Value::Value(double number, int digits) : text_(shortest(number, digits)) {}

/// A program may have a float there. It is rounded once, from the text; where the shortest one is rounded to another
/// float than the number itself, all digits.
Value::Value(double number) : Value(number, std::numeric_limits<double>::max_digits10) {
  if (!std::isfinite(number) || std::strtof(text_.c_str(), nullptr) == static_cast<float>(number)) return;
  std::array<char, 1200> exact{};
  std::snprintf(exact.data(), exact.size(), "%.1100g", number);
  text_ = exact.data();
}

void Machine::write(const std::string& symbol, const Type& type, const void* data) {
  impl_->fill(symbol, type, data);
}

void Machine::Impl::fill(const std::string& symbol, const Type& type, const void* data) {
  const Variable found = variable(symbol);
  if (const std::string why = obstacle(found, type); !why.empty())
    throw Error(type.text() + " does not fit '" + symbol + "', which is " + found.type.text() + ": " + why);
  write(found.address, data, type.count() * type.bytes, 0);
}

std::uint64_t Machine::elements(const Variable& variable, const Type& element) {
  if (variable.type.kind == Type::Kind::kUnknown && variable.bytes % element.bytes == 0)
    return variable.bytes / element.bytes;
  if (element.same_element(variable.type)) return variable.type.count();
  throw Error("'" + variable.name + "' is " + variable.type.text() + ", not " + element.text());
}

}  // namespace spica
