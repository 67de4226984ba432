// SPDX-License-Identifier: Apache-2.0
// `spica new DIR`: a project of a kernel, from the files of sw/template.
#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/observe/report/provenance.h"

namespace spica::cli {

namespace fs = std::filesystem;

namespace {

/// A file of a project, and what it is made from. @NAME@ in either is the name of the project.
struct TemplateFile {
  const char *path, *from;
};
constexpr TemplateFile kFiles[] = {
    {"@NAME@.cpp", "kernel.cpp.in"},         {"check.py", "check.py.in"},
    {"CMakeLists.txt", "CMakeLists.txt.in"}, {"README.md", "README.md.in"},
    {".gitignore", "gitignore.in"},          {".vscode/launch.json", "launch.json.in"},
    {".vscode/tasks.json", "tasks.json.in"}, {".vscode/settings.json", "settings.json.in"}};

/// The argument with which CMake finds this Spica; "": none.
std::string prefix_option() {
  const fs::path prefix = cmake_prefix();
  if (prefix == "/usr" || prefix == "/usr/local") return {};
  return report::shell_text({"-DCMAKE_PREFIX_PATH=" + prefix.string()});
}

std::string name_of(const fs::path& folder) {
  const std::string name = fs::absolute(folder / "").lexically_normal().parent_path().filename().string();
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  bool good = !name.empty() && name.front() != '-' && (name.front() < '0' || name.front() > '9');
  for (const char c : name) good = good && is_letter(c);
  if (!good)
    throw input::UserError(fmt::format(
        "'{}': the folder name becomes the name of the kernel; use letters, digits, _ and -, beginning "
        "with a letter, for example my_kernel",
        input::printable(name)));
  return name;
}

int run_new(const std::string& given) {
  const fs::path folder = given;
  const std::string name = name_of(folder);
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    throw input::UserError(fmt::format("{} exists and is not empty: name a new folder, for example {}",
                                       input::printable(given),
                                       input::printable((folder / "kernel").lexically_normal().string())));
  const bool is_plain = fs::exists(kernel_home().plugin, error);
  const std::string spica = report::shell_text({program_file().string()}), prefix = prefix_option();
  // Inside a text of JSON.
  std::string gdb_script = (root() / "platform/observe/debug/spica.gdb").string();
  boost::replace_all(gdb_script, "\\", "\\\\");
  boost::replace_all(gdb_script, "\"", "\\\"");
  for (const TemplateFile& file : kFiles) {
    const auto filled = [&](std::string text) {
      boost::replace_all(text, "@NAME@", name);
      boost::replace_all(text, " @PREFIX@", prefix.empty() ? "" : " " + prefix);
      boost::replace_all(text, "@SPICA@", spica);
      boost::replace_all(text, "@PLAIN@", is_plain ? "PLAIN " : "");
      boost::replace_all(text, "@GDB_SCRIPT@", gdb_script);
      boost::replace_all(
          text, "@RULES@",
          is_plain
              ? "It is plain C++: lanes may diverge in `if`, loops and calls."
              : "Lanes diverge in the macros of `simt.h` only (`SIMT_IF`, `SIMT_WHILE`), as this Spica was built without its "
                "compiler plugin (`llvm-19-dev`).");
      return text;
    };
    const fs::path path = folder / filled(file.path);
    fs::create_directories(path.parent_path(), error);
    if (error)
      throw input::UserError(fmt::format("{} cannot be made: {}",
                                         input::printable(path.parent_path().string()), error.message()));
    const std::vector<unsigned char> bytes = input::read_file((root() / "sw/template" / file.from).string());
    input::write_text(path.string(), filled(std::string(bytes.begin(), bytes.end())));
  }
  const std::string quoted = report::shell_text({given}),
                    build = report::shell_text({(folder / "build").string()});
  fmt::print(
      "{0} has a kernel, {1}.cpp, and a test. Next:\n"
      "  cmake -S {2} -B {3}{4}\n"
      "  cmake --build {3}\n"
      "  ctest --test-dir {3} --output-on-failure\n"
      "  {5} run virgo {6}\n",
      input::printable(given), name, quoted, build, prefix.empty() ? "" : " " + prefix, spica,
      report::shell_text({(folder / "build" / (name + ".elf")).string()}));
  return 0;
}

void options_of_new(Command& command) {
  auto folder = std::make_shared<std::string>();
  command.option("DIR", *folder, "new folder, named like the kernel").required();
  command.action([folder](const std::vector<std::string>&) { return run_new(*folder); });
}

}  // namespace

void add_new_command(CommandLine& line) {
  line.add("new", "create a kernel project: source, build files, a test, debugging in VS Code",
           options_of_new);
}

}  // namespace spica::cli
