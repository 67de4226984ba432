// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/machine/loader/program.h"

namespace spica::loader {

/// A line of source in a function. Empty strings and line 0 mean unknown; names are printable.
struct Frame {
  std::string function;  // short name from the debug information, otherwise the demangled symbol
  /// The path in the debug information, relative to the compilation folder if it lies below it. Kernels of this
  /// repository are compiled with -ffile-prefix-map, so their paths are relative to the repository.
  std::string file;
  unsigned line = 0;

  /// "kernel.cpp:12", "" if unknown; with folders if `full`.
  std::string place(bool full = true) const;
};

/// The source of an instruction.
struct Location {
  Frame frame;  // innermost frame: the inlined function, if any
  std::vector<Frame> inlined_into;  // the callers into which it was inlined, innermost first
  std::uint64_t offset = 0;  // bytes since the start of the outermost function
};

/// A member of a structure, nested ones included ("size.m"); each element of an array is one ("sizes[2]").
struct Member {
  enum class Kind : std::uint8_t { kUnsigned, kSigned, kFloat, kOther };
  std::string name;
  std::uint64_t offset = 0, bytes = 0;
  Kind kind = Kind::kOther;  // kOther: a union or unknown
};

/// A structure with its members in order; empty: not a structure, or no debug information about it.
struct Structure {
  std::vector<Member> members;
  std::uint64_t bytes = 0;
};

/// The type of a variable: elements of `bytes` bytes each, in an array of `shape` (rows first; empty: a single
/// element).
struct VariableType {
  Member::Kind kind =
      Member::Kind::kOther;  // kind of an element; kOther: a structure, or a type without a name
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> shape;
};

class DwarfReader;

/// Explanation to append to a name for which SourceMap::is_left_out() is true.
inline constexpr const char* kLeftOut =
    "is in the source, but the linker left it out, because nothing in the program uses it: use it, or mark it "
    "[[gnu::used, gnu::retain]]";

/// Finds source lines and functions of program counters, by DWARF if the program has it, otherwise by its symbols.
/// Reads nothing before the first query; repeated queries for a pc are cheap. Damaged debug information is treated as
/// absent. The program must outlive the map.
class SourceMap {
 public:
  explicit SourceMap(const Program& program);
  ~SourceMap();
  SourceMap(const SourceMap&) = delete;
  SourceMap& operator=(const SourceMap&) = delete;

  /// Adds another program at other addresses, so that lookup() finds its lines and functions also. It must outlive the
  /// map, or be removed. Returns the map of that program alone.
  const SourceMap& add(const Program& program);
  /// Removes a program that was added; references from lookup() to its source become invalid.
  void remove(const Program& program);

  /// The source of `pc`. The reference stays valid as long as the map, or until remove().
  const Location& lookup(std::uint64_t pc) const;

  /// The function symbol that covers pc; nullptr if none does. A symbol without size extends to the next.
  const Symbol* function_at(std::uint64_t pc) const;

  /// The symbol of that name in the file; or the only one with that demangled name, with or without parameters; nullptr
  /// if there is none.
  const Symbol* find_symbol(const std::string& name) const;
  /// True if the source defines a variable or function of that name that the linker removed.
  bool is_left_out(const std::string& name) const;

  /// First addresses of the code ranges of a line, ascending. `file` may be the end of a path: "main.cpp" or
  /// "gemm/main.cpp".
  std::vector<std::uint64_t> addresses_of(const std::string& file, unsigned line) const;

  bool has_line_information() const;

  /// Members of the variable at that address.
  Structure structure_at(std::uint64_t address) const;
  /// The structure to which the first parameter of the function at that address points.
  Structure parameter_of(std::uint64_t function) const;

  /// Type of the variable at that address, if the debug information has it. The first array length is 0 if only another
  /// file knows it.
  std::optional<VariableType> type_at(std::uint64_t address) const;

  const Program& program() const { return program_; }

 private:
  const DwarfReader& dwarf() const;

  const Program& program_;
  std::vector<const Symbol*> functions_;  // by address
  std::vector<std::unique_ptr<SourceMap>> others_;
  mutable std::unique_ptr<DwarfReader> dwarf_;  // created by the first query
  mutable std::unordered_map<std::uint64_t, Location> found_;  // never iterated
};

/// "gemm(int, float*)" for "_Z4gemmiPf"; other names, and those that would become extremely long, are returned
/// unchanged.
std::string demangle(const std::string& symbol);

}  // namespace spica::loader
