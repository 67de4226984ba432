// SPDX-License-Identifier: Apache-2.0
// `spica sweep values`: what results of a sweep can be kept.
#include <fmt/format.h>
#include <unistd.h>

#include <boost/algorithm/string.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/cli/sweep_command.h"
#include "platform/observe/report/text_table.h"
#include "platform/run/child_process.h"
#include "platform/run/files.h"
#include "platform/studies/sweep/open_sweep.h"
#include "platform/studies/sweep/runner.h"

namespace spica::cli {

namespace fs = std::filesystem;

namespace {

struct ValuesOptions {
  std::string given, find;
};

/// A folder for one run.
class ScratchFolder {
 public:
  ScratchFolder() : path_(fs::temp_directory_path() / fmt::format("spica-values-{}", getpid())) {
    job::make_folder(path_.string());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  const fs::path path_;
};

using Names = std::vector<std::pair<std::string, json::Value>>;

/// The counters in the tree of statistics, each with its path.
void add_counters(const json::Value& tree, const std::string& path, Names& names) {
  if (!tree.is_object()) return;
  for (const char* number : {"in_region", "value"})
    if (const auto found = tree.find(number); found != tree.end() && found->is_number()) {
      names.emplace_back(path, *found);
      return;
    }
  for (const auto& [name, inner] : tree.items()) add_counters(inner, path + '.' + name, names);
}

/// Of the first point that has a result.
Names names_of(const sweep::OpenSweep& open, std::uint64_t& index) {
  constexpr unsigned kMostPoints = 20;
  const ScratchFolder scratch;
  std::string why;
  for (std::uint64_t i = 0, tried = 0; i < open.plan().count() && tried < kMostPoints; ++i) {
    const sweep::Point point = open.plan().point(i);
    if (!open.plan().exists(point, [&](const std::string& key) { return open.keys().parameter(point, key); }))
      continue;
    ++tried;
    workloads::RunRequest request = sweep::request_of(open.sweep(), point, 0);
    request.add("out", scratch.path().string());
    const job::ChildResult result = job::run_child(sweep::child_of(open.sweep(), std::move(request)));
    const auto record = json::parse(result.record);
    if (result.exit_code != 0 || !record || !record->is_object()) {
      if (why.empty()) why = job::first_message(result.errors);
      continue;
    }
    index = i;
    Names names;
    for (const auto& [name, value] : record->items()) names.emplace_back(name, value);
    if (const auto stats = json::read_file((scratch.path() / "stats.json").string()))
      if (stats->contains("stats")) add_counters(stats->at("stats"), "stats", names);
    return names;
  }
  throw input::UserError(fmt::format("no point has a result: {}", why));
}

int run_values(const ValuesOptions& options) {
  const sweep::OpenSweep open(options.given, "", places());
  std::vector<std::string> words;
  boost::split(words, options.find, boost::is_any_of(" "), boost::token_compress_on);
  std::uint64_t index = 0;
  const Names names = names_of(open, index);
  report::TextTable table({{"name"}, {fmt::format("of point {}", index), report::TextTable::Align::kRight}});
  for (const auto& [name, value] : names) {
    const bool fits = std::all_of(words.begin(), words.end(), [&, text = name](const std::string& word) {
      return boost::algorithm::icontains(text, word);
    });
    if (fits && !open.sweep().axis(name))
      table.add({name, input::printable(value.is_string() ? value.get<std::string>() : value.dump())});
  }
  fmt::print(
      "{}\nOf counters of several blocks \"sum(stats.cluster_*.core_*.warp_instructions)\" can be kept, also with "
      "min, max and mean.\n",
      table.text());
  return 0;
}

}  // namespace

void add_sweep_values_command(Command& command) {
  command.add("values", "run one point and list the results that `keep` can name", [](Command& inner) {
    auto options = std::make_shared<ValuesOptions>();
    inner.option("SWEEP", options->given, "sweep file, name of one in configs/sweeps/, or folder of one")
        .required();
    inner.option("--find", options->find, "only names that contain these words");
    add_plugin_option(inner);
    inner.action([options](const std::vector<std::string>&) { return run_values(*options); });
  });
}

}  // namespace spica::cli
