// SPDX-License-Identifier: Apache-2.0
// Known findings that the user does not want reported again: the files of --suppress.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/loader/source_map.h"

namespace spica::check {

/// The properties of a finding that a suppression matches, for any check.
struct Signature {
  using Side = std::vector<loader::Frame>;  // from the innermost function to the outermost
  std::string kind;                         // as in the check's JSON file
  std::vector<Side> sides;                  // one or two places in the program; may be empty
  std::string symbol;  // object or buffer that the memory lies in; may be empty
};

/// The signature's line in a suppression file: kind, and function and file:line of each side.
std::string suppression_line(const Signature& signature);

/// Entries of suppression files, and how often each was used.
///
/// A file has one entry per line; `#` starts a comment. The first word is the kind of a finding or
/// `*`, the others are KEY=VALUE and must all hold:
///
///   race  function=poll  file=queue.cpp:12-20  symbol=head
///
/// `function` is the name of a function on either side, inlined or not; `file` is the end of a
/// path, with a line or lines if wanted; `symbol` is the object that the memory lies in. `*` and
/// `?` are wildcards in all of them. Values with spaces go in double quotes. `function` and
/// `file` may be given twice: then one holds for each side.
class Suppressions {
 public:
  /// Reads `files`. `kinds`: those that findings can have. Throws UserError with all problems of
  /// all files, one line each: file, line, what is wrong and what is allowed.
  Suppressions(const std::vector<std::string>& files, std::vector<std::string> kinds);
  Suppressions() = default;

  /// Whether an entry covers the finding; counts it for the first that does. `times`: how often the
  /// finding happened.
  bool covers(const Signature& signature);

  /// The suppressed findings, and entries that matched none; "" without entries. `active`: kinds of the checks that
  /// ran; entries for other kinds do not count as unused.
  std::string summary(const std::vector<std::string>& active) const;
  /// Findings suppressed so far.
  std::uint64_t count() const { return count_; }

 private:
  /// Some lines of a file, or all.
  struct FilePattern {
    std::string path;
    unsigned first = 0, last = ~0u;
  };
  struct Entry {
    std::string file;  // of suppressions
    unsigned line = 0;
    std::string text;
    std::string kind;
    std::vector<std::string> functions;  // two at most, like files
    std::vector<FilePattern> files;
    std::string symbol;
    std::uint64_t used = 0;
  };

  void read(const std::string& file, std::vector<std::string>& problems);
  void parse(const std::string& text, Entry entry, std::vector<std::string>& problems);
  static bool holds(const Entry& entry, const Signature& signature);

  std::vector<std::string> kinds_;
  std::vector<Entry> entries_;
  std::uint64_t count_ = 0;
};

}  // namespace spica::check
