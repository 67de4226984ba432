// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/wire_reader.h"

#include <fmt/format.h>

#include <cstring>

namespace spica::network {

namespace {

template <class T>
T little_endian(const unsigned char* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

template <class T>
void append_fixed(const Field& field, Field::Type single, std::vector<T>& to) {
  if (field.type == single) {
    T value;
    std::memcpy(&value, &field.scalar, sizeof value);
    to.push_back(value);
    return;
  }
  const Span& packed = field.span();
  if (packed.size % sizeof(T) != 0)
    throw WireError(packed.offset,
                    fmt::format("{} bytes of packed numbers of {} bytes", packed.size, sizeof(T)));
  for (std::uint64_t i = 0; i < packed.size; i += sizeof(T)) to.push_back(little_endian<T>(packed.data + i));
}

/// Reads a number of up to ten bytes at the start of `rest` and removes it.
std::uint64_t take_varint(Span& rest) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 10; ++i) {
    if (i == rest.size) throw WireError(rest.offset, "a number is cut off");
    const unsigned char byte = rest.data[i];
    value |= std::uint64_t{byte & 0x7FU} << (7 * i);
    if (byte < 0x80) {
      rest = {rest.data + i + 1, rest.size - i - 1, rest.offset + i + 1};
      return value;
    }
  }
  throw WireError(rest.offset, "a number has more than ten bytes");
}

}  // namespace

std::uint64_t Field::unsigned_integer() const {
  if (type != Type::kVarint) throw WireError(offset, fmt::format("field {} is not an integer", number));
  return scalar;
}

double Field::fp32() const {
  if (type != Type::kFixed32) throw WireError(offset, fmt::format("field {} is not a 32-bit number", number));
  float value;
  const auto bits = static_cast<std::uint32_t>(scalar);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

const Span& Field::span() const {
  if (type != Type::kBytes)
    throw WireError(offset, fmt::format("field {} is not a string or message", number));
  return bytes;
}

std::uint64_t WireReader::varint() { return take_varint(at_); }

void WireReader::take(std::uint64_t bytes, const char* what) {
  if (bytes > at_.size)
    throw WireError(at_.offset,
                    fmt::format("{} of {} bytes does not fit in the remaining {}", what, bytes, at_.size));
  at_ = {at_.data + bytes, at_.size - bytes, at_.offset + bytes};
}

bool WireReader::next(Field& field) {
  if (at_.size == 0) return false;
  field = {};
  field.offset = at_.offset;
  const std::uint64_t key = varint();
  field.number = key >> 3;
  field.type = static_cast<Field::Type>(key & 7);
  const unsigned char* data = at_.data;
  switch (field.type) {
    case Field::Type::kVarint: field.scalar = varint(); break;
    case Field::Type::kFixed64:
      take(8, "a number");
      field.scalar = little_endian<std::uint64_t>(data);
      break;
    case Field::Type::kFixed32:
      take(4, "a number");
      field.scalar = little_endian<std::uint32_t>(data);
      break;
    case Field::Type::kBytes: {
      const std::uint64_t size = varint();
      field.bytes = {at_.data, size, at_.offset};
      take(size, "a field");
      break;
    }
    default: throw WireError(field.offset, fmt::format("unknown wire type {}", key & 7));
  }
  if (field.number == 0) throw WireError(field.offset, "a field has number 0");
  return true;
}

void append_integers(const Field& field, std::vector<std::int64_t>& to) {
  if (field.type == Field::Type::kVarint) return to.push_back(field.integer());
  Span rest = field.span();
  while (rest.size > 0) to.push_back(static_cast<std::int64_t>(take_varint(rest)));
}

void append_fp32(const Field& field, std::vector<float>& to) {
  append_fixed(field, Field::Type::kFixed32, to);
}

void append_fp64(const Field& field, std::vector<double>& to) {
  append_fixed(field, Field::Type::kFixed64, to);
}

}  // namespace spica::network
