// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/element_type.h"

#include <array>

#include <fmt/format.h>

namespace spica::network {

namespace {

struct TypeRow {
  std::string_view name;
  std::size_t bytes;  // 0: not supported
  bool floating;
};

/// By TensorProto.DataType. The names of unsupported types are those of onnx.proto.
constexpr std::array<TypeRow, 24> kTypes{{
    {"undefined", 0, false},     {"fp32", 4, true},     {"uint8", 1, false},
    {"int8", 1, false},          {"uint16", 2, false},  {"int16", 2, false},
    {"int32", 4, false},         {"int64", 8, false},   {"string", 0, false},
    {"bool", 1, false},          {"fp16", 2, true},     {"fp64", 8, true},
    {"uint32", 4, false},        {"uint64", 8, false},  {"complex64", 0, true},
    {"complex128", 0, true},     {"bf16", 2, true},     {"fp8_e4m3fn", 1, true},
    {"float8e4m3fnuz", 0, true}, {"fp8_e5m2", 1, true}, {"float8e5m2fnuz", 0, true},
    {"uint4", 0, false},         {"int4", 0, false},    {"float4e2m1", 0, true},
}};

}  // namespace

std::optional<ElementType> element_type(std::uint64_t number) {
  if (number >= kTypes.size() || kTypes[number].bytes == 0) return std::nullopt;
  return static_cast<ElementType>(number);
}

std::string_view name_of(ElementType type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::string type_text(std::uint64_t number) {
  return number < kTypes.size() ? std::string(kTypes[number].name) : fmt::format("type {}", number);
}

std::size_t bytes_of(ElementType type) { return kTypes[static_cast<std::size_t>(type)].bytes; }

bool is_floating(ElementType type) { return kTypes[static_cast<std::size_t>(type)].floating; }

}  // namespace spica::network
