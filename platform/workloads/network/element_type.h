// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spica::network {

/// Element types of tensors. The values are those of TensorProto.DataType (onnx.proto).
enum class ElementType : std::uint8_t {
  kUnknown = 0,
  kFp32 = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kBool = 9,  // a byte, 0 or 1
  kFp16 = 10,
  kFp64 = 11,
  kUint32 = 12,
  kUint64 = 13,
  kBf16 = 16,
  kFp8E4m3fn = 17,
  kFp8E5m2 = 19,
};

/// The supported type with this number in a file; empty: none.
std::optional<ElementType> element_type(std::uint64_t number);
/// "fp32", "int8", "bool".
std::string_view name_of(ElementType type);
/// The name of any TensorProto.DataType, also of unsupported ones: "string", "type 99".
std::string type_text(std::uint64_t number);
/// Bytes of an element; 0 for kUnknown.
std::size_t bytes_of(ElementType type);
bool is_floating(ElementType type);

}  // namespace spica::network
