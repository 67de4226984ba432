// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "models/numeric/convert.h"
#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/workloads/npy_header.h"

namespace spica::workloads {

namespace {

/// A type of numpy or ml_dtypes.
struct Type {
  const char* descr;
  Element element;
};
constexpr Type kTypes[] = {{"<f4", Element::kFp32},           {"<f2", Element::kFp16},
                           {"|i1", Element::kInt8},           {"|u1", Element::kUint8},
                           {"<i4", Element::kInt32},          {"bfloat16", Element::kBf16},
                           {"float8_e4m3fn", Element::kE4m3}, {"float8_e5m2", Element::kE5m2},
                           {"<f1", Element::kE5m2},  // by older versions of ml_dtypes
                           {"float6_e3m2fn", Element::kE3m2}, {"float6_e2m3fn", Element::kE2m3},
                           {"float4_e2m1fn", Element::kE2m1}, {"int4", Element::kInt4},
                           {"uint4", Element::kUint4}};

/// Bytes of an element: as many as numpy gives it.
unsigned bytes_of(Element element) { return (numeric::info(element).stored_bits + 7) / 8; }

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw input::UserError(fmt::format("{}: {}", path, why));
}

/// Rows and columns of a matrix, or of a row.
std::array<std::uint64_t, 2> shape_of(const std::string& path, const NpyHeader& header, bool is_row) {
  if (is_row) {
    if (header.extents.size() != 1) refuse(path, "does not have one dimension, as a vector must");
    return {1, header.extents[0]};
  }
  if (header.extents.size() != 2) refuse(path, "does not have two dimensions, as a matrix must");
  return {header.extents[0], header.extents[1]};
}

/// The element of a type; nothing for the bytes without a name of an element of `unnamed`.
std::optional<Element> element_of(const std::string& path, const std::string& descr, Element unnamed) {
  for (const Type& type : kTypes)
    if (descr == type.descr) return type.element;
  const bool is_void = descr.size() == 3 && (descr[0] == '<' || descr[0] == '|') && descr[1] == 'V';
  if (is_void && descr[2] == static_cast<char>('0' + bytes_of(unnamed))) return std::nullopt;
  std::vector<std::string> known;
  for (const Type& type : kTypes) known.emplace_back(type.descr);
  refuse(path,
         is_void ? fmt::format(
                       "has unnamed elements of {} bytes (numpy.save of ml_dtypes); an element of {} has {}",
                       descr.substr(2), numeric::info(unnamed).key, bytes_of(unnamed))
                 : fmt::format("has elements of type '{}'; known are {}: save array.astype(\"f4\")",
                               input::printable(descr), fmt::join(known, ", ")));
}

}  // namespace

namespace {

NpyMatrix read(const std::string& path, Element unnamed, bool is_row) {
  const std::vector<unsigned char> bytes = input::read_file(path);
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const NpyHeader header = read_npy_header(path, file);
  const auto [rows, columns] = shape_of(path, header, is_row);
  NpyMatrix matrix;
  matrix.element = element_of(path, header.descr, unnamed);
  const Element element = matrix.element.value_or(unnamed);
  const std::uint64_t count = rows * columns, width = bytes_of(element);
  if (count == 0) refuse(path, "has no elements");
  if (file.size() - header.end != count * width)
    refuse(path, fmt::format("has {} bytes of numbers; {} x {} numbers need {}", file.size() - header.end,
                             rows, columns, count * width));
  matrix.rows = static_cast<std::uint32_t>(rows);
  matrix.columns = static_cast<std::uint32_t>(columns);
  matrix.values.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t code = 0;
    std::memcpy(&code, bytes.data() + header.end + i * width, width);
    const std::uint64_t at = header.fortran_order ? i % rows * columns + i / rows : i;
    matrix.values[at] = element == Element::kInt32 ? static_cast<float>(static_cast<std::int32_t>(code))
                                                   : numeric::value_of(element, code);
  }
  return matrix;
}

}  // namespace

NpyMatrix read_npy(const std::string& path, Element unnamed) { return read(path, unnamed, false); }
NpyMatrix read_npy_row(const std::string& path, Element unnamed) { return read(path, unnamed, true); }

std::vector<unsigned char> npy_file(std::uint32_t rows, std::uint32_t columns, Element element,
                                    const std::vector<unsigned char>& numbers) {
  const auto* const type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                        [&](const Type& one) { return one.element == element; });
  const bool is_own = type->descr[0] == '<' || type->descr[0] == '|';
  const std::string descr = is_own ? type->descr : fmt::format("<V{}", bytes_of(element));
  const std::string start = npy_header(descr, {rows, columns});
  std::vector<unsigned char> file(start.begin(), start.end());
  file.insert(file.end(), numbers.begin(), numbers.end());
  return file;
}

}  // namespace spica::workloads
