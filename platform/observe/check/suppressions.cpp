// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/suppressions.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "models/base/suggest.h"
#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"

namespace spica::check {

namespace {

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

/// The pattern is for the end of the path, from the beginning of a folder's or the file's name on.
bool matches_path(const std::string& pattern, const std::string& path) {
  return matches(pattern, path) || matches("*/" + pattern, path);
}

/// Words of a line, those with spaces in double quotes; nothing when a quote is not closed.
std::optional<std::vector<std::string>> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
      if (!inside) words.emplace_back();
      inside = true;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
      inside = false;
    } else if (!quoted && !inside && c == '#') {
      break;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  return words;
}

/// A line number, 1 or more.
std::optional<unsigned> line_number(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  const auto value = static_cast<unsigned>(std::stoul(text));
  return value == 0 ? std::nullopt : std::optional(value);
}

std::string quoted(const std::string& value) {
  return value.find_first_of(" \t#") == std::string::npos ? value : '"' + value + '"';
}

/// Each pattern holds for a side of its own; a single one for any side.
template <class Pattern, class Holds>
bool cover_sides(const std::vector<Pattern>& patterns, const std::vector<Signature::Side>& sides,
                 const Holds& holds) {
  if (patterns.empty()) return true;
  if (patterns.size() == 1)
    return std::any_of(sides.begin(), sides.end(),
                       [&](const Signature::Side& side) { return holds(patterns[0], side); });
  return sides.size() == 2 && ((holds(patterns[0], sides[0]) && holds(patterns[1], sides[1])) ||
                               (holds(patterns[1], sides[0]) && holds(patterns[0], sides[1])));
}

}  // namespace

std::string suppression_line(const Signature& signature) {
  std::string text = signature.kind;
  for (const Signature::Side& side : signature.sides) {
    if (side.empty()) continue;
    const loader::Frame& frame = side.front();
    if (!frame.function.empty()) text += " function=" + quoted(frame.function);
    if (!frame.file.empty()) text += " file=" + quoted(frame.place());
  }
  if (!signature.symbol.empty()) text += " symbol=" + quoted(signature.symbol);
  return text;
}

Suppressions::Suppressions(const std::vector<std::string>& files, std::vector<std::string> kinds)
    : kinds_(std::move(kinds)) {
  std::vector<std::string> problems;
  for (const std::string& file : files) read(file, problems);
  if (!problems.empty()) throw input::UserError(fmt::format("{}", fmt::join(problems, "\n")));
}

void Suppressions::read(const std::string& file, std::vector<std::string>& problems) {
  std::vector<unsigned char> bytes;
  try {
    bytes = input::read_file(file);
  } catch (const input::UserError& error) {
    problems.emplace_back(error.what());
    return;
  }
  std::istringstream lines(std::string(bytes.begin(), bytes.end()));
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    Entry entry;
    entry.file = file;
    entry.line = ++number;
    parse(line, std::move(entry), problems);
  }
}

void Suppressions::parse(const std::string& text, Entry entry, std::vector<std::string>& problems) {
  bool good = true;
  const auto wrong = [&](const std::string& what) {
    problems.push_back(fmt::format("{}:{}: {}", entry.file, entry.line, what));
    good = false;
  };
  const auto words = words_of(text);
  if (!words) return wrong("a quote is not closed");
  if (words->empty()) return;
  entry.text = fmt::format("{}", fmt::join(*words, " "));
  entry.kind = words->front();
  if (entry.kind != "*" && std::find(kinds_.begin(), kinds_.end(), entry.kind) == kinds_.end())
    wrong(fmt::format("\"{}\" is not a kind of finding{}; allowed: *, {}", entry.kind,
                      base::did_you_mean(entry.kind, kinds_), fmt::join(kinds_, ", ")));
  if (words->size() == 1 && entry.kind == "*")
    wrong("suppresses everything: give a function, a file or a symbol");
  for (auto word = words->begin() + 1; word != words->end(); ++word) {
    const std::size_t equals = word->find('=');
    const std::string key = word->substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word->substr(equals + 1);
    if (key != "function" && key != "file" && key != "symbol") {
      wrong(fmt::format("\"{}\" is not known{}; allowed: function=NAME, file=PATH[:LINE[-LINE]], symbol=NAME",
                        *word, base::did_you_mean(key, {"function", "file", "symbol"})));
    } else if (value.empty()) {
      wrong(fmt::format("{} has no value", key));
    } else if (key == "symbol") {
      if (!entry.symbol.empty()) wrong("symbol is given twice: a finding is about one object");
      entry.symbol = value;
    } else if (key == "function") {
      entry.functions.push_back(value);
      if (entry.functions.size() == 3) wrong("function is given three times: a finding has two sides");
    } else {
      FilePattern pattern{value};
      if (const std::size_t colon = value.rfind(':'); colon != std::string::npos) {
        const std::string lines = value.substr(colon + 1);
        const std::size_t dash = lines.find('-');
        const auto first = line_number(lines.substr(0, dash));
        const auto last = dash == std::string::npos ? first : line_number(lines.substr(dash + 1));
        if (!first || !last || *last < *first)
          wrong(
              fmt::format("\"{}\" is not a line or a range of lines; allowed: file=a.cpp:12 or "
                          "file=a.cpp:12-20",
                          lines));
        else pattern = {value.substr(0, colon), *first, *last};
      }
      entry.files.push_back(pattern);
      if (entry.files.size() == 3) wrong("file is given three times: a finding has two sides");
    }
  }
  if (good) entries_.push_back(std::move(entry));
}

bool Suppressions::holds(const Entry& entry, const Signature& signature) {
  if (entry.kind != "*" && entry.kind != signature.kind) return false;
  if (!entry.symbol.empty() && !matches(entry.symbol, signature.symbol)) return false;
  const auto any_frame = [](const Signature::Side& side, const auto& holds) {
    return std::any_of(side.begin(), side.end(), holds);
  };
  return cover_sides(entry.functions, signature.sides,
                     [&](const std::string& name, const Signature::Side& side) {
                       return any_frame(side,
                                        [&](const loader::Frame& f) { return matches(name, f.function); });
                     }) &&
         cover_sides(entry.files, signature.sides, [&](const FilePattern& file, const Signature::Side& side) {
           return any_frame(side, [&](const loader::Frame& f) {
             return f.line >= file.first && f.line <= file.last && matches_path(file.path, f.file);
           });
         });
}

bool Suppressions::covers(const Signature& signature) {
  for (Entry& entry : entries_) {
    if (!holds(entry, signature)) continue;
    ++entry.used;
    ++count_;
    return true;
  }
  return false;
}

std::string Suppressions::summary(const std::vector<std::string>& active) const {
  if (entries_.empty()) return {};
  std::string text = fmt::format("suppressed: {} finding{}\n", count_, count_ == 1 ? "" : "s");
  for (const Entry& entry : entries_) {
    const bool looked_for =
        entry.kind == "*" || std::find(active.begin(), active.end(), entry.kind) != active.end();
    if (entry.used != 0)
      text += fmt::format("  {}x {}:{}: {}\n", entry.used, entry.file, entry.line, entry.text);
    else if (looked_for) text += fmt::format("  unused: {}:{}: {}\n", entry.file, entry.line, entry.text);
  }
  return text;
}

}  // namespace spica::check
