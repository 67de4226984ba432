// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/cc_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace spica::compiler {

namespace {

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view word) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

constexpr std::array<std::string_view, 26> kWithValue = {
    "-I",  "-D",  "-U",  "-include", "-imacros", "-isystem",    "-iquote",        "-idirafter", "-x",
    "-MF", "-MT", "-MQ", "-Xclang",  "-Xlinker", "-Xassembler", "-Xpreprocessor", "-mllvm",     "-T",
    "-L",  "-l",  "-u",  "-z",       "-e",       "-target",     "--param",        "-isysroot"};
constexpr std::array<std::string_view, 6> kNoLink = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"};

bool starts(std::string_view word, std::string_view with) { return word.substr(0, with.size()) == with; }

/// "PLATFORM_SHARED_SIZE=131072" -> "0x20000"; anything that is not a number stays as it is.
void take_define(CcWords& about, std::string_view define) {
  constexpr std::string_view kName = "PLATFORM_SHARED_SIZE=";
  if (!starts(define, kName)) return;
  const std::string value(define.substr(kName.size()));
  char* end = nullptr;
  const unsigned long long size = std::strtoull(value.c_str(), &end, 0);
  about.shared_size = *end == '\0' || *end == 'u' || *end == 'U' ? fmt::format("{:#x}", size) : value;
}

void take_option(CcWords& about, std::string_view word) {
  if (is_one_of(kNoLink, word)) about.links = false;
  if (starts(word, "-O")) about.optimisation = word;
  if (starts(word, "-flto")) about.link_time = word;
  if (word == "-fno-lto") about.link_time.clear();
  if (starts(word, "-T") && !starts(word, "-Tdata") && !starts(word, "-Ttext") && !starts(word, "-Tbss"))
    about.has_linker_script = true;
  if (starts(word, "-x")) about.has_language = true;
  if (starts(word, "-D")) take_define(about, word.substr(2));
}

}  // namespace

CcWords look_at(const std::vector<std::string>& words) {
  CcWords about;
  std::size_t sources = 0, c_sources = 0, others = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() > 1 && word[0] == '-') {
      take_option(about, word);
      if (is_one_of(kWithValue, word) && i + 1 < words.size()) {
        ++i;
        if (word == "-D") take_define(about, words[i]);
        others += word == "-l" || word == "-Xlinker";
      } else {
        others += starts(word, "-l") || starts(word, "-Wl,");
      }
      continue;
    }
    if (about.first_file.empty()) about.first_file = word;
    const std::string extension = std::filesystem::path(word).extension().string();
    constexpr std::array<std::string_view, 7> kCpp = {".cpp", ".cc", ".cxx", ".c++", ".C", ".ii", ".cu"};
    if (extension == ".cu") about.cuda_files.push_back(word);
    constexpr std::array<std::string_view, 2> kUnsupported = {".clcpp", ".hip"};
    if (about.unsupported_file.empty() && !about.has_language && is_one_of(kUnsupported, extension))
      about.unsupported_file = word;
    c_sources += extension == ".c" || extension == ".i";
    sources += extension == ".c" || extension == ".i" || is_one_of(kCpp, extension);
    others += extension != ".c" && extension != ".i" && !is_one_of(kCpp, extension);
  }
  about.is_c = sources != 0 && sources == c_sources;
  about.is_whole_program = about.links && sources == 1 && others == 0;
  return about;
}

}  // namespace spica::compiler
