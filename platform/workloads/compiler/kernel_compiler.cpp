// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/kernel_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <cstdlib>

#include "platform/base/digest/digest.h"
#include "platform/base/input/environment.h"
#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/pattern.h"
#include "platform/workloads/compiler/find_tool.h"
#include "platform/workloads/compiler/included_files.h"
#include "platform/workloads/compiler/kernel_cache.h"
#include "platform/workloads/compiler/tools.h"

namespace spica::compiler {

namespace fs = std::filesystem;
using input::UserError;

namespace {

std::string text_of(const fs::path& file) {
  const std::vector<unsigned char> bytes = input::read_file(file.string());
  return {bytes.begin(), bytes.end()};
}

struct Tools {
  std::string compiler, linker;
  Words flags;
};

Tools find_tools(const KernelHome& home, Toolchain toolchain) {
  Tools tools;
  tools.flags = words_of(home.root / "sw" / (toolchain == Toolchain::kGcc ? "gcc.flags" : "clang.flags"));
  if (toolchain == Toolchain::kGcc) {
    tools.compiler = find_tool("SPICA_GCC", "riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf");
    return tools;
  }
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

/// All regular files below a folder whose names end so.
std::vector<fs::path> files_of(const fs::path& folder, const std::string& ending = {}) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, none))
    if (entry.is_regular_file() && boost::algorithm::ends_with(entry.path().filename().string(), ending))
      files.push_back(entry.path());
  return files;
}

/// Of their names and texts, wherever they are: the same on every host.
std::string digest_of(const std::vector<fs::path>& files) {
  std::vector<std::string> all;
  for (const fs::path& file : files)
    all.push_back(fmt::format("{} {}\n", file.filename().string(), digest::sha256_text(text_of(file))));
  std::sort(all.begin(), all.end());
  return digest::sha256_text(fmt::format("{}", fmt::join(all, "")));
}

/// The first static_assert that failed: its text, else its condition; empty when the compiler reported something else.
std::string failed_assertion(const std::string& errors) {
  static const text::Pattern failed(
      R"(error: static assertion failed(?: due to requirement '([^'\n]*)')?(?:: ([^\n]*))?)");
  const auto found = failed.search(errors);
  if (!found) return {};
  const std::string& said = found->at(2).empty() ? found->at(1) : found->at(2);
  return said.empty() ? "a static_assert of its source fails" : said;
}

class Build {
 public:
  Build(const KernelHome& home, const KernelSources& sources, Tools tools, const std::vector<fs::path>& known,
        fs::path folder)
      : home_(home), sources_(sources), tools_(std::move(tools)), known_(known), folder_(std::move(folder)) {
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
    link.insert(link.end(), {"-o", elf.string()});
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
    const std::string rule = to + ".d";
    words.insert(words.end(), {"-MMD", "-MF", rule, "-c", source.string(), "-o", to});
    check(words);
    check_read(files_of_rule(text_of(rule)));
    return to;
  }

  /// A kernel that reads what its hash does not have would be kept when that changes.
  void check_read(const std::vector<fs::path>& files) const {
    std::error_code ignored;
    for (const fs::path& file : files)
      if (std::none_of(known_.begin(), known_.end(), [&](const fs::path& known) {
            return fs::equivalent(known, home_.root / file, ignored);
          }))
        throw UserError(fmt::format(
            "{} reads {}, which no #include names literally, so changes would go unnoticed; include "
            "it by its name",
            input::printable(sources_.source.string()), input::printable(file.string())));
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
  const std::vector<fs::path>& known_;  // that the hash is of
  fs::path folder_;
};

}  // namespace

KernelCompiler::KernelCompiler(KernelHome home) : home_(std::move(home)) {}

std::vector<fs::path> KernelCompiler::sources(const fs::path& source) const {
  const fs::path sw = home_.root / "sw";
  std::vector<fs::path> files = files_of(sw / "lib");
  const auto add = [&](const std::vector<fs::path>& more) {
    files.insert(files.end(), more.begin(), more.end());
  };
  add(files_of(home_.root / "models", "_regs.h"));
  add(included_files(source, {sw / "lib/include", home_.root}));
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

std::string KernelCompiler::sources_digest(const fs::path& source) const {
  return digest_of(sources(source));
}

std::string KernelCompiler::compiler_version(Toolchain toolchain, bool is_there) const {
  const auto names = toolchain == Toolchain::kGcc ? std::vector<const char*>{"SPICA_GCC"}
                                                  : std::vector<const char*>{"SPICA_CLANG", "SPICA_LLD"};
  if (is_there &&
      std::all_of(names.begin(), names.end(), [](const char* name) { return input::variable(name).empty(); }))
    return {};
  try {
    const Tools tools = find_tools(home_, toolchain);
    std::string all;
    for (const std::string& program : {tools.compiler, tools.linker}) {
      const std::string text = program.empty() ? "" : run(home_.root, {program, "--version"}).output;
      all += text.substr(0, text.find('\n')) + '\n';
    }
    return all;
  } catch (const UserError&) {
    return {};  // a compilation reports it
  }
}

std::string KernelCompiler::library_digest(std::uint64_t shared_bytes) const {
  std::vector<fs::path> files;
  for (std::string name : words_of(home_.runtime / "objects.txt")) {
    boost::algorithm::replace_first(name, "@", fmt::format("{:#x}", shared_bytes));
    if (std::error_code ignored; fs::is_regular_file(home_.runtime / name, ignored))
      files.push_back(home_.runtime / name);
  }
  return digest_of(files);
}

std::string KernelCompiler::elf(const KernelSources& sources) const {
  Tools tools = find_tools(home_, sources.toolchain);
  const std::vector<fs::path> files = this->sources(sources.source);
  const std::string facts =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", digest_of(files), library_digest(sources.shared_bytes),
                  sources.source.string(), fmt::join(sources.defines, "\n"), sources.shared_bytes,
                  fmt::join(tools.flags, "\n"), identity(tools.compiler));
  const std::string name =
      fmt::format("{}-{}", sources.source.parent_path().filename().string().substr(0, 64),
                  digest::sha256_text(facts).substr(0, 32));
  return KernelCache()
      .file(name,
            [&](const fs::path& folder) {
              return Build(home_, sources, std::move(tools), files, folder).make();
            })
      .string();
}

}  // namespace spica::compiler
