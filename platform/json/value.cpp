// SPDX-License-Identifier: Apache-2.0
#include "platform/json/value.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <utility>

namespace spica::json {

Value::Value(std::string text) : kind_(Kind::kText) { text_ = new std::string(std::move(text)); }

Value::Value(std::initializer_list<Value> list) {
  const bool is_object = std::all_of(list.begin(), list.end(), [](const Value& pair) {
    return pair.is_array() && pair.size() == 2 && pair[0].is_string();
  });
  if (!is_object) {
    Value(std::vector<Value>(list)).swap(*this);
    return;
  }
  Value made = object();
  for (const Value& pair : list) made[pair[0].text()] = pair[1];
  swap(made);
}

Value::Value(std::vector<Value> elements) : kind_(Kind::kArray) {
  array_ = new std::vector<Value>(std::move(elements));
}

Value::Value(const Value& other) {
  switch (other.kind_) {
    case Kind::kText: text_ = new std::string(*other.text_); break;
    case Kind::kArray: array_ = new std::vector<Value>(*other.array_); break;
    case Kind::kObject: object_ = new std::vector<Member>(*other.object_); break;
    default: unsigned_ = other.unsigned_;  // whatever it is: all bits
  }
  kind_ = other.kind_;
}

Value::~Value() {
  if (kind_ == Kind::kText) delete text_;
  if (kind_ == Kind::kArray) delete array_;
  if (kind_ == Kind::kObject) delete object_;
}

void Value::swap(Value& other) noexcept {
  std::swap(kind_, other.kind_);
  std::swap(unsigned_, other.unsigned_);
}

Value Value::array(std::initializer_list<Value> elements) { return std::vector<Value>(elements); }

Value Value::object() {
  Value value;
  value.object_ = new std::vector<Member>;
  value.kind_ = Kind::kObject;
  return value;
}

void Value::is_not(const char* wanted) const {
  throw std::runtime_error(std::string("a JSON value is not ") + wanted +
                           (is_structured() ? "" : ": " + dump()));
}

bool Value::boolean() const {
  if (!is_boolean()) is_not("true or false");
  return bool_;
}

const std::string& Value::text() const {
  if (!is_string()) is_not("text");
  return *text_;
}

std::size_t Value::size() const {
  if (is_array()) return array_->size();
  if (is_object()) return object_->size();
  return is_null() ? 0 : 1;
}

std::vector<Value>& Value::elements() const {
  if (!is_array()) is_not("an array");
  return *array_;
}

Value& Value::element(std::size_t index) const {
  if (index >= elements().size()) is_not("an array of that size");
  return elements()[index];
}

void Value::push_back(Value value) {
  if (is_null()) *this = array();
  elements().push_back(std::move(value));
}

Value& Value::operator[](std::string_view key) {
  if (is_null()) *this = object();
  for (Member& member : items())
    if (member.key == key) return member.value;
  return object_->emplace_back(Member{std::string(key), {}}).value;
}

const Value& Value::at(std::string_view key) const {
  const Value* found = find(key);
  if (found == nullptr) is_not(("an object with \"" + std::string(key) + "\"").c_str());
  return *found;
}

const Value* Value::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : *object_)
    if (member.key == key) return &member.value;
  return nullptr;
}

void Value::erase(std::string_view key) {
  const auto is_it = [key](const Member& member) { return member.key == key; };
  items().erase(std::remove_if(items().begin(), items().end(), is_it), items().end());
}

void Value::update(const Value& other) {
  for (const auto& [key, value] : other.items()) (*this)[key] = value;
}

const std::vector<Member>& Value::items() const {
  if (!is_object()) is_not("an object");
  return *object_;
}
std::vector<Member>& Value::items() {
  if (!is_object()) is_not("an object");
  return *object_;
}

std::string Value::dump(int indent) const {
  std::string text;
  write(text, indent, 0);
  return text;
}

void Value::write(std::string& text, int indent, int level) const {
  const auto quoted = [](const std::string& plain) { return nlohmann::json(plain).dump(); };
  switch (kind_) {
    case Kind::kNull: text += "null"; return;
    case Kind::kBool: text += bool_ ? "true" : "false"; return;
    case Kind::kSigned: text += std::to_string(signed_); return;
    case Kind::kUnsigned: text += std::to_string(unsigned_); return;
    case Kind::kReal: text += nlohmann::json(real_).dump(); return;
    case Kind::kText: text += quoted(*text_); return;
    default: break;
  }
  const auto new_line = [&](int blanks) {
    if (indent < 0) return;
    text += '\n';
    text.append(static_cast<std::size_t>(indent * blanks), ' ');
  };
  text += is_object() ? '{' : '[';
  for (std::size_t i = 0; i < size(); ++i) {
    if (i != 0) text += ',';
    new_line(level + 1);
    if (is_object()) text += quoted((*object_)[i].key) + (indent < 0 ? ":" : ": ");
    (is_object() ? (*object_)[i].value : (*array_)[i]).write(text, indent, level + 1);
  }
  if (!empty()) new_line(level);
  text += is_object() ? '}' : ']';
}

bool operator==(const Value& a, const Value& b) {
  using Kind = Value::Kind;
  if (a.is_number() && b.is_number()) {
    if (a.kind_ == Kind::kReal || b.kind_ == Kind::kReal) return a.get<double>() == b.get<double>();
    const bool below_zero = a.kind_ == Kind::kSigned && a.signed_ < 0;
    return below_zero == (b.kind_ == Kind::kSigned && b.signed_ < 0) && a.unsigned_ == b.unsigned_;
  }
  if (a.kind_ != b.kind_) return false;
  switch (a.kind_) {
    case Kind::kBool: return a.bool_ == b.bool_;
    case Kind::kText: return *a.text_ == *b.text_;
    case Kind::kArray: return *a.array_ == *b.array_;
    case Kind::kObject:
      return std::equal(
          a.object_->begin(), a.object_->end(), b.object_->begin(), b.object_->end(),
          [](const Member& x, const Member& y) { return x.key == y.key && x.value == y.value; });
    default: return true;
  }
}

std::ostream& operator<<(std::ostream& os, const Value& value) { return os << value.dump(); }

}  // namespace spica::json
