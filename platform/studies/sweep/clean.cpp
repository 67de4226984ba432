// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/clean.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <random>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "platform/base/digest/digest.h"
#include "platform/base/input/user_error.h"
#include "platform/studies/sweep/line_file.h"
#include "platform/studies/sweep/record.h"
#include "platform/studies/sweep/store.h"

namespace spica::sweep {

namespace fs = std::filesystem;

namespace {

bool may_still_write(const fs::path& file, bool all) {
  const auto owner = owner_of(file);
  if (!owner || all) return false;
  return owner->host != host_name() || kill(owner->process, 0) == 0 || errno != ESRCH;
}

/// Where a record is, and what decides its place in the new file.
struct Found {
  std::uint64_t index = 0;
  std::string key, model;
  std::uint32_t file = 0;
  LineFile::Place place;
};

/// The same for two records that say the same.
std::string identity(const Record& record) {
  return digest::sha256_text(record.key + ' ' + record.model + ' ' + record.columns + ' ' + record.result());
}

class Cleaner {
 public:
  Cleaner(const fs::path& folder, bool all) : folder_(folder / "records") {
    for (const fs::path& file : record_files(folder)) {
      if (may_still_write(file, all)) ++cleaned_.running;
      else files_.emplace_back(file);
    }
  }

  Cleaned run() {
    if (files_.size() < 2 && (files_.empty() || files_.front().path().extension() == ".zst")) {
      cleaned_.files = files_.size();
      return cleaned_;
    }
    find_all();
    const fs::path packed = write();
    check(packed);
    for (const LineFile& file : files_) fs::remove(file.path());
    return cleaned_;
  }

 private:
  void find_all() {
    std::unordered_set<std::string> seen;
    for (std::uint32_t file = 0; file < files_.size(); ++file) {
      cleaned_.bytes_before += fs::file_size(files_[file].path());
      files_[file].for_each([&](const std::string& line, const LineFile::Place& place, bool is_whole) {
        const auto record = is_whole ? record_of(line) : std::nullopt;
        if (!record) {
          ++cleaned_.damaged;
          return;
        }
        if (!seen.insert(identity(*record)).second) {
          ++cleaned_.doubles;
          return;
        }
        found_.push_back({record->index, record->key, record->model, file, place});
      });
      files_[file].close();
    }
    cleaned_.files = files_.size();
    cleaned_.records = found_.size();
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tie(a.index, a.key, a.model, a.file, a.place.frame, a.place.offset) <
             std::tie(b.index, b.key, b.model, b.file, b.place.frame, b.place.offset);
    });
  }

  fs::path write() {
    std::random_device random;
    const auto time = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
    const fs::path packed =
        folder_ / fmt::format("merged-{}-{}-{}-{:08x}.jsonl.zst", host_name(), getpid(), time, random());
    const fs::path unfinished = packed.string() + ".new";
    PackedLines lines(unfinished);
    for (const Found& one : found_) lines.add(files_[one.file].line(one.place));
    lines.finish();
    fs::rename(unfinished, packed);
    cleaned_.bytes_after = fs::file_size(packed);
    return packed;
  }

  /// All records can be read from the new file.
  void check(const fs::path& packed) {
    std::size_t next = 0;
    LineFile written(packed);
    written.for_each([&](const std::string& line, const LineFile::Place&, bool is_whole) {
      if (is_whole && next < found_.size() && line == files_[found_[next].file].line(found_[next].place))
        ++next;
    });
    if (next != found_.size())
      throw input::UserError(fmt::format("{} is incomplete; nothing was removed", packed.string()));
  }

  const fs::path folder_;
  std::vector<LineFile> files_;
  std::vector<Found> found_;
  Cleaned cleaned_;
};

}  // namespace

Cleaned clean(const fs::path& folder, bool all) try {
  return Cleaner(folder, all).run();
} catch (const fs::filesystem_error& error) {
  throw input::UserError(error.what());
}

}  // namespace spica::sweep
