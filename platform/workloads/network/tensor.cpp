// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/tensor.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "models/numeric/convert.h"
#include "platform/base/input/user_error.h"

namespace spica::network {

namespace {

template <class T>
T load(const unsigned char* data, std::int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <class T>
void store(std::vector<unsigned char>& bytes, std::int64_t index, T value) {
  std::memcpy(bytes.data() + index * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

float float_of_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::optional<numeric::Format> narrow_format(ElementType type) {
  switch (type) {
    case ElementType::kFp16: return numeric::Format::kFp16;
    case ElementType::kBf16: return numeric::Format::kBf16;
    case ElementType::kFp8E4m3fn: return numeric::Format::kE4m3;
    case ElementType::kFp8E5m2: return numeric::Format::kE5m2;
    default: return std::nullopt;
  }
}

/// A double as the nearest float whose second rounding, to FP16 or BF16, is that of the double (round to odd).
float to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (!std::isfinite(value) || !std::isfinite(nearest) || static_cast<double>(nearest) == value)
    return nearest;
  std::uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof bits);
  if (std::abs(static_cast<double>(nearest)) > std::abs(value)) --bits;  // towards zero
  return float_of_bits(bits | 1);
}

/// Truncates; outside the range, and for NaN, as saturating hardware.
std::int64_t truncated(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 9223372036854775807.0) return std::numeric_limits<std::int64_t>::max();
  if (value <= -9223372036854775808.0) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::int64_t element_count(const Extents& extents) {
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t extent : extents) {
    if (extent < 0 || extent > kMaxElements)
      throw input::UserError(fmt::format("an extent of {} is not supported", extent));
    empty = empty || extent == 0;
  }
  if (empty) return 0;
  for (const std::int64_t extent : extents) {
    if (count > kMaxElements / extent)
      throw input::UserError(
          fmt::format("a tensor of {} has more than 2^40 elements", extents_text(extents)));
    count *= extent;
  }
  return count;
}

std::string extents_text(const Extents& extents) {
  return extents.empty() ? "scalar" : fmt::format("{}", fmt::join(extents, "x"));
}

std::int64_t Constant::integer_at(std::int64_t index) const {
  switch (type) {
    case ElementType::kUint8: return load<std::uint8_t>(data, index);
    case ElementType::kInt8: return load<std::int8_t>(data, index);
    case ElementType::kUint16: return load<std::uint16_t>(data, index);
    case ElementType::kInt16: return load<std::int16_t>(data, index);
    case ElementType::kInt32: return load<std::int32_t>(data, index);
    case ElementType::kInt64: return load<std::int64_t>(data, index);
    case ElementType::kBool: return load<std::uint8_t>(data, index) != 0;
    case ElementType::kUint32: return load<std::uint32_t>(data, index);
    case ElementType::kUint64: return static_cast<std::int64_t>(load<std::uint64_t>(data, index));
    default: return truncated(number_at(index));
  }
}

double Constant::number_at(std::int64_t index) const {
  switch (type) {
    case ElementType::kFp32: return load<float>(data, index);
    case ElementType::kFp64: return load<double>(data, index);
    case ElementType::kFp16:
    case ElementType::kBf16: return numeric::value_of(*narrow_format(type), load<std::uint16_t>(data, index));
    case ElementType::kFp8E4m3fn:
    case ElementType::kFp8E5m2:
      return numeric::value_of(*narrow_format(type), load<std::uint8_t>(data, index));
    case ElementType::kUint64: return static_cast<double>(load<std::uint64_t>(data, index));
    case ElementType::kUnknown: return 0;
    default: return static_cast<double>(integer_at(index));
  }
}

std::vector<std::int64_t> integers(const Constant& constant) {
  const std::int64_t count = constant.elements();
  if (count > (std::int64_t{1} << 20))
    throw input::UserError(fmt::format("a list of {} numbers is too long", count));
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(constant.integer_at(i));
  return values;
}

ConstantBuilder::ConstantBuilder(ElementType type, Extents extents)
    : bytes_(std::make_shared<std::vector<unsigned char>>()) {
  constant_.type = type;
  constant_.extents = std::move(extents);
  bytes_->resize(constant_.bytes());
}

void ConstantBuilder::set(std::int64_t index, double value) {
  if (const auto format = narrow_format(constant_.type)) {
    const std::uint32_t code = numeric::nearest(*format, to_odd(value));
    if (bytes_of(constant_.type) == 1) return store(*bytes_, index, static_cast<std::uint8_t>(code));
    return store(*bytes_, index, static_cast<std::uint16_t>(code));
  }
  switch (constant_.type) {
    case ElementType::kFp32: return store(*bytes_, index, static_cast<float>(value));
    case ElementType::kFp64: return store(*bytes_, index, value);
    case ElementType::kBool: return store(*bytes_, index, static_cast<std::uint8_t>(value != 0));
    default: return set(index, truncated(value));
  }
}

void ConstantBuilder::set(std::int64_t index, std::int64_t value) {
  if (is_floating(constant_.type)) return set(index, static_cast<double>(value));
  if (constant_.type == ElementType::kBool) value = value != 0;
  switch (bytes_of(constant_.type)) {
    case 1: return store(*bytes_, index, static_cast<std::uint8_t>(value));
    case 2: return store(*bytes_, index, static_cast<std::uint16_t>(value));
    case 4: return store(*bytes_, index, static_cast<std::uint32_t>(value));
    default: return store(*bytes_, index, value);
  }
}

void ConstantBuilder::copy(std::int64_t index, const Constant& from, std::int64_t from_index) {
  const auto size = static_cast<std::int64_t>(bytes_of(constant_.type));
  std::memcpy(bytes_->data() + index * size, from.data + from_index * size, static_cast<std::size_t>(size));
}

Constant ConstantBuilder::finish() && {
  constant_.data = bytes_->data();
  constant_.owner = std::move(bytes_);
  return std::move(constant_);
}

}  // namespace spica::network
