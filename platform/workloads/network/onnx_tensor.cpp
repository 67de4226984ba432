// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/onnx_tensor.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "platform/base/input/number_text.h"
#include "platform/base/input/user_error.h"

namespace spica::network {

namespace fs = std::filesystem;

/// The fields of a TensorProto.
struct OnnxTensorReader::Parts {
  std::string name;
  Extents extents;
  std::uint64_t type = 0;
  std::optional<Span> raw;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::int64_t> integers;
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
  bool is_external = false;

  void read_external(const Span& entry) {
    std::string key, value;
    WireReader reader(entry);
    for (Field field; reader.next(field);) {
      if (field.number == 1) key = field.text();
      if (field.number == 2) value = field.text();
    }
    const auto number = [&] {
      const auto parsed = input::parse_number(value);
      if (!parsed) throw WireError(entry.offset, "external data: " + key + " is not a number");
      return *parsed;
    };
    if (key == "location") location = value;
    if (key == "offset") offset = number();
    if (key == "length") length = number();
  }

  explicit Parts(const Span& message) {
    WireReader reader(message);
    for (Field field; reader.next(field);) {
      switch (field.number) {
        case 1: append_integers(field, extents); break;
        case 2: type = field.unsigned_integer(); break;
        case 4: append_fp32(field, floats); break;
        case 5:
        case 7:
        case 11: append_integers(field, integers); break;
        case 8: name = field.text(); break;
        case 9: raw = field.span(); break;
        case 10: append_fp64(field, doubles); break;
        case 13: read_external(field.span()); break;
        case 14: is_external = field.unsigned_integer() == 1; break;
        default: break;
      }
    }
  }
};

OnnxTensorReader::OnnxTensorReader(std::shared_ptr<const MappedFile> model) : model_(std::move(model)) {}

OnnxTensorReader::Named OnnxTensorReader::read(const Span& message) {
  Parts parts(message);
  Named named;
  named.name = parts.name;
  if (!element_type(parts.type)) {
    named.unsupported_type = parts.type;
    return named;
  }
  try {
    named.constant = constant_of(parts, message);
  } catch (const input::UserError& error) {
    throw WireError(message.offset, error.what());
  }
  return named;
}

std::shared_ptr<const MappedFile> OnnxTensorReader::external_file(const std::string& location,
                                                                  std::uint64_t offset) {
  const fs::path path = location;
  if (location.empty() || location.find('\0') != std::string::npos)
    throw WireError(offset, "external data without a location");
  for (const fs::path& part : path)
    if (path.is_absolute() || part == "..")
      throw WireError(offset, "external data must be in the folder of the model, not " + location);
  std::shared_ptr<const MappedFile>& file = files_[location];
  if (!file) file = std::make_shared<MappedFile>((fs::path(model_->path()).parent_path() / path).string());
  return file;
}

Constant OnnxTensorReader::external(const Parts& parts, ElementType type, const Span& message) {
  Constant constant{type, parts.extents, nullptr, nullptr};
  const std::uint64_t bytes = constant.bytes();
  if (bytes == 0) return constant;
  const std::shared_ptr<const MappedFile> file = external_file(parts.location, message.offset);
  if (parts.length && *parts.length != bytes)
    throw WireError(message.offset, fmt::format("external data of {} bytes for {} bytes of {}", *parts.length,
                                                bytes, extents_text(parts.extents)));
  if (parts.offset > file->size() || bytes > file->size() - parts.offset)
    throw WireError(message.offset,
                    fmt::format("external data at {} + {} bytes is behind the end of {} ({} bytes)",
                                parts.offset, bytes, parts.location, file->size()));
  constant.data = file->data() + parts.offset;
  constant.owner = file;
  return constant;
}

Constant OnnxTensorReader::constant_of(Parts& parts, const Span& message) {
  const ElementType type = *element_type(parts.type);
  if (parts.is_external) return external(parts, type, message);
  const auto count = static_cast<std::uint64_t>(element_count(parts.extents));
  const auto require = [&](std::uint64_t found, std::uint64_t expected, const char* unit) {
    if (found != expected)
      throw WireError(message.offset, fmt::format("{} {} for {} elements of {} ({})", found, unit, count,
                                                  name_of(type), extents_text(parts.extents)));
  };
  Constant constant{type, parts.extents, nullptr, nullptr};
  if (parts.raw) {
    require(parts.raw->size, count * bytes_of(type), "bytes");
    constant.data = parts.raw->data;
    constant.owner = model_;
    return constant;
  }
  const bool single = type == ElementType::kFp32, wide = type == ElementType::kFp64;
  require(single ? parts.floats.size()
          : wide ? parts.doubles.size()
                 : parts.integers.size(),
          count, "numbers");
  const bool coded = is_floating(type) && !single && !wide;  // FP16, BF16, FP8: their bits as integers
  if (coded)
    parts.type = static_cast<std::uint64_t>(bytes_of(type) == 2 ? ElementType::kUint16 : ElementType::kUint8);
  ConstantBuilder builder(*element_type(parts.type), parts.extents);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (single) builder.set(index, double{parts.floats[i]});
    else if (wide) builder.set(index, parts.doubles[i]);
    else builder.set(index, parts.integers[i]);
  }
  constant = std::move(builder).finish();
  constant.type = type;
  return constant;
}

}  // namespace spica::network
