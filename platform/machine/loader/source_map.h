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
  std::string function;  // short name from the debug information, else the demangled symbol
  /// As the debug information has it, relative to the compilation folder when it lies below that.
  /// The kernels of this repository are compiled with -ffile-prefix-map, so theirs are
  /// repository-relative.
  std::string file;
  unsigned line = 0;

  /// "kernel.cpp:12", "" when unknown; the file with its folders when `full`.
  std::string place(bool full = true) const;
};

/// Where an instruction comes from.
struct Location {
  Frame frame;                      // innermost, that is the inlined function if there is one
  std::vector<Frame> inlined_into;  // the callers into which it was inlined, innermost first
  std::uint64_t offset = 0;         // bytes since the start of the outermost function
};

/// A member of a structure, or of one inside it ("size.m"); of an array each element ("sizes[2]").
struct Member {
  enum class Kind : std::uint8_t { kUnsigned, kSigned, kFloat, kOther };
  std::string name;
  std::uint64_t offset = 0, bytes = 0;
  Kind kind = Kind::kOther;  // kOther: a union, or something that is not known
};

/// A structure with its members in their order; none: no structure, or the program has no debug information about it.
struct Structure {
  std::vector<Member> members;
  std::uint64_t bytes = 0;
};

/// The type of a variable: elements of `bytes` bytes each, in an array of `shape` (none: a single one; rows first).
struct VariableType {
  Member::Kind kind =
      Member::Kind::kOther;  // of an element; kOther: a structure, or something without a name
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> shape;
};

class DwarfReader;

/// What to say of a name for which SourceMap::is_left_out() is true, behind the name.
inline constexpr const char* kLeftOut =
    "is in the source, but the linker left it out, because nothing in the program uses it: use it, or mark it "
    "[[gnu::used, gnu::retain]]";

/// Finds source lines and functions of program counters, through DWARF when the program has it and
/// through its symbols otherwise. Reads nothing before the first question; asking for the same pc
/// again is cheap. Damaged debug information is treated as absent. The program must outlive the map.
class SourceMap {
 public:
  explicit SourceMap(const Program& program);
  ~SourceMap();
  SourceMap(const SourceMap&) = delete;
  SourceMap& operator=(const SourceMap&) = delete;

  /// Adds another program, at other addresses, to those in which lookup() finds lines and functions. It must outlive
  /// the map.
  void add(const Program& program);

  /// The reference stays valid as long as the map.
  const Location& lookup(std::uint64_t pc) const;

  /// The function symbol that covers pc; nullptr when none does. A symbol without size reaches to
  /// the next.
  const Symbol* function_at(std::uint64_t pc) const;

  /// The symbol of that name in the file or, when unique, of that demangled name with or without
  /// its parameters; nullptr when there is none.
  const Symbol* find_symbol(const std::string& name) const;
  /// Whether the source defines a variable or function of that name, and the linker left it out.
  bool is_left_out(const std::string& name) const;

  /// First addresses of the pieces of code made for a line, ascending. `file` may be the end of the
  /// path: "main.cpp" or "gemm/main.cpp".
  std::vector<std::uint64_t> addresses_of(const std::string& file, unsigned line) const;

  bool has_line_information() const;

  /// Members of the variable at that address.
  Structure structure_at(std::uint64_t address) const;
  /// What the first parameter of the function that begins at that address points to.
  Structure parameter_of(std::uint64_t function) const;

  /// Type of the variable at that address, if debug information has it. The first length of an array is 0 where
  /// only another file knows it.
  std::optional<VariableType> type_at(std::uint64_t address) const;

  const Program& program() const { return program_; }

 private:
  const DwarfReader& dwarf() const;

  const Program& program_;
  std::vector<const Symbol*> functions_;  // by address
  std::unique_ptr<SourceMap> other_;
  mutable std::unique_ptr<DwarfReader> dwarf_;  // made by the first question
  mutable std::unordered_map<std::uint64_t, Location> found_;  // never iterated
};

/// "gemm(int, float*)" for "_Z4gemmiPf"; other names, and those that would become extremely long, as
/// they are.
std::string demangle(const std::string& symbol);

}  // namespace spica::loader
