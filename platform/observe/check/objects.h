// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/loader/program.h"

namespace spica::check {

/// The memory layout of a program, from its sections and symbols.
class Objects {
 public:
  struct Range {
    std::string name;
    std::uint64_t begin = 0, end = 0;
    bool contains(std::uint64_t at) const { return at >= begin && at < end; }
  };
  /// `before`: the last object that begins at or before an address in `data`; nullptr if unknown. An address after its
  /// end is in the alignment padding before the next object. For constants, which may lack symbols: the object that
  /// contains the address, or nullptr.
  struct Place {
    const Range* before = nullptr;
    bool inside = false;
  };

  explicit Objects(const loader::Program& program);
  /// Adds another program at other addresses.
  void add(const loader::Program& program);

  /// The read-only section that contains the address; nullptr: none.
  const Range* read_only(std::uint64_t address) const;
  Place place(std::uint64_t address) const;
  /// The end of the last object; operands, stacks and the heap follow.
  std::uint64_t end() const { return end_; }

 private:
  void read_sections(const loader::Program& program);
  void read_symbols(const loader::Program& program);
  void sort();

  std::vector<Range> read_only_, data_;  // sections
  std::vector<Range> objects_;  // of both, by address
  std::uint64_t end_ = 0;
  std::vector<std::uint64_t> marks_;  // symbols without a size: the end of their object is unknown
};

}  // namespace spica::check
