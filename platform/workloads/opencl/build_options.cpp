// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl/build_options.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace spica::opencl {

namespace fs = std::filesystem;

namespace {

bool starts(std::string_view word, std::string_view with) { return word.substr(0, with.size()) == with; }

template <std::size_t n>
bool is_one_of(const std::string_view (&names)[n], std::string_view word) {
  return std::find(std::begin(names), std::end(names), word) != std::end(names);
}

/// For the front end of clang, which knows them by these names.
constexpr std::string_view kPassed[] = {"-cl-single-precision-constant",
                                        "-cl-denorms-are-zero",
                                        "-cl-fp32-correctly-rounded-divide-sqrt",
                                        "-cl-mad-enable",
                                        "-cl-no-signed-zeros",
                                        "-cl-unsafe-math-optimizations",
                                        "-cl-finite-math-only",
                                        "-cl-fast-relaxed-math",
                                        "-cl-uniform-work-group-size",
                                        "-w",
                                        "-Werror"};
/// Kernels are always compiled with optimisation, debug information and information on arguments.
constexpr std::string_view kWithoutEffect[] = {"-cl-opt-disable",      "-cl-kernel-arg-info",
                                               "-cl-no-subgroup-ifp",  "-g",
                                               "-enable-link-options", "-cl-strict-aliasing"};
constexpr std::string_view kVersions[] = {"-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL2.0",
                                          "-cl-std=CL3.0"};

bool is_for_compiler(const std::string& word) {
  const bool is_macro = (starts(word, "-D") || starts(word, "-U")) && word.size() > 2;
  const bool is_warning =
      starts(word, "-W") && !starts(word, "-Wl,") && !starts(word, "-Wa,") && !starts(word, "-Wp,");
  return is_macro || is_warning || is_one_of(kPassed, word) || is_one_of(kVersions, word);
}

}  // namespace

std::vector<std::string> words_of_options(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool is_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\0' && std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (is_word) words.push_back(word);
      word.clear();
      is_word = false;
      continue;
    }
    is_word = true;
    if (c == quote) quote = '\0';
    else if (quote == '\0' && (c == '"' || c == '\'')) quote = c;
    else if (c == '\\' && i + 1 < text.size() && quote != '\'') word += text[++i];
    else word += c;
  }
  if (is_word) words.push_back(word);
  return words;
}

BuildOptions parse_options(const std::vector<std::string>& words, const fs::path& folder) {
  BuildOptions options;
  const auto add_folder = [&](const std::string& name) {
    options.folders.push_back(folder / name);
    options.compiler.push_back("-I" + options.folders.back().string());
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool has_next = i + 1 < words.size();
    if ((word == "-D" || word == "-U") && has_next) options.compiler.push_back(word + words[++i]);
    else if (word == "-I" && has_next) add_folder(words[++i]);
    else if (starts(word, "-I") && word.size() > 2) add_folder(word.substr(2));
    else if (is_for_compiler(word)) options.compiler.push_back(word);
    else if (word == "-create-library") options.makes_library = true;
    else if (!is_one_of(kWithoutEffect, word) && !(starts(word, "-O") && word.size() <= 3))
      options.unknown.push_back(word);
  }
  return options;
}

}  // namespace spica::opencl
