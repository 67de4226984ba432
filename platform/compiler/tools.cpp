// SPDX-License-Identifier: Apache-2.0
#include "platform/compiler/tools.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/process.hpp>
#include <cstdlib>
#include <future>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

#include "platform/input/printable.h"
#include "platform/loader/file.h"
#include "platform/loader/user_error.h"

namespace spica::compiler {

namespace fs = std::filesystem;
namespace process = boost::process;

Words words_of(const fs::path& file) {
  const std::vector<unsigned char> bytes = loader::read_file(file.string());
  std::istringstream in(std::string(bytes.begin(), bytes.end()));
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string find_tool(const char* variable, const std::string& name, const std::string& package) {
  const char* given = std::getenv(variable);
  const std::string wanted = given != nullptr ? given : name;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr && wanted.find('/') == std::string::npos ? path : ".");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::absolute(fs::path(folder) / wanted);
    if (access(file.c_str(), X_OK) == 0) return file.string();
  }
  throw loader::UserError(
      fmt::format("the kernel must be compiled for this machine, and {} is missing: apt install {}, or name "
                  "another one in the environment variable {}",
                  input::printable(wanted), package, variable));
}

Finished run(const fs::path& folder, const Words& command) {
  boost::asio::io_context service;
  std::future<std::string> output, errors;
  process::child child(
      process::exe = command.front(), process::args = Words(command.begin() + 1, command.end()),
      process::start_dir = folder.string(), process::std_in<process::null, process::std_out> output,
      process::std_err > errors, service);
  service.run();
  child.wait();
  return {child.exit_code(), output.get(), errors.get()};
}

int run_here(const Words& command) {
  process::child child(process::exe = command.front(),
                       process::args = Words(command.begin() + 1, command.end()));
  child.wait();
  const int status = child.native_exit_code();
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : child.exit_code();
}

std::string libgcc_of(const std::string& gcc) {
  const Finished found =
      run(fs::current_path(), {gcc, "-march=rv32imf", "-mabi=ilp32f", "-print-libgcc-file-name"});
  return found.output.substr(0, found.output.find('\n'));
}

}  // namespace spica::compiler
