// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/workloads/network/mapped_file.h"
#include "platform/workloads/network/tensor.h"
#include "platform/workloads/network/wire_reader.h"

namespace spica::network {

/// Reads TensorProto messages of one model file.
class OnnxTensorReader {
 public:
  explicit OnnxTensorReader(std::shared_ptr<const MappedFile> model);

  struct Named {
    std::string name;
    Constant constant;
    std::uint64_t unsupported_type = 0;  // TensorProto.DataType; then `constant` is empty
  };
  /// Throws WireError: damaged, bytes missing, more bytes than extents, external file not readable.
  Named read(const Span& message);

 private:
  struct Parts;
  Constant constant_of(Parts& parts, const Span& message);
  Constant external(const Parts& parts, ElementType type, const Span& message);
  std::shared_ptr<const MappedFile> external_file(const std::string& location, std::uint64_t offset);

  std::shared_ptr<const MappedFile> model_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;  // by location
};

}  // namespace spica::network
