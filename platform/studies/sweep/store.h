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

/// A file of records owned by this process: records/SHARD-HOST-PID-TIME-RANDOM.jsonl. Each record is a single write;
/// records are flushed to the disk at most once a second, and at the end.
class RecordWriter {
 public:
  /// Throws UserError if the file cannot be created.
  RecordWriter(const std::filesystem::path& folder, const std::string& shard);
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Throws UserError if the disk is full; earlier records remain.
  void write(const Record& record);

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  double last_flush_ = 0;
};

/// The names of the values in records, each list stored once: columns/HASH.json.
class ColumnNames {
 public:
  explicit ColumnNames(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// `names`: a JSON array. Writes the file if it does not exist. Returns the hash.
  std::string put(const std::string& names);
  std::string put(const std::vector<std::string>& names);
  /// Empty: the file is missing or damaged.
  const std::vector<std::string>& get(const std::string& hash);

 private:
  const std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> known_;
  std::set<std::string> put_;  // hashes of put()
};

/// The values of a record by name; null: its names or values are damaged.
json::Value values_of(const Record& record, ColumnNames& columns);

/// Other models whose records are used in a folder, where the current model has none: accepted-models.txt.
class AcceptedModels {
 public:
  explicit AcceptedModels(const std::filesystem::path& folder);
  /// In the order of acceptance, which is the order of preference.
  const std::vector<std::string>& names() const { return names_; }
  /// Throws UserError with the existing models if there is no record of this one.
  void add(const std::string& model);

 private:
  const std::filesystem::path folder_;
  std::vector<std::string> names_;
};

/// The files of records in a folder, in order.
std::vector<std::filesystem::path> record_files(const std::filesystem::path& folder);
/// The host and process that own a file of records; empty: none.
struct RecordOwner {
  std::string host;
  int process = 0;
};
std::optional<RecordOwner> owner_of(const std::filesystem::path& file);
/// The name of this host in file names; SPICA_HOST in the environment overrides it.
std::string host_name();

/// All records in a folder: their places, not their contents.
class Records {
 public:
  /// Reads all files in `folder`/records. Records of models other than `model` are counted but not used, unless
  /// accepted. Throws std::runtime_error with both names if two records of one key and model have different results,
  /// which indicates an error.
  Records(const std::filesystem::path& folder, std::string model);

  State state(const std::string& key) const;
  /// The hash of the names of its values; "": no record.
  const std::string& columns(const std::string& key) const;
  /// Empty: no record.
  std::optional<Record> find(const std::string& key) const;

  std::uint64_t damaged() const { return damaged_; }
  /// Unused records, by model.
  const std::map<std::string, std::uint64_t>& of_other_models() const { return others_; }
  std::uint64_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint32_t file = 0;
    State state = State::kMissing;
    std::uint8_t rank = 0;  // of the model: 0 is the current one
    LineFile::Place place;
    std::uint64_t result = 0;  // hash of Record::result()
    std::string columns;
    std::size_t value_bytes = 0;
  };
  void read(std::uint32_t file);
  void add(const Record& record, const Entry& entry);

  std::vector<std::string> models_;  // the current one, then the accepted ones
  mutable std::vector<LineFile> files_;
  mutable std::set<std::uint32_t> open_;
  std::unordered_map<std::string, Entry> entries_;  // by key
  std::uint64_t damaged_ = 0;
  std::map<std::string, std::uint64_t> others_;
};

}  // namespace spica::sweep
