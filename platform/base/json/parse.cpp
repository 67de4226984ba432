// SPDX-License-Identifier: Apache-2.0
#include "platform/base/json/parse.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace spica::json {

namespace {

/// Reads a document up to the first value in too many arrays and objects, and keeps nothing of it: see
/// nlohmann::json_sax. (A callback could also stop the parser, but with one it looks through a whole array after each
/// object in it.)
class Levels {
 public:
  explicit Levels(std::size_t most) : most_(most) {}

  bool too_deep() const { return too_deep_; }

  bool null() { return value(); }
  bool boolean(bool) { return value(); }
  bool number_integer(Value::number_integer_t) { return value(); }
  bool number_unsigned(Value::number_unsigned_t) { return value(); }
  bool number_float(Value::number_float_t, const std::string&) { return value(); }
  bool string(const std::string&) { return value(); }
  bool binary(const Value::binary_t&) { return value(); }
  bool key(const std::string&) { return true; }
  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const Value::exception&) { return false; }

 private:
  bool value() {
    too_deep_ = open_ > most_;
    return !too_deep_;
  }
  bool open() {
    const bool good = value();
    ++open_;
    return good;
  }
  bool close() {
    --open_;
    return true;
  }

  const std::size_t most_;
  std::size_t open_ = 0;
  bool too_deep_ = false;
};

}  // namespace

std::optional<Value> parse(std::string_view text, std::size_t levels, bool* too_deep) {
  Levels read(levels);
  const bool good = Value::sax_parse(text, &read);
  if (too_deep != nullptr && read.too_deep()) *too_deep = true;
  if (!good) return std::nullopt;
  return Value::parse(text);
}

std::optional<Value> read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;  // a pipe would be waited for
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) return std::nullopt;
  return parse(text.str());
}

}  // namespace spica::json
