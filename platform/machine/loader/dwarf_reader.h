// SPDX-License-Identifier: Apache-2.0
// The part of the source map that uses libdw.
#pragma once

#include <elfutils/libdw.h>
#include <libelf.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// Debug information of one program. If it is missing or damaged, every answer is empty.
class DwarfReader {
 public:
  explicit DwarfReader(const Program& program);
  ~DwarfReader();
  DwarfReader(const DwarfReader&) = delete;
  DwarfReader& operator=(const DwarfReader&) = delete;

  bool has_lines() const { return !units_.empty(); }
  /// Sets frame and inlined_into as far as known.
  void describe(std::uint64_t pc, Location& location) const;
  /// Addresses of the statements that begin on a line, ascending, no duplicates.
  std::vector<std::uint64_t> addresses_of(const std::string& file, unsigned line) const;
  Structure structure_at(std::uint64_t address) const;
  Structure parameter_of(std::uint64_t function) const;
  std::optional<VariableType> type_at(std::uint64_t address) const;
  /// Whether the source defines a variable or a function of that name outside of functions.
  bool defines(const std::string& name) const;

 private:
  struct Unit {
    enum class State : std::uint8_t { kUnknown, kSound, kDamaged };
    Dwarf_Die die;
    std::string folder;  // DW_AT_comp_dir
    State state;         // of all entries; determined by the first query
  };
  static bool is_usable(Unit& unit);
  /// The first variable at that address; `type` is its type. False: there is none.
  bool find_type(std::uint64_t address, Dwarf_Die& type) const;
  static std::string relative(const char* file, const std::string& folder);

  std::vector<unsigned char> image_;  // writable, because libelf requires it
  ::Elf* elf_ = nullptr;
  ::Dwarf* dwarf_ = nullptr;
  mutable std::vector<Unit> units_;
};

}  // namespace spica::loader
