// SPDX-License-Identifier: Apache-2.0
#include "platform/sweep/store.h"
#include "platform/digest/digest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <tuple>

#include "platform/job/files.h"
#include "platform/json/parse.h"
#include "platform/loader/file.h"
#include "platform/loader/user_error.h"
#include "platform/sweep/point_key.h"

namespace spica::sweep {

namespace fs = std::filesystem;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The name of this host in file names; SPICA_HOST in the environment is another one.
std::string host_name() {
  std::array<char, 256> name{};
  if (const char* given = std::getenv("SPICA_HOST")) return given;
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Two results for one thing: which of them wins does not depend on the order of reading. A result that is byte for byte
/// the same on every host goes before what a host did to a run.
bool is_reproducible(State state) {
  return state != State::kTimeout && state != State::kMemory && state != State::kCrash;
}

}  // namespace

RecordWriter::RecordWriter(const fs::path& folder, const std::string& shard) {
  job::make_folder((folder / "records").string());
  std::random_device random;
  const auto time = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
  file_ = folder / "records" /
          fmt::format("{}-{}-{}-{}-{:08x}.jsonl", shard, host_name(), getpid(), time, random());
  descriptor_ = open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0)
    throw loader::UserError(fmt::format("cannot write {}: {}", file_.string(), std::strerror(errno)));
  last_flush_ = now();
}

RecordWriter::~RecordWriter() {
  fdatasync(descriptor_);
  const bool is_empty = lseek(descriptor_, 0, SEEK_END) == 0;
  close(descriptor_);
  std::error_code ignored;
  if (is_empty) fs::remove(file_, ignored);
}

void RecordWriter::write(const Record& record) {
  const std::string line = line_of(record) + '\n';
  const ssize_t written = ::write(descriptor_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()))
    throw loader::UserError(fmt::format("cannot write {}: {}; what was written before stays", file_.string(),
                                        written < 0 ? std::strerror(errno) : "no room for a whole record"));
  if (now() - last_flush_ < 1) return;
  fdatasync(descriptor_);
  last_flush_ = now();
}

std::string ColumnNames::put(const std::vector<std::string>& names) {
  const std::string text = json::Value(names).dump();
  const std::string hash = digest::sha256_text(text).substr(0, 16);
  if (known_.count(hash) != 0) return hash;
  const fs::path file = folder_ / "columns" / (hash + ".json");
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    job::make_folder((folder_ / "columns").string());
    loader::write_text(file.string(), text + "\n");
  }
  known_[hash] = names;
  return hash;
}

const std::vector<std::string>& ColumnNames::get(const std::string& hash) {
  const auto [found, is_new] = known_.try_emplace(hash);
  if (!is_new) return found->second;
  if (const auto names = json::read_file((folder_ / "columns" / (hash + ".json")).string()))
    if (names->is_array() &&
        std::all_of(names->begin(), names->end(), [](const json::Value& name) { return name.is_string(); }))
      found->second = names->get<std::vector<std::string>>();
  return found->second;
}

Records::Records(const fs::path& folder, std::string model) : model_(std::move(model)) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "records", error))
    if (entry.path().extension() == ".jsonl") files_.push_back(entry.path());
  std::sort(files_.begin(), files_.end());
  for (const fs::path& file : files_) read(file);
}

void Records::read(const fs::path& file) {
  const auto number = static_cast<std::uint32_t>(&file - files_.data());
  std::ifstream stream(file, std::ios::binary);
  std::uint64_t offset = 0;
  for (std::string line; std::getline(stream, line);) {
    const bool is_whole = !stream.eof();  // else there is no line end
    const auto record = is_whole ? record_of(line) : std::nullopt;
    if (!record) {
      ++damaged_;
    } else if (record->model != model_) {
      ++others_;
    } else {
      Entry entry;
      entry.file = number;
      entry.state = record->state;
      entry.offset = offset;
      entry.length = static_cast<std::uint32_t>(line.size());
      entry.result = std::hash<std::string>()(record->result());
      entry.columns = record->columns;
      entry.value_bytes = record->values.size();
      add(*record, entry);
    }
    offset += line.size() + 1;
  }
}

void Records::add(const Record& record, const Entry& entry) {
  const auto [found, is_new] = entries_.try_emplace(record.key, entry);
  if (is_new) return;
  Entry& before = found->second;
  if (is_reproducible(before.state) != is_reproducible(entry.state)) {
    if (is_reproducible(entry.state)) before = entry;
    return;
  }
  if (before.columns != entry.columns) {  // other values were kept: those with more of them
    if (std::tie(before.value_bytes, before.columns) < std::tie(entry.value_bytes, entry.columns))
      before = entry;
    return;
  }
  if (before.result == entry.result || !is_reproducible(entry.state)) return;
  throw std::runtime_error(
      fmt::format("two different results of one run:\n{}\n{}", line_of(*find(record.key)), line_of(record)));
}

State Records::state(const std::string& key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? State::kMissing : found->second.state;
}

const std::string& Records::columns(const std::string& key) const {
  static const std::string none;
  const auto found = entries_.find(key);
  return found == entries_.end() ? none : found->second.columns;
}

std::optional<Record> Records::find(const std::string& key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  const Entry& entry = found->second;
  std::ifstream& stream = open_[entry.file];
  if (!stream.is_open()) stream.open(files_[entry.file], std::ios::binary);
  std::string line(entry.length, '\0');
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(entry.offset));
  stream.read(line.data(), static_cast<std::streamsize>(line.size()));
  return record_of(line);
}

}  // namespace spica::sweep
