// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/loader/program.h"
#include "platform/observe/check/matrix_layout.h"

namespace spica::check {

/// Named ranges of global memory: objects of the program, operands, loaded files.
class Buffers {
 public:
  struct Buffer {
    std::string name;
    std::uint64_t address = 0, bytes = 0;
    MatrixLayout matrix;
    bool contains(std::uint64_t at) const { return at - address < bytes; }
  };

  explicit Buffers(const loader::Program& program) { add(program); }

  /// Adds the objects of a program.
  void add(const loader::Program& program);
  void add(const std::string& name, std::uint64_t address, std::uint64_t bytes, MatrixLayout matrix = {});
  /// Of the ranges that contain the address, the one that starts last; nullptr: none.
  const Buffer* find(std::uint64_t address) const;

 private:
  std::vector<Buffer> all_;
};

}  // namespace spica::check
