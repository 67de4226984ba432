// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/loader/program.h"

namespace spica::check {

/// What a program's sections and symbols say about its memory.
class Objects {
 public:
  struct Range {
    std::string name;
    std::uint64_t begin = 0, end = 0;
    bool contains(std::uint64_t at) const { return at >= begin && at < end; }
  };
  /// `before`: the last object that begins at or before an address in `data`; null where nothing is known of the
  /// address. Outside it: the address is in the padding that aligns the next object. Among constants, where compilers
  /// put some without a symbol: the object that has the address, or null.
  struct Place {
    const Range* before = nullptr;
    bool inside = false;
  };

  explicit Objects(const loader::Program& program);

  /// The section without permission to write that has the address; null: none.
  const Range* read_only(std::uint64_t address) const;
  Place place(std::uint64_t address) const;
  /// Where the last object ends: operands, stacks and the heap are behind it.
  std::uint64_t end() const { return end_; }

 private:
  void read_sections(const loader::Program& program);
  void read_symbols(const loader::Program& program);

  std::vector<Range> read_only_, data_;  // sections
  std::vector<Range> objects_;  // of both, by address
  std::uint64_t end_ = 0;
  std::vector<std::uint64_t> marks_;  // symbols without a size there: what follows them has no known end
};

}  // namespace spica::check
