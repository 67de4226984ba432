// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "models/base/suggest.h"
#include "platform/base/input/file.h"
#include "platform/base/input/regular_file.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/base/text/number_format.h"
#include "platform/observe/report/progress_line.h"
#include "platform/observe/report/provenance.h"
#include "platform/observe/report/terminal.h"
#include "platform/run/child_process.h"
#include "platform/run/files.h"
#include "platform/run/record.h"
#include "platform/run/signals.h"
#include "platform/workloads/operands.h"

namespace spica::sweep {

namespace {

using Clock = std::chrono::steady_clock;

/// The place of the first line that begins so; npos: none does.
std::size_t find_line(const std::string& text, const std::string& begin) {
  const std::size_t inner = text.find('\n' + begin);
  return text.rfind(begin, 0) == 0 ? 0 : inner == std::string::npos ? inner : inner + 1;
}

/// What the child said, without the program's name and the full stop: a fault, the first finding of a check, the exception
/// of a Python program, which is its last line, or else the first line.
std::string sentence_of(const std::string& errors) {
  std::string line = job::first_message(errors);
  std::size_t own = std::string::npos;
  for (const char* begin : {"spica: fault: ", "hazard 1: ", "memory error 1: "})
    if (own == std::string::npos) own = find_line(errors, begin);
  if (own != std::string::npos) line = job::first_message(errors.substr(own));
  else if (find_line(errors, "Traceback ") != std::string::npos)
    line = job::first_message(errors.substr(errors.find_last_of('\n', errors.find_last_not_of('\n')) + 1));
  if (line.rfind("spica: ", 0) == 0) line.erase(0, 7);
  if (!line.empty() && line.back() == '.') line.pop_back();
  constexpr std::size_t kMost = 400;
  return line.substr(0, kMost);
}

State state_of_end(const std::string& end) {
  if (end == "fault") return State::kFault;
  if (end == "deadlock" || end == "livelock") return State::kHang;
  if (end == "cycle_limit") return State::kCycles;
  return end == "finished" ? State::kWrong : State::kCrash;
}

State state_of(const Sweep& sweep, const job::ChildResult& child, const std::optional<job::Row>& row) {
  const bool no_memory = child.errors.find("not enough memory") != std::string::npos;
  if (child.timed_out) return State::kTimeout;
  if (no_memory && sweep.limits.memory_mib != 0) return State::kMemory;
  constexpr int kKilled = 128 + 9;
  if (child.exit_code == kKilled) return State::kMemory;
  if (child.exit_code == 2) return State::kRefused;
  if (!row) return State::kCrash;
  if (child.exit_code == 0) return State::kOk;
  return child.exit_code == 1 ? state_of_end(row->end) : State::kCrash;
}

std::string reason_of(State state, const Sweep& sweep, const job::ChildResult& child) {
  if (state == State::kOk) return {};
  if (state == State::kTimeout) return fmt::format("ended after {:g} s", sweep.limits.seconds);
  std::string said = sentence_of(child.errors);
  if (state == State::kMemory && said.empty()) return "killed, probably because the system ran out of memory";
  if (state == State::kCrash)
    return fmt::format("exit code {}: {}", child.exit_code, said.empty() ? "no message" : said);
  if (!said.empty()) return said;
  return state == State::kWrong ? "the result is wrong" : "no message";
}

}  // namespace

Record record_of(const Sweep& sweep, const job::ChildResult& child, std::string& names) {
  std::optional<job::Row> row = job::row_of(child.record);
  Record record;
  record.state = state_of(sweep, child, row);
  record.reason = reason_of(record.state, sweep, child);
  record.cpu_seconds = child.user_seconds + child.system_seconds;
  record.wall_seconds = child.wall_seconds;
  record.megabytes = child.peak_megabytes;
  if (!row || (record.state != State::kOk && record.state != State::kWrong)) row.emplace();
  names = std::move(row->names);
  record.values = std::move(row->values);
  return record;
}

namespace {

/// The names of results in a sweep, and the keys that have them.
std::vector<std::pair<const char*, std::string>> wanted_results(const Sweep& sweep) {
  std::vector<std::pair<const char*, std::string>> names;
  for (const std::string& name : sweep.keep) names.emplace_back("keep", name);
  const auto add = [&](const char* where, const std::string& name) {
    if (sweep.axis(name) == nullptr) names.emplace_back(where, name);
  };
  for (const Objective& objective : sweep.objectives) add("objectives", objective.column);
  for (const config::Expression& constraint : sweep.constraints)
    for (const std::string& name : constraint.names()) add("constraints", name);
  return names;
}

}  // namespace

void check_kept(const Sweep& sweep, const job::ChildResult& child, std::vector<std::string>& unknown) {
  const std::optional<job::Row> row = job::row_of(child.record);
  const auto names = row ? json::parse(row->known) : std::nullopt;
  if (!names) return;
  const auto known = names->get<std::vector<std::string>>();
  for (const auto& [where, name] : wanted_results(sweep)) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string hint = base::did_you_mean(name, known);
    if (!hint.empty())
      throw input::UserError(fmt::format("{}: \"{}\" is not a result{}; spica sweep values {} lists them",
                                         where, name, hint, sweep.file.filename().string()));
    const std::string named = fmt::format("{}: {}", where, name);
    if (std::find(unknown.begin(), unknown.end(), named) == unknown.end()) unknown.push_back(named);
  }
}

job::ChildJob child_of(const Sweep& sweep, workloads::RunRequest request) {
  request.add("record", "/dev/fd/3");
  job::ChildJob child;
  child.arguments = {"job", "/dev/fd/0"};
  child.input = workloads::request_text(request);
  child.captures = true;
  child.most_seconds = sweep.limits.seconds;
  child.most_bytes = sweep.limits.memory_mib << 20;
  return child;
}

job::ChildJob child_of(const Sweep& sweep, const Point& point, unsigned repeat,
                       const std::vector<workloads::RunRequest::Option>& added) {
  workloads::RunRequest request = request_of(sweep, point, repeat);
  request.add("record_form", job::RecordOptions::kRow);
  for (const std::string& name : sweep.keep) request.add("keep", name);
  request.options.insert(request.options.end(), added.begin(), added.end());
  return child_of(sweep, std::move(request));
}

namespace {

class Runner {
 public:
  Runner(const Plan& plan, RunFingerprints& keys, const RunOptions& options)
      : plan_(plan),
        options_(options),
        model_(model_text()),
        columns_(options.folder),
        records_(options.folder, model_) {
    std::set<std::string> seen;
    for (Task& task : all_tasks(plan, keys, options.shard, options.points)) {
      if (is_done(plan.sweep(), records_, columns_, task.key, options.retry) && has_results(task))
        ++counts_.known;
      else if (options.results || seen.insert(task.key).second) tasks_.push_back(std::move(task));
    }
    write_head(plan, options.folder);
    writer_.emplace(options.folder, options.shard.text());
    for (const std::filesystem::path& folder : options.reuse) take_over(folder);
    sort();
    if (options.most != 0 && tasks_.size() > options.most) {
      counts_.left = tasks_.size() - options.most;
      counts_.why_left = "--max";
      tasks_.resize(options.most);
    }
  }

  RunCounts run() {
    job::run_children(
        options_.jobs, [this] { return next(); },
        [this](std::size_t number, job::ChildResult&& child) { ended(number, child); }, [this] { show(); });
    progress_.clear();
    if (problem_) std::rethrow_exception(problem_);
    counts_.left += tasks_.size() - done_;
    if (job::Interrupt::signal() != 0) counts_.why_left = job::Interrupt::name();
    return std::move(counts_);
  }

 private:
  /// Which run the results in a folder are of.
  static constexpr const char* kOwner = "run.key";
  std::string owner_text(const Task& task) const { return task.key + ' ' + model_ + '\n'; }

  bool has_results(const Task& task) const {
    if (!options_.results) return true;
    const std::filesystem::path folder = options_.results(plan_.point(task.index));
    return std::filesystem::exists(folder / "stats.json") &&
           input::read_regular_file((folder / kOwner).string(), input::kMiB).text() == owner_text(task);
  }

  /// The folder for the results of a task, without those of another run.
  std::filesystem::path results_folder(const Point& point) const {
    std::filesystem::path folder = options_.results(point);
    job::make_folder(folder.string());
    std::error_code ignored;
    for (const char* name : {kOwner, "stats.json", "energy.json"})
      std::filesystem::remove(folder / name, ignored);
    return folder;
  }

  /// Records of the same runs that another sweep has.
  void take_over(const std::filesystem::path& folder) {
    const Records records(folder, model_);
    ColumnNames columns(folder);
    std::vector<Task> left;
    for (Task& task : tasks_) {
      if (!is_done(plan_.sweep(), records, columns, task.key, options_.retry)) {
        left.push_back(std::move(task));
        continue;
      }
      Record record = *records.find(task.key);
      if (record.model != model_) {
        left.push_back(std::move(task));
        continue;
      }
      record.columns = columns_.put(columns.get(record.columns));
      record.index = task.index;
      writer_->write(record);
      ++counts_.known;
    }
    tasks_ = std::move(left);
  }

  void sort() {
    if (options_.order == Order::kPlan) return;
    std::unordered_map<std::string, double> place;
    for (const Task& task : tasks_)
      place[task.key] = options_.order == Order::kRandom
                            ? static_cast<double>(std::hash<std::string>()(task.key))
                            : cost(plan_.point(task.index));
    std::stable_sort(tasks_.begin(), tasks_.end(),
                     [&](const Task& a, const Task& b) { return place[a.key] < place[b.key]; });
  }

  /// Multiply-adds, as far as the point says them.
  double cost(const Point& point) const {
    for (const Setting& setting : settings_of(plan_.sweep(), point))
      if (setting.key == "size") try {
          double macs = 0;
          for (const auto& size : workloads::parse_gemm_sizes(setting.value))
            macs += static_cast<double>(size.macs());
          return macs;
        } catch (const input::UserError&) {
          return 0;
        }
    return 0;
  }

  std::optional<job::ChildJob> next() {
    if (!again_.empty()) {
      const std::size_t place = again_.back();
      again_.pop_back();
      started_.push_back(place);
    } else if (next_ < tasks_.size() && !stopped_ && !problem_) {
      started_.push_back(next_++);
    } else {
      return std::nullopt;
    }
    const Task& task = tasks_[started_.back()];
    const Point point = plan_.point(task.index);
    if (!options_.results) return child_of(plan_.sweep(), point, task.repeat);
    return child_of(plan_.sweep(), point, task.repeat, {{"out", results_folder(point).string()}});
  }

  void ended(std::size_t number, const job::ChildResult& child) try {
    if (job::Interrupt::signal() != 0 || problem_) return;  // dropped
    const std::size_t place = started_[number];
    const Task& task = tasks_[place];
    std::string names;
    Record record = sweep::record_of(plan_.sweep(), child, names);
    if (record.state == State::kOk && !is_checked_) {
      check_kept(plan_.sweep(), child, counts_.unknown);
      is_checked_ = true;
    }
    if (record.state == State::kCrash && crashed_.insert(task.key).second) return again_.push_back(place);
    record.key = task.key;
    record.index = task.index;
    record.model = model_;
    record.columns = columns_.put(names);
    if (options_.results) {
      const std::filesystem::path folder = options_.results(plan_.point(task.index));
      input::write_text((folder / "errors.txt").string(), child.errors);
      input::write_text((folder / kOwner).string(), owner_text(task));
    } else if (record.state != State::kOk) {
      keep_log(task, record, child);
    }
    writer_->write(record);
    ++counts_.states[record.state];
    counts_.cpu_seconds += record.cpu_seconds;
    ++done_;
    judge(record);
  } catch (...) {
    problem_ = std::current_exception();  // no more of them; what runs is waited for
  }

  void keep_log(const Task& task, const Record& record, const job::ChildResult& child) {
    constexpr unsigned kMostLogs = 1000;
    if (record.state == State::kRefused || logs_++ >= kMostLogs) return;
    job::make_folder((options_.folder / "logs").string());
    input::write_text((options_.folder / "logs" / (task.key + ".txt")).string(), child.errors);
  }

  /// Ends the sweep where it makes no sense to continue.
  void judge(const Record& record) {
    constexpr std::uint64_t kFirst = 20;
    if (is_failure(record.state)) ++failures_;
    if (record.state == State::kOk || (done_ > 1 && record.reason != first_reason_)) all_alike_ = false;
    if (done_ == 1) first_reason_ = record.reason;
    if (options_.stop_after != 0 && failures_ >= options_.stop_after)
      stop(fmt::format("--stop-after {}", options_.stop_after));
    if (done_ == kFirst && all_alike_ && !options_.keep_going)
      stop(fmt::format("the first {} all ended with \"{}\"; --go-on runs the rest", kFirst, first_reason_));
  }

  void stop(const std::string& why) {
    if (!stopped_) counts_.why_left = why;
    stopped_ = true;
  }

  void show() {
    const auto text = [&] {
      const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
      const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
      const double left = rate > 0 ? static_cast<double>(tasks_.size() - done_) / rate : 0;
      return fmt::format(
          "{} of {}{}  {}/min  {} left", text::grouped(done_), text::grouped(tasks_.size()),
          failures_ == 0 ? "" : fmt::format("  {} failed (first: {})", failures_, first_reason_),
          text::grouped(static_cast<std::uint64_t>(60 * rate)),
          left < 90 ? fmt::format("{:.0f} s", left) : fmt::format("{:.0f} min", left / 60));
    };
    progress_.show(text);
    const bool is_terminal = report::detect_terminal(2).is_tty;
    if (is_terminal || Clock::now() - last_line_ < std::chrono::minutes(1)) return;
    last_line_ = Clock::now();
    fmt::print(stderr, "{}\n", text());
  }

  const Plan& plan_;
  const RunOptions& options_;
  const std::string model_;
  ColumnNames columns_;
  const Records records_;
  std::optional<RecordWriter> writer_;
  std::vector<Task> tasks_;
  std::size_t next_ = 0, done_ = 0;
  std::vector<std::size_t> started_;  // places in tasks_, by number of the child
  std::vector<std::size_t> again_;  // to be run once more
  std::set<std::string> crashed_;
  RunCounts counts_;
  std::uint64_t failures_ = 0;
  unsigned logs_ = 0;
  std::string first_reason_;
  bool all_alike_ = true, stopped_ = false;
  bool is_checked_ = !options_.check_names;  // what is kept is in the results
  std::exception_ptr problem_;
  report::ProgressLine progress_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point last_line_ = begin_;
};

}  // namespace

Record run_one(const Sweep& sweep, const Point& point, unsigned repeat, std::string& names) {
  Record record = record_of(sweep, job::run_child(child_of(sweep, point, repeat)), names);
  record.model = model_text();
  return record;
}

void write_head(const Plan& plan, const std::filesystem::path& folder) {
  const Sweep& sweep = plan.sweep();
  job::make_folder(folder.string());
  const std::filesystem::path file = folder / "sweep.yaml";
  if (sweep.file != std::filesystem::absolute(file)) input::write_text(file.string(), sweep.text);
  json::Value lock;
  lock["schema"] = "spica-sweep-1";
  lock["name"] = sweep.name;
  lock["file"] = sweep.file.string();
  lock["model"] = model_text();
  lock["version"] = report::version_text();
  lock["points"] = plan.count();
  lock["repeats"] = sweep.repeats;
  auto axes = json::Value::object();
  for (const Axis& axis : sweep.axes) {
    auto labels = json::Value::array();
    constexpr std::size_t kMostLabels = 1000;
    for (std::size_t i = 0; i < std::min(kMostLabels, axis.values.size()); ++i)
      labels.push_back(axis.values[i].label);
    axes[axis.name] = {{"values", axis.values.size()}, {"labels", std::move(labels)}};
  }
  lock["axes"] = std::move(axes);
  input::write_text((folder / "sweep.lock.json").string(), lock.dump(2) + "\n");
}

RunCounts run_tasks(const Plan& plan, RunFingerprints& keys, const RunOptions& options) {
  return Runner(plan, keys, options).run();
}

}  // namespace spica::sweep
