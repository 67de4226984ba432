// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/collect.h"

#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/observe/report/csv.h"
#include "platform/studies/sweep/database.h"

namespace spica::sweep {

namespace fs = std::filesystem;

namespace {

/// A file that replaces the one of its name when it is complete.
class NewFile {
 public:
  explicit NewFile(fs::path file)
      : file_(std::move(file)), new_(file_.string() + fmt::format(".{}.new", getpid())) {
    std::error_code ignored;
    fs::remove(new_, ignored);
  }
  ~NewFile() {
    std::error_code ignored;
    fs::remove(new_, ignored);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& path() const { return new_; }
  void done() const {
    std::error_code error;
    fs::rename(new_, file_, error);
    if (error) throw input::UserError(fmt::format("cannot write {}: {}", file_.string(), error.message()));
  }

 private:
  const fs::path file_;
  const std::string new_;
};

class TextFile {
 public:
  explicit TextFile(const fs::path& file) : file_(file), stream_(file_.path(), std::ios::binary) {}

  TextFile& operator<<(const std::string& text) {
    stream_ << text;
    return *this;
  }
  void done() {
    stream_.close();
    if (!stream_) throw input::UserError(fmt::format("cannot write {}", file_.path()));
    file_.done();
  }

 private:
  NewFile file_;
  std::ofstream stream_;
};

config::Operand operand_of_json(const json::Value& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return std::string(value.get<bool>() ? "true" : "false");
  if (value.is_string()) return value.get<std::string>();
  return {};
}

std::string field(const config::Operand& value) {
  if (const double* number = std::get_if<double>(&value)) return config::number_text(*number);
  const std::string* text = std::get_if<std::string>(&value);
  if (text == nullptr) return {};
  return text->find_first_of(",\"\n\r") == std::string::npos ? *text : report::csv_quoted(*text);
}

class Collector {
 public:
  Collector(const Plan& plan, RunFingerprints& keys, const fs::path& folder)
      : plan_(plan),
        folder_(folder),
        names_of_(folder),
        records_(folder, model_text()),
        tasks_(all_tasks(plan, keys)),
        with_models_(!AcceptedModels(folder).names().empty()) {
    result_.damaged = records_.damaged();
    result_.of_other_models = records_.of_other_models();
    find_columns();
  }

  Collected run() {
    TextFile csv(folder_ / "results.csv"), host(folder_ / "host.csv");
    NewFile file(folder_ / "results.sqlite");
    {
      Database database(file.path(), Database::Access::kCreate);
      database.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE");
      database.execute("BEGIN; " + create_text());
      csv << header_text();
      host << "point,run,cpu_seconds,wall_seconds,megabytes\n";
      std::string places;
      for (std::size_t i = 0; i < header_.size(); ++i) places += i == 0 ? "?" : ",?";
      Database::Statement insert(database, "INSERT INTO points VALUES(" + places + ")");
      for (std::size_t first = 0; first < tasks_.size(); first += plan_.sweep().repeats) {
        const std::vector<config::Operand> row = this->row(first, host);
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
          line += (i == 0 ? "" : ",") + field(row[i]);
          insert.bind(static_cast<int>(i) + 1, row[i]);
        }
        csv << line + "\n";
        insert.step();
        insert.reset();
      }
      database.execute("COMMIT");
    }
    csv.done();
    host.done();
    file.done();
    return result_;
  }

 private:
  /// All names of values, those of the first points first.
  void find_columns() {
    std::set<std::string> hashes, seen;
    for (const Task& task : tasks_) {
      const std::string& hash = records_.columns(task.key);
      if (hash.empty() || !hashes.insert(hash).second) continue;
      for (const std::string& name : names_of_.get(hash))
        if (plan_.sweep().axis(name) == nullptr && seen.insert(name).second) values_.push_back(name);
    }
    header_ = {"point"};
    if (!plan_.sweep().also.empty()) header_.emplace_back("name");
    for (const Axis& axis : plan_.sweep().axes) header_.push_back(axis.name);
    if (with_models_) header_.emplace_back("model");
    header_.insert(header_.end(), {"state", "reason"});
    for (const std::string& name : values_) {
      header_.push_back(name);
      if (plan_.sweep().repeats > 1) header_.insert(header_.end(), {name + "_min", name + "_max"});
    }
  }

  std::string header_text() const {
    std::string text;
    for (const std::string& name : header_) text += (text.empty() ? "" : ",") + field(config::Operand(name));
    return text + "\n";
  }

  std::string create_text() const {
    std::string columns;
    for (const std::string& name : header_)
      columns += columns.empty() ? sql_name(name) + " INTEGER PRIMARY KEY" : ", " + sql_name(name);
    return "CREATE TABLE points(" + columns + ")";
  }

  std::vector<config::Operand> row(std::size_t first, TextFile& host) {
    const Point point = plan_.point(tasks_[first].index);
    std::vector<config::Operand> row{static_cast<double>(point.index)};
    if (!plan_.sweep().also.empty()) row.emplace_back(point.name);
    for (const AxisValue* value : point.values)
      row.push_back(value->label.empty() ? config::Operand() : config::operand_of(value->label));
    State state = State::kOk;
    std::string reason, model;
    std::map<std::string, std::vector<config::Operand>> values;
    for (unsigned run = 0; run < plan_.sweep().repeats; ++run) {
      const std::optional<Record> record = records_.find(tasks_[first + run].key);
      const State own = record ? record->state : State::kMissing;
      if (state == State::kOk && own != State::kOk) {
        state = own;
        reason = record ? record->reason : "";
      }
      if (!record) continue;
      model = record->model;
      host << fmt::format("{},{},{:.6f},{:.6f},{:.1f}\n", point.index, run, record->cpu_seconds,
                          record->wall_seconds, record->megabytes);
      const auto read = json::parse(record->values);
      const std::vector<std::string>& names = names_of_.get(record->columns);
      for (std::size_t i = 0; read && i < std::min(names.size(), read->size()); ++i)
        values[names[i]].push_back(operand_of_json((*read)[i]));
    }
    if (with_models_) row.push_back(model.empty() ? config::Operand() : config::Operand(model));
    row.emplace_back(std::string(state_name(state)));
    row.push_back(reason.empty() ? config::Operand() : config::Operand(reason));
    for (const std::string& name : values_) add_value(values[name], row);
    ++result_.points;
    ++result_.states[state];
    return row;
  }

  void add_value(const std::vector<config::Operand>& runs, std::vector<config::Operand>& row) const {
    if (plan_.sweep().repeats == 1) return row.push_back(runs.empty() ? config::Operand() : runs.front());
    std::vector<double> numbers;
    for (const config::Operand& run : runs)
      if (const double* number = std::get_if<double>(&run)) numbers.push_back(*number);
    if (numbers.empty()) {
      row.push_back(runs.empty() ? config::Operand() : runs.front());
      row.insert(row.end(), 2, config::Operand());
      return;
    }
    std::sort(numbers.begin(), numbers.end());
    const std::size_t middle = numbers.size() / 2;
    row.emplace_back(numbers.size() % 2 != 0 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2);
    row.emplace_back(numbers.front());
    row.emplace_back(numbers.back());
  }

  const Plan& plan_;
  const fs::path folder_;
  ColumnNames names_of_;
  const Records records_;
  const std::vector<Task> tasks_;
  const bool with_models_;  // records of other models count, too
  std::vector<std::string> values_, header_;
  Collected result_;
};

}  // namespace

Collected collect(const Plan& plan, RunFingerprints& keys, const fs::path& folder) try {
  return Collector(plan, keys, folder).run();
} catch (const DatabaseError& error) {
  throw input::UserError(fmt::format("cannot write the results in {}: {}", folder.string(), error.what()));
}

}  // namespace spica::sweep
