// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace spica::json {

struct Member;

/// A JSON document: null, a truth value, a number, text, an array, or an object that keeps the order of its keys.
///
/// A list in braces becomes an object when each of its elements is a list of two of which the first is text, else an
/// array: {{"name", "l2"}, {"sizes", {1, 2}}}. Numbers compare by value. Whatever asks a value for something that it is
/// not throws std::runtime_error.
///
/// What the JSON library does is behind this class: its headers cost seconds in each file that includes them.
class Value {
 public:
  Value() noexcept {}
  Value(std::nullptr_t) noexcept {}
  Value(bool value) noexcept : kind_(Kind::kBool) { bool_ = value; }
  template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Value(T value) noexcept : kind_(std::is_signed_v<T> ? Kind::kSigned : Kind::kUnsigned) {
    if constexpr (std::is_signed_v<T>) signed_ = value;
    else unsigned_ = value;
  }
  Value(double value) noexcept : kind_(Kind::kReal) { real_ = value; }
  Value(const char* text) : Value(std::string(text)) {}
  Value(std::string_view text) : Value(std::string(text)) {}
  Value(std::string text);
  Value(std::initializer_list<Value> list);
  Value(std::vector<Value> elements);
  template <class T>
  Value(const std::vector<T>& elements) : Value(array()) {
    for (const T& element : elements) push_back(element);
  }
  Value(const Value& other);
  Value(Value&& other) noexcept { swap(other); }
  Value& operator=(Value other) noexcept {
    swap(other);
    return *this;
  }
  ~Value();
  void swap(Value& other) noexcept;

  static Value array(std::initializer_list<Value> elements = {});
  static Value object();

  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_boolean() const { return kind_ == Kind::kBool; }
  bool is_string() const { return kind_ == Kind::kText; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_structured() const { return is_array() || is_object(); }
  bool is_number() const { return is_number_unsigned() || kind_ == Kind::kSigned || kind_ == Kind::kReal; }
  bool is_number_unsigned() const { return kind_ == Kind::kUnsigned; }

  /// As bool, a number, std::string or Value.
  template <class T>
  T get() const {
    if constexpr (std::is_same_v<T, bool>) return boolean();
    else if constexpr (std::is_arithmetic_v<T>) return number<T>();
    else if constexpr (std::is_same_v<T, Value>) return *this;
    else return T(text());
  }
  const std::string& text() const;

  /// Elements of an array, members of an object; else 0, and 1 of a plain value.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // Arrays. A null becomes one with its first element.
  Value& operator[](std::size_t index) { return element(index); }
  const Value& operator[](std::size_t index) const { return element(index); }
  void push_back(Value value);
  Value* begin() { return elements().data(); }
  Value* end() { return begin() + size(); }
  const Value* begin() const { return elements().data(); }
  const Value* end() const { return begin() + size(); }

  // Objects. A null becomes one with its first member.
  /// Makes a member that is null when there is none.
  Value& operator[](std::string_view key);
  const Value& operator[](std::string_view key) const { return at(key); }
  const Value& at(std::string_view key) const;
  const Value* find(std::string_view key) const;  // nullptr: no such member, or no object
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  template <class T>
  T value(std::string_view key, T otherwise) const {
    const Value* found = find(key);
    return found != nullptr ? found->get<T>() : otherwise;
  }
  void erase(std::string_view key);
  /// Adds or replaces all members of `other`.
  void update(const Value& other);
  const std::vector<Member>& items() const;
  std::vector<Member>& items();

  /// As text; `indent` blanks per level and a line for each value, or without any blanks. Throws std::exception for text
  /// that is not UTF-8.
  std::string dump(int indent = -1) const;

  friend bool operator==(const Value& a, const Value& b);
  friend bool operator!=(const Value& a, const Value& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& os, const Value& value);

 private:
  enum class Kind : std::uint8_t { kNull, kBool, kSigned, kUnsigned, kReal, kText, kArray, kObject };

  [[noreturn]] void is_not(const char* wanted) const;
  bool boolean() const;
  template <class T>
  T number() const {
    if (kind_ == Kind::kSigned) return static_cast<T>(signed_);
    if (kind_ == Kind::kUnsigned) return static_cast<T>(unsigned_);
    if (kind_ == Kind::kReal) return static_cast<T>(real_);
    is_not("a number");
  }
  std::vector<Value>& elements() const;
  Value& element(std::size_t index) const;
  void write(std::string& text, int indent, int level) const;

  Kind kind_ = Kind::kNull;
  union {
    bool bool_;
    std::int64_t signed_;
    std::uint64_t unsigned_ = 0;
    double real_;
    std::string* text_;
    std::vector<Value>* array_;
    std::vector<Member>* object_;
  };
};

struct Member {
  std::string key;
  Value value;
};

/// The document in `text`, nothing if it is none. `too_deep`, if there is one, becomes true (and the result nothing) when
/// values are in more than `levels` arrays and objects.
std::optional<Value> parse(std::string_view text, std::size_t levels = 64, bool* too_deep = nullptr);

/// The document in a file; nothing if there is none.
std::optional<Value> read_file(const std::string& path);

}  // namespace spica::json
