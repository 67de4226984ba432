// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "platform/base/input/printable.h"
#include "platform/base/input/regular_file.h"
#include "platform/base/input/user_error.h"

namespace spica::network {

namespace {

constexpr std::uint64_t kAlignment = 64;

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

std::uint64_t bytes_in_memory(const Tensor& tensor, ElementType type) {
  return static_cast<std::uint64_t>(element_count(tensor.extents)) * bytes_of(type);
}

bool is_wide_integer(ElementType type) { return type == ElementType::kInt64 || type == ElementType::kUint64; }

}  // namespace

ElementType stored_as(ElementType type) {
  switch (type) {
    case ElementType::kInt64: return ElementType::kInt32;
    case ElementType::kUint64: return ElementType::kUint32;
    default: return type;
  }
}

std::uint64_t room_behind(const Operand& matrix, const Tensor& tensor, std::uint64_t tile) {
  const auto whole = static_cast<std::int64_t>(tile);
  std::int64_t last = matrix.offset;
  for (std::size_t axis = 0; axis < matrix.extents.size(); ++axis) {
    const bool is_tiled = axis + 3 >= matrix.extents.size();
    const std::int64_t extent = matrix.extents[axis];
    const std::int64_t read = is_tiled ? (extent + whole - 1) / whole * whole : extent;
    last += (read - 1) * matrix.strides[axis];
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(last + 1 - element_count(tensor.extents), 0));
}

std::vector<Place> place_tensors(const Network& network, const std::vector<bool>& used,
                                 const std::vector<std::uint64_t>& room, const DataRegion& region) {
  std::vector<Place> places;
  std::uint64_t next = region.begin;
  for (const Tensor& tensor : network.tensors) {
    const ElementType type = stored_as(tensor.type);
    if (!used[places.size()]) {
      places.push_back({type});
      continue;
    }
    const std::uint64_t bytes = bytes_in_memory(tensor, type);
    places.push_back({type, next, bytes, room[places.size()] * bytes_of(type), true});
    next += aligned(bytes + places.back().room);
  }
  if (next <= region.end) return places;
  std::uint64_t constants = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (network.tensors[i].role == Tensor::Role::kConstant) constants += aligned(places[i].bytes);
  throw input::UserError(fmt::format(
      "{}: the network needs {} of memory, {} of it weights; the machine has {} for data. --blocks once places one "
      "of several equal blocks at a time",
      input::printable(network.graph.file), input::size_text(next - region.begin),
      input::size_text(constants), input::size_text(region.end - region.begin)));
}

Constant stored(const Constant& values, ElementType type) {
  if (values.type == type) return values;
  ConstantBuilder builder(type, values.extents);
  for (std::int64_t i = 0; i < values.elements(); ++i) {
    if (is_floating(values.type)) {
      builder.set(i, values.number_at(i));
      continue;
    }
    const std::int64_t value = values.integer_at(i);
    const bool fits = values.type == ElementType::kUint64 ? static_cast<std::uint64_t>(value) <= UINT32_MAX
                                                          : value == static_cast<std::int32_t>(value);
    if (is_wide_integer(values.type) && !fits)
      throw input::UserError(fmt::format("an element is {}; the machine has integers of 32 bits", value));
    builder.set(i, value);
  }
  return std::move(builder).finish();
}

}  // namespace spica::network
