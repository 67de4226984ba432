// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/plugin_option.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "platform/base/digest/digest.h"
#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/plugin_consent.h"

namespace spica::cli {

namespace {

namespace fs = std::filesystem;
using soc::PluginConsent;
using Answer = PluginConsent::Answer;

constexpr std::size_t kDigits = 64;  // of a SHA-256 sum

std::vector<std::string> words(const std::string& text, const char* separators) {
  std::vector<std::string> found;
  boost::algorithm::split(found, text, boost::is_any_of(separators), boost::token_compress_on);
  found.erase(std::remove(found.begin(), found.end(), ""), found.end());
  return found;
}

bool is_sum(const std::string& word) {
  return word.size() == kDigits && word.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool has(const std::vector<std::string>& sums, const std::string& sum) {
  return std::find(sums.begin(), sums.end(), sum) != sums.end();
}

/// The sums of what this user allowed at a terminal, one on a line.
class AllowedBefore {
 public:
  AllowedBefore() {
    const auto folder = [](const char* name) {
      const char* const value = std::getenv(name);
      return fs::path(value != nullptr ? value : "");
    };
    fs::path state = folder("XDG_STATE_HOME");
    if (state.empty() && !folder("HOME").empty()) state = folder("HOME") / ".local" / "state";
    if (!state.empty()) file_ = state / "spica" / "allowed-plugins";
  }

  /// A list that others can write allows nothing.
  bool has(const std::string& sum) const {
    struct stat status{};
    if (file_.empty() || stat(file_.c_str(), &status) != 0 || status.st_uid != geteuid() ||
        (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
      return false;
    return cli::has(words(input::read_regular_file(file_.string(), input::kMiB).text(), "\n"), sum);
  }

  /// Without a place to keep it, the consent is that of this process and its children.
  void add(const std::string& sum) const {
    std::error_code ignored;
    if (file_.empty()) return;
    fs::create_directories(file_.parent_path(), ignored);
    const int descriptor = open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0) return;
    const std::string line = sum + "\n";
    [[maybe_unused]] const ssize_t written = write(descriptor, line.data(), line.size());
    close(descriptor);
  }

 private:
  fs::path file_;  // empty: there is no place for it
};

/// Whether the environment allows a content: "1", or its sum among those that a parent process has consent for.
bool environment_allows(const std::string& sum) {
  const std::string given = PluginConsent::given();
  if (given == "1") return true;
  if (given == "0") return false;
  const std::vector<std::string> sums = words(given, ",");
  if (!std::all_of(sums.begin(), sums.end(), is_sum))
    throw input::UserError(
        fmt::format("the environment variable {} is \"{}\"; allowed: 1, 0, SHA-256 sums of libraries "
                    "separated by commas",
                    soc::kAllowPlugins, input::printable(given)));
  return has(sums, sum);
}

/// For children of this process.
void add_to_environment(const std::string& sum) {
  const std::string given = PluginConsent::given();
  setenv(soc::kAllowPlugins, (given.empty() || given == "0" ? sum : given + "," + sum).c_str(), 1);
}

bool ask(const soc::PluginFile& file, const std::string& sum) {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1) return false;
  fmt::print(stderr,
             "spica: {} names a library of blocks, {}. Its code will run with your rights.\n"
             "       file    {}\n       sha256  {}\n"
             "Allow this content, now and in later runs? [y/N] ",
             file.place, file.shown, input::printable(file.path), sum);
  std::string answer;
  std::getline(std::cin, answer);
  return !answer.empty() && (answer[0] == 'y' || answer[0] == 'Y');
}

Answer judge(const soc::PluginFile& file, bool only_checks) {
  if (PluginConsent::given() == "1") return Answer::kAllowed;
  const std::vector<unsigned char> bytes = input::read_file(file.path);
  const std::string sum = digest::sha256_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (environment_allows(sum)) return Answer::kAllowed;
  const AllowedBefore before;
  if (!before.has(sum)) {
    if (only_checks) return Answer::kLeftOut;
    if (!ask(file, sum)) return Answer::kRefused;
    before.add(sum);
  }
  add_to_environment(sum);
  return Answer::kAllowed;
}

void set_judge(bool only_checks) {
  PluginConsent::of_this_process().set_judge(
      [only_checks](const soc::PluginFile& file) { return judge(file, only_checks); });
}

}  // namespace

void add_plugin_option(Command& command) {
  command.flag_calls("--allow-plugins", PluginConsent::allow_all,
                     "load the libraries of blocks that configurations name, without asking");
}

void guard_plugins() { set_judge(false); }

void leave_out_plugins() { set_judge(true); }

bool print_unchecked_plugins() {
  const std::vector<std::string>& unchecked = PluginConsent::of_this_process().unchecked();
  for (const std::string& sentence : unchecked) fmt::print("{}\n", sentence);
  return !unchecked.empty();
}

}  // namespace spica::cli
