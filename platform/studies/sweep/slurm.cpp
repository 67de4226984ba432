// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/slurm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <sys/wait.h>
#include <algorithm>
#include <array>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "platform/base/input/file.h"
#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/pattern.h"
#include "platform/machine/soc/plugin_consent.h"
#include "platform/observe/report/provenance.h"
#include "platform/run/files.h"
#include "platform/studies/sweep/run_fingerprints.h"

namespace spica::sweep {

namespace fs = std::filesystem;

namespace {

struct Said {
  std::string text;
  int code = 0;
};

/// Runs a command of the shell.
Said output_of(const std::string& command) {
  Said said;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {"no shell", 127};
  std::array<char, 4096> piece{};
  while (std::fgets(piece.data(), static_cast<int>(piece.size()), pipe) != nullptr) said.text += piece.data();
  const int status = pclose(pipe);
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return said;
}

/// The number behind a word in what a command says.
std::optional<std::uint64_t> number_behind(const std::string& command, const std::string& pattern) {
  const Said said = output_of(command);
  if (said.code != 0) return std::nullopt;
  const auto found = text::Pattern(pattern).search(said.text);
  return found ? input::parse_number(found->at(1)) : std::nullopt;
}

}  // namespace

namespace {

/// What kernels are compiled from, with the paths of a build tree.
void copy_kernel_home(const compiler::KernelHome& home, const fs::path& to) {
  const auto copy_files = [](const fs::path& from, const fs::path& folder, const char* ending) {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from, none)) {
      const std::string name = entry.path().string();
      if (!entry.is_regular_file() || !boost::ends_with(name, ending)) continue;
      const fs::path target = folder / entry.path().lexically_relative(from);
      fs::create_directories(target.parent_path());
      fs::copy_file(entry.path(), target);
    }
  };
  for (const char* folder : {"sw/lib", "sw/kernels"}) copy_files(home.root / folder, to / folder, "");
  for (const char* file : {"sw/gcc.flags", "sw/clang.flags"})
    if (fs::exists(home.root / file)) fs::copy_file(home.root / file, to / file);
  copy_files(home.root / "models", to / "models", "_regs.h");
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(home.runtime, none))
    if (entry.is_directory() && entry.path().filename().string().rfind("lib", 0) == 0)
      copy_files(entry.path(), to / "sw/objects" / entry.path().filename(), ".o");
  if (fs::exists(home.runtime / "objects.txt"))
    fs::copy_file(home.runtime / "objects.txt", to / "sw/objects/objects.txt");
}

/// A value of an option in a line of sbatch, which reads quotes as a shell does. Line ends have no place there: of
/// names and folders that have some no job is made.
std::string quoted(const std::string& value) {
  if (std::any_of(value.begin(), value.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }))
    throw input::UserError(
        fmt::format("'{}' has a line end or another control character, which a script for Slurm cannot hold",
                    input::printable(value)));
  return report::shell_text({value});
}

/// A file name in which sbatch replaces nothing.
std::string without_patterns(const std::string& path) {
  return boost::algorithm::replace_all_copy(path, "%", "%%");
}

}  // namespace

fs::path copy_program(const fs::path& folder, const fs::path& kernels, const fs::path& configs,
                      const compiler::KernelHome& home) try {
  const fs::path target = folder / "bin" / model_text();
  if (fs::exists(target)) return target;
  const fs::path fresh = target.string() + fmt::format(".{}.new", getpid());
  fs::create_directories(fresh / "platform" / "cli");
  fs::create_directories(fresh / "sw");
  fs::copy_file("/proc/self/exe", fresh / "platform" / "cli" / "spica");
  fs::permissions(fresh / "platform" / "cli" / "spica",
                  fs::perms::owner_all | fs::perms::group_exec | fs::perms::group_read);
  fs::copy(configs, fresh / "configs", fs::copy_options::recursive);
  for (const fs::directory_entry& entry : fs::directory_iterator(kernels))
    if (entry.path().extension() == ".elf" || entry.path().extension() == ".missing")
      fs::copy_file(entry.path(), fresh / "sw" / entry.path().filename());
  copy_kernel_home(home, fresh);
  std::error_code lost;
  fs::rename(fresh, target, lost);
  if (lost) fs::remove_all(fresh);  // another process was faster
  return target;
} catch (const fs::filesystem_error& error) {
  throw input::UserError(fmt::format("cannot copy the program for Slurm: {}", error.what()));
}

std::uint64_t number_of_tasks(std::uint64_t missing, double cpu_seconds) {
  constexpr double kTaskSeconds = 600;
  constexpr std::uint64_t kMost = 1000;
  const std::uint64_t cores = number_behind("sinfo -h -o %C", R"(/(\d+)\s*$)").value_or(1);
  const std::uint64_t limit =
      number_behind("scontrol show config", R"(MaxArraySize\s*=\s*(\d+))").value_or(kMost);
  const auto wanted = std::max(static_cast<std::uint64_t>(cpu_seconds / kTaskSeconds) + 1, cores);
  return std::max<std::uint64_t>(1, std::min({wanted, kMost, std::max<std::uint64_t>(limit, 1), missing}));
}

std::string slurm_time(const std::string& text) {
  static const std::map<char, double> seconds{{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
  const auto unit = text.empty() ? seconds.end() : seconds.find(text.back());
  if (unit == seconds.end()) return text;
  const auto number = input::parse_number(text.substr(0, text.size() - 1));
  if (!number) return text;
  const double minutes = std::ceil(static_cast<double>(*number) * unit->second / 60);
  return fmt::format("{:.0f}", std::max(minutes, 1.0));
}

std::uint64_t next_array(const fs::path& folder) {
  std::error_code ignored;
  std::uint64_t number = 1;
  while (fs::exists(folder / "slurm" / fmt::format("array-{}.sh", number), ignored)) ++number;
  return number;
}

fs::path write_array(const Sweep& sweep, const SlurmArray& array, const std::vector<std::uint64_t>& points) {
  const fs::path folder = array.folder / "slurm";
  job::make_folder(folder.string());
  std::string list;
  for (const std::uint64_t point : points) list += fmt::format("{}\n", point);
  const fs::path missing = folder / fmt::format("missing-{}.txt", array.number);
  input::write_text(missing.string(), list);
  std::string text = fmt::format(
      "#!/bin/sh\n#SBATCH --job-name={}\n#SBATCH --array=0-{}\n#SBATCH --requeue\n#SBATCH --signal=B:TERM@60\n"
      "#SBATCH --cpus-per-task={}\n#SBATCH --time={}\n#SBATCH --output={}\n",
      quoted(sweep.name), array.tasks - 1, sweep.slurm.cpus, slurm_time(sweep.slurm.time),
      quoted(without_patterns(folder.string()) + "/%A_%a.log"));
  if (!sweep.slurm.partition.empty())
    text += fmt::format("#SBATCH --partition={}\n", quoted(sweep.slurm.partition));
  for (const std::string& option : sweep.slurm.options) text += fmt::format("#SBATCH {}\n", option);
  // Slurm tells the shell to end, which by then is the sweep: it stops starting runs, and what is written stays.
  if (const std::string allowed = soc::PluginConsent::given(); !allowed.empty())
    text += fmt::format("export {}={}\n", soc::kAllowPlugins, report::shell_text({allowed}));
  text += fmt::format(
      "export SPICA_ROOT={}\nexec {} sweep run {} --dir {} --points-of {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" "
      "--jobs \"${{SLURM_CPUS_PER_TASK:-1}}\"\n",
      report::shell_text({array.program_folder.string()}),
      report::shell_text({(array.program_folder / "platform" / "cli" / "spica").string()}),
      report::shell_text({array.given}), report::shell_text({array.folder.string()}),
      report::shell_text({missing.string()}), array.tasks);
  const fs::path script = folder / fmt::format("array-{}.sh", array.number);
  input::write_text(script.string(), text);
  return script;
}

std::string submit(const fs::path& script) {
  const Said said = output_of("sbatch --parsable " + report::shell_text({script.string()}));
  constexpr int kNotFound = 127;
  if (said.code == kNotFound)
    throw input::UserError("there is no sbatch here (Debian: slurm-wlm); --no-submit only writes the script");
  if (said.code != 0) throw input::UserError("sbatch: " + said.text.substr(0, said.text.find('\n')));
  return said.text.substr(0, said.text.find_first_of(";\n"));
}

}  // namespace spica::sweep
