// SPDX-License-Identifier: Apache-2.0
// The wire format of protocol buffers (protobuf.dev, Encoding): fields of a message, without a schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace spica::network {

/// Part of a file.
struct Span {
  const unsigned char* data = nullptr;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // of its first byte in the file

  std::string_view text() const { return {reinterpret_cast<const char*>(data), size}; }
};

/// A file that does not follow the wire format, at a byte.
class WireError : public std::runtime_error {
 public:
  WireError(std::uint64_t offset, const std::string& what) : std::runtime_error(what), offset_(offset) {}
  std::uint64_t offset() const { return offset_; }

 private:
  std::uint64_t offset_;
};

struct Field {
  enum class Type : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  std::uint64_t number = 0;
  Type type = Type::kVarint;
  std::uint64_t scalar = 0;  // kVarint, kFixed32, kFixed64
  Span bytes;                // kBytes: a string, a message, packed numbers
  std::uint64_t offset = 0;

  /// The value in the type that a schema expects. Throw WireError for any other.
  std::uint64_t unsigned_integer() const;
  std::int64_t integer() const { return static_cast<std::int64_t>(unsigned_integer()); }
  double fp32() const;
  const Span& span() const;
  std::string text() const { return std::string(span().text()); }
};

/// Reads the fields of a message in order. Never reads outside the span.
class WireReader {
 public:
  explicit WireReader(const Span& message) : at_(message) {}
  /// Returns false at the end. Throws WireError.
  bool next(Field& field);

 private:
  std::uint64_t varint();
  void take(std::uint64_t bytes, const char* what);

  Span at_;  // the rest
};

/// Appends the numbers of a repeated field, packed or not.
void append_integers(const Field& field, std::vector<std::int64_t>& to);
void append_fp32(const Field& field, std::vector<float>& to);
void append_fp64(const Field& field, std::vector<double>& to);

}  // namespace spica::network
