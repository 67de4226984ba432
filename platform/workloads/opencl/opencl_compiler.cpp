// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl/opencl_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "platform/base/digest/digest.h"
#include "platform/base/input/environment.h"
#include "platform/base/input/file.h"
#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/temporary_folder.h"
#include "platform/base/input/user_error.h"
#include "platform/workloads/compiler/included_files.h"
#include "platform/workloads/compiler/kernel_cache.h"
#include "platform/workloads/opencl/build_options.h"

namespace spica::opencl {

namespace fs = std::filesystem;
using compiler::Words;

namespace {

/// Ends the making of a file for the cache: nothing is stored then.
struct Rejected {
  Result result;
};

[[noreturn]] void reject(Status status, std::string log) { throw Rejected{{status, std::move(log), {}}}; }

std::string text_of(const fs::path& file) {
  const std::vector<unsigned char> bytes = input::read_file(file.string());
  return {bytes.begin(), bytes.end()};
}

/// Another version of a tool or of the library is another file.
std::string identity(const fs::path& file) {
  std::error_code ignored;
  return fmt::format("{} {} {}\n", file.string(), fs::file_size(file, ignored),
                     fs::last_write_time(file, ignored).time_since_epoch().count());
}

bool is_plain_path(const fs::path& name) {
  if (name.empty() || name.is_absolute()) return false;
  for (const fs::path& part : name)
    if (part == "..") return false;
  return true;
}

/// Where clang finds the headers of a host, below the folder of its source.
constexpr char kHeaders[] = "headers";

/// The name of a source's file. A host may give any text.
std::string file_name(const Source& source) {
  const std::string name = fs::path(source.name).filename().string();
  return name.empty() || name.front() == '-' ? "program.cl" : name;
}

/// Writes a source and its headers.
void write_files(const Source& source, const fs::path& folder) {
  input::write_text((folder / file_name(source)).string(), source.text);
  for (const Header& header : source.headers) {
    if (!is_plain_path(header.name))
      reject(Status::kInvalidOptions,
             fmt::format("the name '{}' of a header is not relative to its program\n",
                         input::printable(header.name)));
    const fs::path file = folder / kHeaders / header.name;
    fs::create_directories(file.parent_path());
    input::write_text(file.string(), header.text);
  }
}

/// All files that the source may include, with their hashes.
std::string included(const Source& source, std::vector<fs::path> folders) {
  if (source.text.find("include") == std::string::npos && source.headers.empty()) return {};
  const input::TemporaryFolder work((fs::temp_directory_path() / "spica-opencl").string());
  if (!work.problem().empty())
    throw input::UserError(fmt::format("cannot create a temporary folder: {}", work.problem()));
  write_files(source, work.path());
  folders.insert(folders.begin(), work.path() / kHeaders);
  std::string all;
  for (const fs::path& one : compiler::included_files(work.path() / file_name(source), folders)) {
    const fs::path relative = one.lexically_relative(work.path());
    const fs::path& name = is_plain_path(relative) ? relative : one;
    all += fmt::format("{} {}\n", name.string(), digest::sha256_text(text_of(one)));
  }
  return all;
}

constexpr char kSeconds[] = "SPICA_OPENCL_BUILD_SECONDS";

/// For each program that takes part in a build.
unsigned most_seconds() {
  constexpr unsigned kUsual = 300;
  const auto given = input::parse_number(input::variable(kSeconds));
  return given && *given > 0 && *given < 1'000'000 ? static_cast<unsigned>(*given) : kUsual;
}

/// One build in a folder of its own.
class Build {
 public:
  Build(const Commands& commands, const fs::path& folder) : commands_(commands), folder_(folder) {}

  /// Bitcode of the source, as clang made it.
  fs::path front(const Source& source, const Words& options) {
    write_files(source, folder_);
    Words all = options;
    if (!source.headers.empty()) all.insert(all.begin(), fmt::format("-I{}", kHeaders));
    run(commands_.front(file_name(source), all, "front.bc"), Status::kCompileError);
    return folder_ / "front.bc";
  }

  fs::path merge(const Words& objects) {
    run(commands_.merge(objects, "objects.bc"), Status::kLinkError);
    return folder_ / "objects.bc";
  }

  fs::path program(const Words& objects, const Target& target) {
    run(commands_.module(objects, "module.bc"), Status::kLinkError);
    run(commands_.back("module.bc", target, {}, "program.elf"), Status::kLinkError);
    return folder_ / "program.elf";
  }

  const std::string& log() const { return log_; }

 private:
  void run(const Words& command, Status status) {
    const compiler::Finished done = compiler::run(folder_, command, seconds_);
    log_ += done.errors;
    if (done.exit_code == 0) return;
    if (done.timed_out)
      reject(
          status,
          log_ + fmt::format(
                     "error: the compiler was ended after {} seconds of processor time; {} sets the limit\n",
                     seconds_, kSeconds));
    constexpr int kBroken = 2;  // of the tool; clang says 1 for what is wrong with the program
    if (done.exit_code >= kBroken)
      log_ += fmt::format("internal error: {} ended with exit code {}\n", command.front(), done.exit_code);
    reject(status, log_);
  }

  const Commands& commands_;
  const fs::path& folder_;
  const unsigned seconds_ = most_seconds();
  std::string log_;
};

std::string key_of(const std::string& facts) { return digest::sha256_text(facts).substr(0, 32); }

/// Takes a file out of the cache, or makes it. What the compiler reported is kept next to it.
Result cached(const std::string& key, const Commands& commands,
              const std::function<fs::path(Build& build)>& make) try {
  const compiler::KernelCache cache;
  std::string log;
  Result result;
  result.file = cache.file("opencl-" + key, [&](const fs::path& folder) {
    Build build(commands, folder);
    fs::path made = make(build);
    log = build.log();
    return made;
  });
  const fs::path kept = cache.file("opencl-log-" + key, [&](const fs::path& folder) {
    input::write_text((folder / "log").string(), log);
    return folder / "log";
  });
  result.log = text_of(kept);
  return result;
} catch (const Rejected& rejected) {
  return rejected.result;
}

std::string facts_of(const Commands& commands, const Target& target) {
  std::string facts = fmt::format("{} {}\n", target.shared_bytes, target.base);
  for (const fs::path& file : commands.files(target)) facts += identity(file);
  return facts;
}

std::string facts_of(const Source& source, const BuildOptions& options) {
  return fmt::format("{}\n{}\n{}\n{}", file_name(source), fmt::join(options.compiler, "\n"),
                     included(source, options.folders), digest::sha256_text(source.text));
}

/// A program may include what is in the current folder of its host.
BuildOptions options_of(const Source& source) {
  const fs::path here = fs::current_path();
  Words words = words_of_options(source.options);
  if (source.text.find("include") != std::string::npos) words.insert(words.end(), {"-I", "."});
  return parse_options(words, here);
}

Result invalid(const BuildOptions& options) {
  return {Status::kInvalidOptions,
          fmt::format("unknown options: {}\n",
                      input::printable(fmt::format("{}", fmt::join(options.unknown, " ")))),
          {}};
}

}  // namespace

Result OpenClCompiler::build(const Source& source, const Target& target) const try {
  const BuildOptions options = options_of(source);
  if (!options.unknown.empty() || options.makes_library) return invalid(options);
  const Commands commands(home_);
  const std::string key = key_of("program\n" + facts_of(commands, target) + facts_of(source, options));
  return cached(key, commands, [&](Build& build) {
    return build.program({build.front(source, options.compiler).string()}, target);
  });
} catch (const Rejected& rejected) {
  return rejected.result;
}

Result OpenClCompiler::compile(const Source& source) const try {
  const BuildOptions options = options_of(source);
  if (!options.unknown.empty() || options.makes_library) return invalid(options);
  const Commands commands(home_);
  const std::string key = key_of("object\n" + facts_of(commands, {}) + facts_of(source, options));
  return cached(key, commands, [&](Build& build) { return build.front(source, options.compiler); });
} catch (const Rejected& rejected) {
  return rejected.result;
}

Result OpenClCompiler::link(const std::vector<fs::path>& objects, const std::string& options,
                            const Target& target) const {
  const BuildOptions parsed = parse_options(words_of_options(options), fs::current_path());
  if (!parsed.unknown.empty()) return invalid(parsed);
  const Commands commands(home_);
  Words names;
  std::string facts = parsed.makes_library ? "library\n" : "linked\n";
  facts += facts_of(commands, target);
  for (const fs::path& object : objects) {
    names.push_back(fs::absolute(object).string());
    facts += digest::sha256_text(text_of(object)) + "\n";
  }
  return cached(key_of(facts), commands, [&](Build& build) {
    return parsed.makes_library ? build.merge(names) : build.program(names, target);
  });
}

}  // namespace spica::opencl
