// SPDX-License-Identifier: Apache-2.0
#include "platform/compiler/kernel_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/interprocess/sync/file_lock.hpp>
#include <boost/interprocess/sync/scoped_lock.hpp>
#include <boost/process/environment.hpp>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "platform/compiler/tools.h"
#include "platform/digest/digest.h"
#include "platform/input/printable.h"
#include "platform/loader/file.h"
#include "platform/loader/user_error.h"

namespace spica::compiler {

namespace fs = std::filesystem;
using loader::UserError;

namespace {

std::string text_of(const fs::path& file) {
  const std::vector<unsigned char> bytes = loader::read_file(file.string());
  return {bytes.begin(), bytes.end()};
}

struct Tools {
  std::string compiler, gcc, linker;
  Words flags;
};

Tools find_tools(const KernelHome& home, Toolchain toolchain) {
  Tools tools;
  tools.gcc = find_tool("SPICA_GCC", "riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf");
  tools.compiler = tools.gcc;
  tools.flags = words_of(home.root / "sw" / (toolchain == Toolchain::kGcc ? "gcc.flags" : "clang.flags"));
  if (toolchain == Toolchain::kGcc) return tools;
  tools.compiler = find_tool("SPICA_CLANG", "clang-19", "clang-19");
  tools.linker = find_tool("SPICA_LLD", "ld.lld-19", "lld-19");
  if (toolchain == Toolchain::kPublished)
    std::replace(tools.flags.begin(), tools.flags.end(), std::string("-O2"), std::string("-Os"));
  return tools;
}

/// Another compiler, or another version of it, is another file.
std::string identity(const std::string& program) {
  std::error_code ignored;
  const fs::path file = fs::canonical(program, ignored);
  return fmt::format("{} {} {}", file.string(), fs::file_size(file, ignored),
                     fs::last_write_time(file, ignored).time_since_epoch().count());
}

/// The regular files below a folder, or in it, whose names end so.
template <class Iterator = fs::recursive_directory_iterator>
std::vector<fs::path> files_of(const fs::path& folder, const std::vector<std::string>& endings) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::directory_entry& entry : Iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    const auto ends = [&](const std::string& end) {
      return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    if (std::any_of(endings.begin(), endings.end(), ends) && entry.is_regular_file())
      files.push_back(entry.path());
  }
  return files;
}

/// Of their names and texts, in an order of their own.
std::string digest_of(std::vector<fs::path> files) {
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) {
    const std::string text = text_of(file);
    all += fmt::format("{} {}\n", file.filename().string(), text.size()) + text;
  }
  return digest::sha256_text(all);
}

fs::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? fs::path(value) : fs::path();
  };
  fs::path folder = variable("SPICA_CACHE");
  if (folder.empty() && !variable("XDG_CACHE_HOME").empty()) folder = variable("XDG_CACHE_HOME") / "spica";
  if (folder.empty() && !variable("HOME").empty()) folder = variable("HOME") / ".cache" / "spica";
  if (folder.empty()) folder = fs::temp_directory_path() / "spica";
  folder /= "kernels";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw UserError(fmt::format(
        "a kernel compiled for this machine cannot be kept in {} ({}): name another folder in the "
        "environment variable SPICA_CACHE",
        input::printable(folder.string()), error.message()));
  return folder;
}

/// Folders whose names end with the process's number: nobody else's.
class WorkFolder {
 public:
  explicit WorkFolder(fs::path path) : path_(std::move(path)) { fs::create_directories(path_); }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The first static_assert that failed: its text, else its condition; empty when the compiler reported something else.
std::string failed_assertion(const std::string& errors) {
  static const std::regex failed(
      R"(error: static assertion failed(?: due to requirement '([^'\n]*)')?(?:: ([^\n]*))?)");
  std::smatch found;
  if (!std::regex_search(errors, found, failed)) return {};
  const std::string text = found[2].matched ? found[2].str() : found[1].str();
  return text.empty() ? "a static_assert of its source fails" : text;
}

class Build {
 public:
  Build(const KernelHome& home, const KernelSources& sources, Tools tools, fs::path folder)
      : home_(home), sources_(sources), tools_(std::move(tools)), folder_(std::move(folder)) {
    for (const std::string& path : {(home_.root / "sw/lib/include").string(), home_.root.string()})
      tools_.flags.push_back("-I" + path);
    const std::string root = home_.root.string();
    for (const char* map : {"-fdebug-prefix-map={}=.", "-fdebug-prefix-map={}/=", "-fmacro-prefix-map={}/="})
      tools_.flags.push_back(fmt::format(fmt::runtime(map), root));
  }

  /// The program, in the work folder.
  fs::path make() {
    Words link = command();
    if (!tools_.linker.empty()) link.push_back("--ld-path=" + tools_.linker);
    link.insert(link.end(), {"-T", (home_.root / "sw/lib/kernel.ld").string(),
                             object(sources_.source, sources_.defines)});
    for (const std::string& name : words_of(home_.runtime / "objects.txt"))
      link.push_back(library_object(name));
    const fs::path elf = folder_ / "kernel.elf";
    link.insert(link.end(), {libgcc_of(tools_.gcc), "-o", elf.string()});
    check(link);
    return elf;
  }

 private:
  Words command() const {
    Words words{tools_.compiler};
    words.insert(words.end(), tools_.flags.begin(), tools_.flags.end());
    return words;
  }

  std::string object(const fs::path& source, const Words& defines) {
    const std::string to = (folder_ / (source.filename().string() + ".o")).string();
    Words words = command();
    for (const std::string& define : defines) words.push_back("-D" + define);
    words.insert(words.end(), {"-c", source.string(), "-o", to});
    check(words);
    return to;
  }

  /// Those in lib_@ depend on the size of shared memory; for sizes that are not there they are compiled.
  std::string library_object(std::string name) {
    const std::string size = fmt::format("{:#x}", sources_.shared_bytes), folder = "lib_@/";
    if (name.rfind(folder, 0) != 0) return (home_.runtime / name).string();
    name.erase(0, folder.size());
    const fs::path there = home_.runtime / ("lib_" + size) / name;
    if (fs::exists(there)) return there.string();
    return object(home_.root / "sw/lib" / fs::path(name).stem(), {"PLATFORM_SHARED_SIZE=" + size});
  }

  void check(const Words& words) const {
    const Finished done = run(home_.root, words);
    if (done.exit_code == 0) return;
    if (const std::string why = failed_assertion(done.errors); !why.empty())
      throw UserError(fmt::format(
          "{} cannot be compiled for this machine ({}): {}", input::printable(sources_.source.string()),
          input::printable(fmt::format("{}", fmt::join(sources_.defines, ", "))), input::printable(why)));
    throw UserError(
        fmt::format("{} cannot be compiled for this machine{}{}:\n{}",
                    input::printable(sources_.source.string()), sources_.defines.empty() ? "" : ", with -D",
                    input::printable(fmt::format("{}", fmt::join(sources_.defines, " -D"))), done.errors));
  }

  const KernelHome& home_;
  const KernelSources& sources_;
  Tools tools_;
  fs::path folder_;
};

}  // namespace

KernelCompiler::KernelCompiler(KernelHome home) : home_(std::move(home)) {}

std::string KernelCompiler::sources_digest(const fs::path& source) const {
  const fs::path sw = home_.root / "sw", folder = source.parent_path();
  std::vector<fs::path> files = files_of(sw / "lib", {""});
  const auto add = [&](const std::vector<fs::path>& more) {
    files.insert(files.end(), more.begin(), more.end());
  };
  add(files_of(home_.root / "models", {"_regs.h"}));
  if (folder.parent_path() == sw / "kernels") {
    add(files_of(folder, {""}));
    for (const fs::directory_entry& entry :
         fs::directory_iterator(sw / "kernels"))  // headers of several kernels
      if (boost::algorithm::ends_with(entry.path().string(), "_common")) add(files_of(entry.path(), {""}));
  } else {
    add({source});
    add(files_of<fs::directory_iterator>(folder, {".h", ".hpp", ".hh", ".inc"}));
  }
  return digest_of(std::move(files));
}

std::string KernelCompiler::elf(const KernelSources& sources) const {
  Tools tools = find_tools(home_, sources.toolchain);
  const std::string facts =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", sources_digest(sources.source), sources.source.string(),
                  fmt::join(sources.defines, "\n"), sources.shared_bytes, fmt::join(tools.flags, "\n"),
                  identity(tools.compiler), identity(tools.gcc));
  const std::string name = fmt::format("{}-{}", sources.source.parent_path().filename().string(),
                                       digest::sha256_text(facts).substr(0, 32));
  const fs::path folder = cache_folder(), made = folder / (name + ".elf");
  if (fs::exists(made)) return made.string();

  const fs::path lock_file = folder / (name + ".lock");
  std::ofstream(lock_file, std::ios::app).flush();
  boost::interprocess::file_lock lock(lock_file.c_str());
  const boost::interprocess::scoped_lock<boost::interprocess::file_lock> guard(lock);
  if (fs::exists(made)) return made.string();  // made meanwhile
  const WorkFolder work(folder / fmt::format("{}.{}", name, boost::this_process::get_id()));
  fs::rename(Build(home_, sources, std::move(tools), work.path()).make(), made);
  std::error_code ignored;
  fs::remove(lock_file, ignored);
  return made.string();
}

}  // namespace spica::compiler
