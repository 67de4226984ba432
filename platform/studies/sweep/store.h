// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/studies/sweep/line_file.h"
#include "platform/studies/sweep/record.h"

namespace spica::sweep {

/// A file of records that belongs to this process alone: records/SHARD-HOST-PID-TIME-RANDOM.jsonl. Each record is one
/// write; they are flushed to the disk at most once a second, and at the end.
class RecordWriter {
 public:
  /// Throws UserError where no file can be made.
  RecordWriter(const std::filesystem::path& folder, const std::string& shard);
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Throws UserError when the disk is full; what was written stays.
  void write(const Record& record);

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  double last_flush_ = 0;
};

/// The names of the values of records, kept once: columns/HASH.json.
class ColumnNames {
 public:
  explicit ColumnNames(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// Writes the file unless it is there. Returns the hash.
  std::string put(const std::vector<std::string>& names);
  /// Empty: there is no such file, or it is damaged.
  const std::vector<std::string>& get(const std::string& hash);

 private:
  const std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> known_;
};

/// Other models whose records also count in a folder, where the current model has none: accepted-models.txt.
class AcceptedModels {
 public:
  explicit AcceptedModels(const std::filesystem::path& folder);
  /// In the order in which they were accepted, which is that in which their records are taken.
  const std::vector<std::string>& names() const { return names_; }
  /// Throws UserError that names the models there are when no record is of this one.
  void add(const std::string& model);

 private:
  const std::filesystem::path folder_;
  std::vector<std::string> names_;
};

/// The files of records in a folder, in order.
std::vector<std::filesystem::path> record_files(const std::filesystem::path& folder);
/// The host and the process that a file of records belongs to; nothing: to none.
struct RecordOwner {
  std::string host;
  int process = 0;
};
std::optional<RecordOwner> owner_of(const std::filesystem::path& file);
/// The name of this host in file names; SPICA_HOST in the environment is another one.
std::string host_name();

/// All records in a folder. Holds where they are, not what is in them.
class Records {
 public:
  /// Reads all files in `folder`/records. Records of another model than `model`, unless it was accepted, are counted,
  /// and not found. Throws std::runtime_error when two records of one key and model have different results, which must
  /// not be: names both.
  Records(const std::filesystem::path& folder, std::string model);

  State state(const std::string& key) const;
  /// The hash of the names of its values; "": there is none.
  const std::string& columns(const std::string& key) const;
  /// Nothing: there is none.
  std::optional<Record> find(const std::string& key) const;

  std::uint64_t damaged() const { return damaged_; }
  /// Records that do not count, by model.
  const std::map<std::string, std::uint64_t>& of_other_models() const { return others_; }
  std::uint64_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint32_t file = 0;
    State state = State::kMissing;
    std::uint8_t rank = 0;  // of the model: 0 is the one at hand
    LineFile::Place place;
    std::uint64_t result = 0;  // hash of Record::result()
    std::string columns;
    std::size_t value_bytes = 0;
  };
  void read(std::uint32_t file);
  void add(const Record& record, const Entry& entry);

  std::vector<std::string> models_;  // that at hand, then those that were accepted
  mutable std::vector<LineFile> files_;
  mutable std::set<std::uint32_t> open_;
  std::unordered_map<std::string, Entry> entries_;  // by key
  std::uint64_t damaged_ = 0;
  std::map<std::string, std::uint64_t> others_;
};

}  // namespace spica::sweep
