// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/sweep/record.h"

namespace spica::sweep {

/// A file of records that belongs to this process alone: records/SHARD-HOST-PID-TIME-RANDOM.jsonl. Each record is one write;
/// they are flushed to the disk at most once a second, and at the end.
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
  /// Empty: there is no such file.
  const std::vector<std::string>& get(const std::string& hash);

 private:
  const std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> known_;
};

/// All records in a folder. Holds where they are, not what is in them.
class Records {
 public:
  /// Reads all files in `folder`/records. Records of another model than `model` are counted, and not found. Throws
  /// std::runtime_error when two records of one key and model have different results, which must not be: names both.
  Records(const std::filesystem::path& folder, std::string model);

  State state(const std::string& key) const;
  /// The hash of the names of its values; "": there is none.
  const std::string& columns(const std::string& key) const;
  /// Nothing: there is none.
  std::optional<Record> find(const std::string& key) const;

  std::uint64_t damaged() const { return damaged_; }
  std::uint64_t of_other_models() const { return others_; }
  std::uint64_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint32_t file = 0;
    State state = State::kMissing;
    std::uint32_t length = 0;
    std::uint64_t offset = 0;
    std::uint64_t result = 0;  // hash of Record::result()
    std::string columns;
    std::size_t value_bytes = 0;
  };
  void read(const std::filesystem::path& file);
  void add(const Record& record, const Entry& entry);

  const std::string model_;
  std::vector<std::filesystem::path> files_;
  mutable std::map<std::uint32_t, std::ifstream> open_;
  std::unordered_map<std::string, Entry> entries_;  // by key
  std::uint64_t damaged_ = 0, others_ = 0;
};

}  // namespace spica::sweep
