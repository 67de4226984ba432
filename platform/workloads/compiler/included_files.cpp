// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/included_files.h"

#include <map>
#include <set>
#include <string>

#include "platform/base/input/regular_file.h"
#include "platform/base/text/pattern.h"

namespace spica::compiler {

namespace fs = std::filesystem;

namespace {

class Closure {
 public:
  explicit Closure(const std::vector<fs::path>& folders) : folders_(folders) {}

  std::vector<fs::path> of(const fs::path& source) {
    visit(source);
    read_all();
    for (const std::string& macro : computed_) {
      const auto [first, last] = defined_.equal_range(macro);
      if (first == last) add_all_below(source.parent_path());
      for (auto at = first; at != last; ++at) find(at->second.first, at->second.second, true);
    }
    read_all();  // what computed names have added
    return files_;
  }

 private:
  void visit(const fs::path& file) {
    std::error_code ignored;
    const fs::path canonical = fs::weakly_canonical(file, ignored);
    if (seen_.insert(canonical).second) files_.push_back(canonical);
  }

  void read_all() {
    std::size_t next = 0;
    while (next < files_.size()) read(fs::path(files_[next++]));  // a copy: their list grows meanwhile
  }

  /// All of that name, not only the first: include_next means another one.
  void find(const fs::path& including, const std::string& name, bool beside) {
    std::error_code ignored;
    if (beside && fs::is_regular_file(including.parent_path() / name, ignored))
      visit(including.parent_path() / name);
    for (const fs::path& folder : folders_)
      if (fs::is_regular_file(folder / name, ignored)) visit(folder / name);
  }

  void read(const fs::path& file) {
    if (!read_.insert(file).second) return;
    // Also in lines that are continued, and in strings of inline assembly.
    static const text::Pattern directive(
        R"re((?:#[ \t]*(?:include|include_next|import|embed)[ \t]*|\.(?:include|incbin)[ \t]*\\?)(?:(["<])([^">\\\n]+)|([A-Za-z_]\w*)))re");
    static const text::Pattern definition(R"re(#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+["<]([^">\n]+)[">])re");
    const std::string content = input::read_regular_file(file.string(), 16 * input::kMiB).text();
    for (const text::Pattern::Groups& found : directive.search_all(content))
      if (!found[3].empty()) computed_.insert(found[3]);
      else find(file, found[2], found[1] == "\"");
    for (const text::Pattern::Groups& found : definition.search_all(content))
      defined_.emplace(found[1], std::pair(file, found[2]));
  }

  void add_all_below(const fs::path& folder) {
    std::error_code error;
    for (fs::recursive_directory_iterator next(folder, error), end; !error && next != end;
         next.increment(error)) {
      const std::string kind = next->path().extension().string();
      if (kind == ".h" || kind == ".hpp" || kind == ".hh" || kind == ".hxx" || kind == ".inc" ||
          kind == ".def")
        visit(next->path());
    }
  }

  const std::vector<fs::path>& folders_;
  std::vector<fs::path> files_;
  std::set<fs::path> seen_, read_;
  std::set<std::string> computed_;  // names of macros that represent a header
  std::multimap<std::string, std::pair<fs::path, std::string>> defined_;  // macros whose value is a text
};

}  // namespace

std::vector<fs::path> included_files(const fs::path& source, const std::vector<fs::path>& folders) {
  return Closure(folders).of(source);
}

std::vector<fs::path> files_of_rule(const std::string& rule) {
  std::vector<fs::path> files;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty() && word.back() != ':') files.emplace_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const char c = rule[i], next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (c == '\\' && next == '\n') {
      end_word();
      ++i;
    } else if ((c == '\\' && (next == ' ' || next == '#' || next == '\\')) || (c == '$' && next == '$')) {
      word += next;
      ++i;
    } else if (c == ' ' || c == '\n') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return files;
}

}  // namespace spica::compiler
