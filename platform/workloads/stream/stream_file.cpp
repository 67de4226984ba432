// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/stream/stream_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "models/base/suggest.h"
#include "platform/base/config/config.h"
#include "platform/base/input/printable.h"

namespace spica::config {

template Field describe(stream::StreamFile& file, std::string_view name, std::string_view doc,
                        std::string_view source);

}  // namespace spica::config

namespace spica::stream {

namespace fs = std::filesystem;

const config::FileKind kStreamFiles{"stream file", "streams"};

namespace {

/// What is wrong beyond single values, each with its place.
class Checker {
 public:
  Checker(const config::Source& source, const StreamFile& file, std::vector<config::Problem>& problems)
      : source_(source), file_(file), problems_(problems) {}

  void check() {
    find_records();
    std::set<std::string> names;
    for (std::size_t i = 0; i < file_.kernels.size(); ++i)
      if (!names.insert(file_.kernels[i].name).second)
        report(fmt::format("kernels.{}.name", i),
               fmt::format("two kernels are called '{}'", shown(file_.kernels[i].name)));
    if (file_.streams.empty()) report("streams", "missing; expected a list of entries with name and steps");
    names.clear();
    for (std::size_t i = 0; i < file_.streams.size(); ++i) {
      if (!names.insert(file_.streams[i].name).second)
        report(fmt::format("streams.{}.name", i),
               fmt::format("two streams are called '{}'", shown(file_.streams[i].name)));
      for (std::size_t n = 0; n < file_.streams[i].steps.size(); ++n) check_step(i, n);
    }
  }

 private:
  static std::string shown(const std::string& name) { return input::printable(name); }
  static std::string key_of(std::size_t stream, std::size_t step) {
    return fmt::format("streams.{}.steps.{}", stream, step);
  }
  void report(const std::string& key, const std::string& what, const std::string& allowed = "") {
    problems_.push_back({config::place_of(source_.root, key), key, what, allowed});
  }

  void find_records() {
    for (std::size_t i = 0; i < file_.streams.size(); ++i)
      for (std::size_t n = 0; n < file_.streams[i].steps.size(); ++n) {
        const std::string& event = file_.streams[i].steps[n].record;
        if (event.empty()) continue;
        const auto [by, is_new] = recorded_.try_emplace(event, i);
        if (!is_new && by->second != i)
          report(key_of(i, n) + ".record",
                 fmt::format("event '{}' is already recorded by stream '{}': only one stream may record it",
                             shown(event), shown(file_.streams[by->second].name)));
      }
  }

  void check_step(std::size_t stream, std::size_t number) {
    const StepEntry& step = file_.streams[stream].steps[number];
    const std::string key = key_of(stream, number);
    if (!step.launch.empty() + !step.record.empty() + !step.wait.empty() != 1)
      report(key, "a step is one of launch, record and wait");
    if (step.launch.empty() && !(step.grid + step.block + step.args).empty())
      report(key, "grid, block and args are for a launch");
    if (step.wait.empty() || recorded_.count(step.wait) != 0) return;
    std::vector<std::string> known;
    for (const auto& [event, by] : recorded_) known.push_back(event);
    report(
        key + ".wait",
        fmt::format("no stream records event '{}'{}", shown(step.wait), base::did_you_mean(step.wait, known)),
        known.empty() ? "" : input::printable(fmt::format("{}", fmt::join(known, ", "))));
  }

  const config::Source& source_;
  const StreamFile& file_;
  std::vector<config::Problem>& problems_;
  std::map<std::string, std::size_t> recorded_;  // by which stream
};

/// The path of a file in the folder of the stream file; other names stay as they are.
std::string beside(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  const fs::path path = folder / name;
  return fs::is_regular_file(path, ignored) ? path.string() : name;
}

/// FILE@PLACE: the file is in that folder, whether it exists or not.
std::string file_in(const fs::path& folder, const std::string& text) {
  return text.empty() || text.front() == '/' || folder.empty() ? text : (folder / text).string();
}

}  // namespace

StreamFile stream_file_of(const config::Source& source) {
  StreamFile file;
  config::apply(source, file,
                [&](std::vector<config::Problem>& problems) { Checker(source, file, problems).check(); });
  const fs::path folder = source.folder_of("program");
  if (file.config.empty()) file.config = "mgpu-8";
  file.config = beside(folder, file.config);
  file.program = beside(folder, file.program);
  for (auto* list : {&file.load, &file.save})
    for (std::string& text : *list) text = file_in(folder, text);
  for (CheckEntry& check : file.check) check.file = file_in(folder, check.file);
  return file;
}

}  // namespace spica::stream
