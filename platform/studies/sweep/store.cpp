// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/store.h"
#include "platform/base/digest/digest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "platform/base/input/environment.h"
#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/base/text/pattern.h"
#include "platform/run/files.h"
#include "platform/studies/sweep/run_fingerprints.h"

namespace spica::sweep {

namespace fs = std::filesystem;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Two results for one thing: which of them wins does not depend on the order of reading. A result that is byte for
/// byte the same on every host goes before what a host did to a run.
bool is_reproducible(State state) {
  return state != State::kTimeout && state != State::kMemory && state != State::kCrash;
}

/// Names a file of columns.
std::string hash_of(const std::string& names) { return digest::sha256_text(names).substr(0, 16); }

std::string json_of(const std::vector<std::string>& names) { return json::Value(names).dump(); }

}  // namespace

std::string host_name() {
  if (std::string given = input::variable("SPICA_HOST"); !given.empty()) return given;
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::vector<fs::path> record_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "records", error)) {
    const bool is_packed = entry.path().extension() == ".zst" && entry.path().stem().extension() == ".jsonl";
    if (is_packed || entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<RecordOwner> owner_of(const fs::path& file) {
  static const text::Pattern form(R"([^-]+-(.+)-(\d{1,9})-\d+-[0-9a-f]{8}\.jsonl)");
  const auto parts = form.match(file.filename().string());
  if (!parts) return std::nullopt;
  return RecordOwner{parts->at(1), std::stoi(parts->at(2))};
}

RecordWriter::RecordWriter(const fs::path& folder, const std::string& shard) {
  job::make_folder((folder / "records").string());
  std::random_device random;
  const auto time = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
  file_ = folder / "records" /
          fmt::format("{}-{}-{}-{}-{:08x}.jsonl", shard, host_name(), getpid(), time, random());
  descriptor_ = open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0)
    throw input::UserError(fmt::format("cannot write {}: {}", file_.string(), std::strerror(errno)));
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
    throw input::UserError(fmt::format("cannot write {}: {}; what was written before stays", file_.string(),
                                       written < 0 ? std::strerror(errno) : "no room for a whole record"));
  if (now() - last_flush_ < 1) return;
  fdatasync(descriptor_);
  last_flush_ = now();
}

std::string ColumnNames::put(const std::vector<std::string>& names) { return put(json_of(names)); }

std::string ColumnNames::put(const std::string& names) {
  std::string hash = hash_of(names);
  if (!put_.insert(hash).second || !get(hash).empty()) return hash;
  job::make_folder((folder_ / "columns").string());  // not there, or damaged
  input::write_text((folder_ / "columns" / (hash + ".json")).string(), names + "\n");
  known_.erase(hash);
  return hash;
}

const std::vector<std::string>& ColumnNames::get(const std::string& hash) {
  const auto [found, is_new] = known_.try_emplace(hash);
  if (!is_new) return found->second;
  if (const auto names = json::read_file((folder_ / "columns" / (hash + ".json")).string()))
    if (names->is_array() &&
        std::all_of(names->begin(), names->end(), [](const json::Value& name) { return name.is_string(); }) &&
        hash_of(json_of(names->get<std::vector<std::string>>())) == hash)
      found->second = names->get<std::vector<std::string>>();
  return found->second;
}

json::Value values_of(const Record& record, ColumnNames& columns) {
  const std::vector<std::string>& names = columns.get(record.columns);
  const auto values = json::parse(record.values);
  if (!values || values->size() != names.size()) return {};
  auto result = json::Value::object();
  for (std::size_t i = 0; i < names.size(); ++i) result[names[i]] = values->at(i);
  return result;
}

AcceptedModels::AcceptedModels(const fs::path& folder) : folder_(folder) {
  std::istringstream stream(
      input::read_regular_file((folder_ / "accepted-models.txt").string(), input::kMiB).text());
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) names_.push_back(line);
}

void AcceptedModels::add(const std::string& model) {
  if (std::find(names_.begin(), names_.end(), model) != names_.end()) return;
  const Records records(folder_, model_text());
  const std::map<std::string, std::uint64_t>& others = records.of_other_models();
  if (others.count(model) == 0) {
    std::vector<std::string> there;
    for (const auto& [name, count] : others)
      there.push_back(fmt::format("{} ({} record{})", name, count, count == 1 ? "" : "s"));
    throw input::UserError(fmt::format(
        "--accept-model {}: no record is of this model; {}", model,
        there.empty() ? "there are no others" : fmt::format("there are {}", fmt::join(there, ", "))));
  }
  constexpr std::size_t kMost = 200;
  if (names_.size() == kMost)
    throw input::UserError(fmt::format("--accept-model: {} models are accepted already", kMost));
  names_.push_back(model);
  input::write_text((folder_ / "accepted-models.txt").string(), fmt::format("{}\n", fmt::join(names_, "\n")));
}

Records::Records(const fs::path& folder, std::string model) : models_{std::move(model)} {
  const AcceptedModels accepted(folder);
  models_.insert(models_.end(), accepted.names().begin(), accepted.names().end());
  for (fs::path& file : record_files(folder)) files_.emplace_back(std::move(file));
  for (std::uint32_t file = 0; file < files_.size(); ++file) read(file);
}

void Records::read(std::uint32_t file) {
  files_[file].for_each([&](const std::string& line, const LineFile::Place& place, bool is_whole) {
    const auto record = is_whole ? record_of(line) : std::nullopt;
    if (!record) {
      ++damaged_;
      return;
    }
    const auto model = std::find(models_.begin(), models_.end(), record->model);
    if (model == models_.end()) {
      ++others_[record->model];
      return;
    }
    Entry entry;
    entry.file = file;
    entry.state = record->state;
    entry.rank = static_cast<std::uint8_t>(model - models_.begin());
    entry.place = place;
    entry.result = std::hash<std::string>()(record->result());
    entry.columns = record->columns;
    entry.value_bytes = record->values.size();
    add(*record, entry);
  });
  files_[file].close();
}

void Records::add(const Record& record, const Entry& entry) {
  const auto [found, is_new] = entries_.try_emplace(record.key, entry);
  if (is_new) return;
  Entry& before = found->second;
  if (before.rank != entry.rank) {
    if (entry.rank < before.rank) before = entry;
    return;
  }
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
  constexpr std::size_t kMostOpen = 100;  // there may be thousands
  if (open_.size() == kMostOpen && open_.count(entry.file) == 0) {
    for (const std::uint32_t file : open_) files_[file].close();
    open_.clear();
  }
  open_.insert(entry.file);
  return record_of(files_[entry.file].line(entry.place));
}

}  // namespace spica::sweep
