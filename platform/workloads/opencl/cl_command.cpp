// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl/cl_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/temporary_folder.h"
#include "platform/base/input/user_error.h"
#include "platform/workloads/opencl/build_options.h"
#include "platform/workloads/opencl/commands.h"

namespace spica::opencl {

namespace fs = std::filesystem;
using compiler::Words;
using input::UserError;

namespace {

bool is_cl(const std::string& word) { return fs::path(word).extension() == ".cl"; }

/// The words of `spica cc`, by who takes them.
struct ClWords {
  Words files, options, back, others;
  Target target;
};

/// -DPLATFORM_SHARED_SIZE=0x20000 is as for other languages.
bool take_size(ClWords& words, const std::string& word) {
  const std::string start = "-DPLATFORM_SHARED_SIZE=";
  if (word.rfind(start, 0) != 0) return false;
  const auto number = input::parse_number(word.substr(start.size()));
  if (number) words.target.shared_bytes = *number;
  return number.has_value();
}

bool take_base(ClWords& words, const std::string& word) {
  const std::string start = "-Wl,--defsym=__program_base=";
  if (word.rfind(start, 0) != 0) return false;
  const auto number = input::parse_number(word.substr(start.size()));
  if (number) words.target.base = static_cast<std::uint32_t>(*number);
  return number.has_value();
}

ClWords look_at(const Words& all) {
  ClWords words;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& word = all[i];
    if (word.empty() || word[0] != '-') (is_cl(word) ? words.files : words.others).push_back(word);
    else if (take_size(words, word) || take_base(words, word)) continue;
    else if (word.rfind("-Rpass", 0) == 0) words.back.push_back(word);
    else words.options.push_back(word);
    if ((word == "-D" || word == "-I" || word == "-U") && i + 1 < all.size())
      words.options.push_back(all[++i]);
  }
  return words;
}

}  // namespace

bool is_opencl(const compiler::CcRequest& request) {
  return std::any_of(request.words.begin(), request.words.end(), is_cl);
}

std::vector<Words> cl_commands(const compiler::KernelHome& home, const compiler::CcRequest& request,
                               const fs::path& folder) {
  const ClWords words = look_at(request.words);
  if (!words.others.empty())
    throw UserError(fmt::format("{}: a program in OpenCL C consists of .cl files only",
                                input::printable(words.others.front())));
  if (request.is_gcc || request.is_firmware)
    throw UserError(fmt::format("{}: files in OpenCL C are compiled by clang, for work groups; omit {}",
                                input::printable(words.files.front()),
                                request.is_gcc ? "--compiler gcc" : "--firmware"));
  const BuildOptions options = parse_options(words.options, fs::current_path());
  if (!options.unknown.empty())
    throw UserError(fmt::format(
        "{}: OpenCL C has no such option; accepted are -D, -U, -I, -W..., -w and the -cl- options of the standard",
        input::printable(fmt::format("{}", fmt::join(options.unknown, " ")))));
  compiler::check_files(words.files);

  const Commands commands(home);
  std::vector<Words> all;
  Words objects;
  for (std::size_t i = 0; i < words.files.size(); ++i) {
    objects.push_back((folder / fmt::format("front_{}.bc", i)).string());
    all.push_back(commands.front(words.files[i], options.compiler, objects.back()));
  }
  const std::string module = (folder / "module.bc").string();
  all.push_back(commands.module(objects, module));
  const std::string elf =
      !request.output.empty() ? request.output : fs::path(words.files.front()).stem().string() + ".elf";
  all.push_back(commands.back(module, words.target, words.back, elf));
  return all;
}

int run_cl(const compiler::KernelHome& home, const compiler::CcRequest& request) {
  const input::TemporaryFolder folder((fs::temp_directory_path() / "spica-opencl").string());
  if (!folder.problem().empty())
    throw UserError(fmt::format("cannot create a temporary folder: {}", folder.problem()));
  for (const Words& command : cl_commands(home, request, folder.path())) {
    const int code = compiler::run_here(command);
    if (code == 0) continue;
    if (code == 1) return 2;
    std::cerr << "spica: internal error: " << command.front() << " ended with exit code " << code
              << ". See its messages above, and the output of `spica cc --print-command`.\n";
    return 3;
  }
  return 0;
}

}  // namespace spica::opencl
