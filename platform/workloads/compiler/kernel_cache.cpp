// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/kernel_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "platform/base/digest/digest.h"
#include "platform/base/input/environment.h"
#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/temporary_folder.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/pattern.h"

namespace spica::compiler {

namespace fs = std::filesystem;
using input::UserError;

namespace {

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw UserError(fmt::format(
      "a kernel compiled for this machine cannot be stored in {} ({}): name another folder in the "
      "environment variable SPICA_CACHE",
      input::printable(folder.string()), why));
}

/// Programs come from there: others must not put any into it.
void check_owner(const fs::path& folder) {
  struct stat status{};
  if (stat(folder.c_str(), &status) != 0) refuse(folder, std::strerror(errno));
  if (status.st_uid != geteuid()) refuse(folder, "it belongs to another user");
  if ((status.st_mode & S_IWOTH) != 0) refuse(folder, "every user may write to it");
}

void make_private(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) refuse(folder, std::strerror(errno));
  check_owner(folder);
}

/// A lock of the system, which ends with the process that has it. Without it two processes make the same file, which is
/// slower and otherwise the same: so a lock that cannot be had, or that a stopped process keeps, is done without.
class Lock {
 public:
  explicit Lock(const fs::path& file)
      : descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600)) {
    constexpr int kTries = 600;
    constexpr useconds_t kPause = 100'000;
    for (int i = 0; descriptor_ >= 0 && i < kTries && flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++i)
      usleep(kPause);
  }
  ~Lock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int descriptor_;
};

std::string digest_of(const fs::path& file) {
  const input::FileContent content = input::read_regular_file(file.string(), input::kMaxFileBytes);
  if (!content.problem.empty()) return {};
  return digest::sha256_text({reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()});
}

fs::path sum_of(const fs::path& file) { return file.string() + ".sha256"; }

/// It is what was made, to the last byte.
bool is_whole(const fs::path& file) {
  const std::string sum = input::read_regular_file(sum_of(file).string(), input::kKiB).text();
  return !sum.empty() && digest_of(file) == sum;
}

/// NAME.PID, NAME.XXXXXX, NAME.lock, NAME.elf.PID.new and the like, where NAME ends with a hash. Nothing else is ours.
bool is_leftover(const std::string& name) {
  static const text::Pattern form(
      R"(.*-[0-9a-f]{32}(\.[0-9]+|\.[A-Za-z0-9]{6}|\.lock|\.elf(\.sha256)?\.[0-9]+\.new))");
  return form.match(name).has_value();
}

/// What killed processes have left, after an hour: no compilation takes as long.
void remove_leftovers(const fs::path& folder) {
  constexpr std::chrono::hours kAge(1);
  std::error_code error;
  for (fs::directory_iterator next(folder, error), end; !error && next != end; next.increment(error)) {
    std::error_code ignored;
    if (!is_leftover(next->path().filename().string())) continue;
    const auto written = fs::last_write_time(next->path(), ignored);
    if (ignored || fs::file_time_type::clock::now() - written < kAge) continue;
    fs::remove_all(next->path(), ignored);
  }
}

}  // namespace

KernelCache::KernelCache() {
  const auto variable = [](const char* name) { return fs::path(input::variable(name)); };
  fs::path base = variable("SPICA_CACHE");
  if (base.empty() && !variable("XDG_CACHE_HOME").empty()) base = variable("XDG_CACHE_HOME") / "spica";
  if (base.empty() && !variable("HOME").empty()) base = variable("HOME") / ".cache" / "spica";
  if (base.empty()) {
    base = fs::temp_directory_path() / fmt::format("spica-{}", geteuid());
    make_private(base);
  }
  folder_ = base / "kernels";
  make_private(folder_);
}

fs::path KernelCache::file(const std::string& name,
                           const std::function<fs::path(const fs::path& folder)>& make) const {
  const fs::path made = folder_ / (name + ".elf");
  if (is_whole(made)) return made;
  remove_leftovers(folder_);
  const fs::path lock_file = folder_ / (name + ".lock");
  const Lock lock(lock_file);
  if (is_whole(made)) return made;  // made meanwhile
  const input::TemporaryFolder work((folder_ / name).string());
  if (!work.problem().empty()) refuse(folder_, work.problem());
  const fs::path fresh = make(work.path());
  std::error_code error;
  if (fs::is_directory(made, error)) fs::remove_all(made, error);
  input::write_text(sum_of(made).string(), digest_of(fresh));
  fs::rename(fresh, made, error);
  if (error) refuse(folder_, error.message());
  fs::remove(lock_file, error);
  return made;
}

}  // namespace spica::compiler
