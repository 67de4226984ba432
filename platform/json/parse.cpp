// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "platform/json/value.h"

namespace spica::json {

namespace {

/// Builds a document of what the library reads, see nlohmann::json_sax.
class Builder {
 public:
  Builder(std::size_t levels, bool& too_deep) : levels_(levels), too_deep_(too_deep) {}

  Value take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(nlohmann::json::binary_t&) { return false; }  // no text has any
  bool start_object(std::size_t) { return add(Value::object(), true); }
  bool start_array(std::size_t) { return add(Value::array(), true); }
  bool key(std::string& key) {
    key_ = std::move(key);
    return true;
  }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) { return false; }

 private:
  bool add(Value value, bool opens = false) {
    if (open_.size() > levels_) {
      too_deep_ = true;
      return false;
    }
    Value* place = &root_;
    if (!open_.empty() && open_.back()->is_object()) {
      place = &(*open_.back())[key_];
    } else if (!open_.empty()) {
      open_.back()->push_back(nullptr);
      place = open_.back()->end() - 1;
    }
    *place = std::move(value);
    if (opens) open_.push_back(place);
    return true;
  }
  bool end() {
    open_.pop_back();
    return true;
  }

  const std::size_t levels_;
  bool& too_deep_;
  Value root_;
  std::vector<Value*> open_;  // stay where they are: only the innermost one grows
  std::string key_;
};

}  // namespace

std::optional<Value> parse(std::string_view text, std::size_t levels, bool* too_deep) {
  bool deep = false;
  Builder builder(levels, too_deep != nullptr ? *too_deep : deep);
  if (!nlohmann::json::sax_parse(text, &builder)) return std::nullopt;
  return builder.take();
}

std::optional<Value> read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) return std::nullopt;
  return parse(text.str());
}

}  // namespace spica::json
