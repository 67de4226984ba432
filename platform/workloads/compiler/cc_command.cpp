// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/cc_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "platform/base/input/printable.h"
#include "platform/base/input/regular_file.h"
#include "platform/base/input/user_error.h"
#include "platform/workloads/compiler/cc_words.h"
#include "platform/workloads/compiler/cuda_source.h"
#include "platform/workloads/compiler/find_tool.h"
#include "platform/workloads/compiler/runtime_library.h"
#include "platform/workloads/compiler/tools.h"

namespace spica::compiler {

namespace fs = std::filesystem;
using input::UserError;

namespace {

void refuse_what_clang_cannot(const CcWords& about) {
  if (!about.link_time.empty())
    throw UserError(fmt::format(
        "{} is not supported for kernels in plain C++: the compiler must know where lanes diverge when it "
        "compiles a file. Put the sources into one file instead",
        input::printable(about.link_time)));
}

Words compiler_and_flags(const KernelHome& home, const CcRequest& request, const CcWords& about) {
  const fs::path sw = home.root / "sw";
  if (request.is_gcc) {
    Words words{find_tool("SPICA_GCC", "riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf")};
    for (const std::string& flag : words_of(sw / "gcc.flags"))
      if (!about.is_c || (flag != "-fno-rtti" && flag != "-fno-threadsafe-statics")) words.push_back(flag);
    return words;
  }
  if (request.is_firmware)
    return {find_tool("SPICA_CLANG", "clang-19", "clang-19"), "@" + (sw / "clang.flags").string()};
  refuse_what_clang_cannot(about);
  const std::string plugin = home.plugin.string();
  Words words{clang_for_plugin(home), "@" + (sw / "clang.flags").string(), "-fpass-plugin=" + plugin};
  if (about.is_whole_program)
    words.insert(words.end(), {"-Xclang", "-load", "-Xclang", plugin, "-mllvm", "-spica-whole-program"});
  return words;
}

/// clang optimises nothing then, and the plugin does what it needs. Registers are allocated as in optimised code: if
/// each value had a place on the stack, functions of a hundred lines would not fit into a lane's. Code without a line
/// is that of the line before: gdb would stop there as if it had come to the end of a step.
bool is_for_debugger(const CcWords& about) {
  return about.optimisation == "-Og" || about.optimisation == "-O0";
}

void add_link(Words& words, const KernelHome& home, const CcRequest& request, const CcWords& about) {
  words.insert(words.end(), {"-x", "none"});
  const char* const script = request.is_firmware ? "sw/firmware/firmware.ld" : "sw/lib/kernel.ld";
  if (!about.has_linker_script) words.insert(words.end(), {"-T", (home.root / script).string()});
  if (request.is_firmware) words.push_back((home.runtime / "firmware/start.S.o").string());
  if (!request.is_gcc) {
    words.push_back("--ld-path=" + find_tool("SPICA_LLD", "ld.lld-19", "lld-19"));
  }
  if (!request.is_gcc && !request.is_firmware) return add_library(words, home, about.shared_size);
  words.push_back("-L" + (home.runtime / "lib").string());  // for -lm
  const Words library = library_of(home, about.shared_size);
  words.insert(words.end(), library.begin(), library.end());
}

/// The text of .cu files is C++ with the header of spica/cuda.h in front.
void add_sources(Words& words, const KernelHome& home, const CcRequest& request, const CcWords& about) {
  if (!about.cuda_files.empty()) {
    if (request.is_gcc)
      throw UserError(fmt::format("{}: CUDA files are compiled by clang; omit --compiler gcc",
                                  input::printable(about.cuda_files.front())));
    words.push_back("@" + (home.root / "sw/cuda.flags").string());
  }
  for (const std::string& word : request.words) {
    const bool is_cuda =
        std::find(about.cuda_files.begin(), about.cuda_files.end(), word) != about.cuda_files.end();
    if (is_cuda) words.insert(words.end(), {"-x", "c++", word, "-x", "none"});
    else words.push_back(word);
  }
  if (!request.is_gcc && is_for_debugger(about))
    words.insert(words.end(),
                 {"-O0", "-mllvm", "-optimize-regalloc", "-mllvm", "-use-unknown-locations=Disable"});
  // Behind the user's own folders.
  const fs::path include = home.root / "sw/lib/include";
  words.insert(words.end(), {"-I" + include.string(), "-I" + home.root.string()});
  if (!about.cuda_files.empty()) words.push_back("-I" + (include / "cuda").string());
}

}  // namespace

void check_files(const Words& words) {
  for (const std::string& word : words) {
    std::error_code error;
    const fs::file_status status = fs::status(word, error);
    const bool is_open =
        word == "/dev/null" || word.rfind("/dev/std", 0) == 0 || word.rfind("/dev/fd/", 0) == 0;
    if (word.empty() || word.front() == '-' || is_open || !fs::exists(status) || !fs::is_other(status))
      continue;
    throw UserError(fmt::format("cannot read '{}': {}", input::printable(word),
                                input::read_regular_file(word, 0).problem));
  }
}

std::vector<std::string> cc_command(const KernelHome& home, const CcRequest& request) {
  const CcWords about = look_at(request.words);
  check_files(request.words);
  if (!about.unsupported_file.empty())
    throw UserError(fmt::format(
        "{}: HIP and C++ for OpenCL are unsupported; accepted are C (.c), C++ (.cpp, .cc, .cxx), CUDA style (.cu), OpenCL C (.cl), "
        "assembly (.S, .s), objects and archives",
        input::printable(about.unsupported_file)));
  if (about.first_file.empty()) throw UserError("no files to compile (spica cc FILES... -o X.elf)");
  Words words = compiler_and_flags(home, request, about);
  add_sources(words, home, request, about);
  if (about.links) add_link(words, home, request, about);
  if (!request.output.empty()) words.insert(words.end(), {"-o", request.output});
  else if (about.links)
    words.insert(words.end(), {"-o", fs::path(about.first_file).stem().string() + ".elf"});
  return words;
}

int run_cc(const std::vector<std::string>& command, const CcRequest& request) {
  const int code = run_here(command);
  if (code == 0) return 0;
  constexpr int kClangBroke = 70;
  if (code < 128 && code != kClangBroke) {
    std::cerr << launches_in(look_at(request.words).cuda_files);
    return 2;
  }
  std::cerr << "spica: internal error: the compiler broke, with exit code " << code
            << ". See its messages above, and the output of `spica cc --print-command`.\n";
  return 3;
}

}  // namespace spica::compiler
