// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/axis_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <variant>

#include "platform/base/config/value_text.h"
#include "platform/base/input/number_text.h"
#include "platform/observe/report/provenance.h"
#include "platform/studies/sweep/settings.h"
#include "platform/workloads/layer_list.h"

namespace spica::sweep {

namespace {

using config::Node;

constexpr std::uint64_t kMostRows = 9'999'999;  // as sizes are read

class AxisReader {
 public:
  AxisReader(const Node& node, const std::string& name, const AxisContext& context, FileReader& file)
      : node_(node), name_(name), path_("axes." + name), job_(context.job), context_(context), file_(file) {}

  std::optional<Axis> read() {
    axis_.name = name_;
    axis_.place = node_.place;
    if (node_.kind == Node::Kind::kList) read_values(name_, node_);
    else if (node_.kind == Node::Kind::kMap && node_.find("zip") != nullptr) read_zip();
    else if (node_.kind == Node::Kind::kMap && node_.find("layers") != nullptr) read_layers();
    else if (node_.kind == Node::Kind::kMap && node_.find("argument") != nullptr) read_argument();
    else if (node_.kind == Node::Kind::kMap) read_key();
    else fail("expected a list of values, or a key and values");
    if (good_ && axis_.values.empty()) fail("it has no value");
    check_labels();
    read_usual();
    return good_ ? std::optional<Axis>(std::move(axis_)) : std::nullopt;
  }

 private:
  void fail(const std::string& what, const std::string& allowed = {}) {
    file_.report(node_, path_, what, allowed);
    good_ = false;
  }

  /// The setting that `key: value` means, or an empty one after a problem.
  Setting setting(const std::string& key, const std::string& value) {
    if (const auto found = setting_of(job_, key, value)) return beside(job_, *found, context_.folder);
    if (good_) fail(unknown_option(job_, key), allowed_options(job_));
    return {};
  }

  /// The same for a value that a point has.
  Setting checked(const std::string& key, const std::string& value) {
    Setting found = setting(key, value);
    std::string allowed;
    if (const std::string problem = value_problem(job_, found, allowed); !problem.empty())
      fail(problem, allowed);
    return found;
  }

  void add(const std::string& key, const std::string& value, std::size_t line = 0) {
    axis_.values.push_back({value, {checked(key, value)}, line});
  }

  void read_values(const std::string& key, const Node& list) {
    axis_.keys = {setting(key, "").key};
    const std::vector<std::string> texts = file_.texts(list, path_);
    for (std::size_t i = 0; i < texts.size(); ++i)
      add(key, texts[i], list.kind == Node::Kind::kList ? list.children[i].place.line : list.place.line);
  }

  /// Values that the program gets in its argument block.
  void read_argument() {
    file_.check_keys(node_, path_, {"argument", "labels", "usual"});
    const std::string key = kArgument + name_;
    const Node& list = *node_.find("argument");
    if (list.kind != Node::Kind::kList) return fail("argument needs a list of values");
    if (!job_.is_own) return fail("only programs of your own (job: run, opencl) have arguments");
    read_values(key, list);
    for (const AxisValue& value : axis_.values)
      if (!job_.is_hosted && !is_argument(value.label))
        fail(fmt::format("\"{}\" is not an argument", value.label),
             "expected a number of 32 bits, or TYPE:VALUE as in --args");
    read_labels();
  }

  static bool is_argument(const std::string& text) {
    if (text.find(':') != std::string::npos) return true;
    const auto number = input::parse_number(text);
    return number && *number <= 0xFFFF'FFFF;
  }

  void read_key() {
    file_.check_keys(node_, path_, {"key", "values", "labels", "range", "step", "log2", "usual"});
    const Node* given = node_.find("key");
    const std::string key = given != nullptr ? file_.text(*given, path_ + ".key") : name_;
    const Node *values = node_.find("values"), *range = node_.find("range"), *log2 = node_.find("log2");
    if ((values != nullptr) + (range != nullptr) + (log2 != nullptr) != 1)
      return fail("expected exactly one of values, range and log2");
    if (values != nullptr) {
      if (values->kind != Node::Kind::kList) return fail("values are a list");
      read_values(key, *values);
      return read_labels();
    }
    axis_.keys = {setting(key, "").key};
    if (good_) read_range(key, range != nullptr ? *range : *log2, log2 != nullptr);
  }

  void read_range(const std::string& key, const Node& node, bool doubling) {
    const std::string text = file_.text(node, path_);
    const std::size_t dots = text.find("..");
    const config::Operand first = config::operand_of(text.substr(0, dots));
    const config::Operand last =
        dots == std::string::npos ? config::Operand() : config::operand_of(text.substr(dots + 2));
    const double* low = std::get_if<double>(&first);
    const double* high = std::get_if<double>(&last);
    if (low == nullptr || high == nullptr || *low > *high || *low < 0 || (doubling && *low < 1))
      return fail(fmt::format("\"{}\" is not a range", text), "FIRST..LAST, both are values");
    double step = 1;
    if (const Node* given = node_.find("step")) {
      const config::Operand read = config::operand_of(file_.text(*given, path_ + ".step"));
      step = std::holds_alternative<double>(read) ? std::get<double>(read) : 0;
      if (step <= 0 || doubling) return fail("a step must be a number above 0, and needs a range");
    }
    const double count =
        doubling ? std::floor(std::log2(*high / *low)) + 1 : std::floor((*high - *low) / step) + 1;
    if (count > static_cast<double>(kMostValues))
      return fail(fmt::format("it has {:.0f} values", count), fmt::format("at most {}", kMostValues));
    for (double i = 0; i < count; ++i)
      add(key, config::number_text(doubling ? *low * std::exp2(i) : *low + i * step));
  }

  void read_zip() {
    file_.check_keys(node_, path_, {"zip", "labels", "usual"});
    const Node& zip = *node_.find("zip");
    axis_.zipped = true;
    if (!file_.is_map(zip, path_ + ".zip") || zip.children.empty())
      return fail("zip needs keys with lists of values");
    const std::size_t count = zip.children.front().children.size();
    axis_.values.resize(count);
    for (std::size_t k = 0; k < zip.keys.size(); ++k) {
      if (zip.children[k].kind != Node::Kind::kList || zip.children[k].children.size() != count)
        return fail("the lists of a zip must have the same length");
      axis_.keys.push_back(setting(zip.keys[k], "").key);
      for (std::size_t i = 0; i < count; ++i) {
        const std::string value = file_.text(zip.children[k].children[i], path_);
        AxisValue& entry = axis_.values[i];
        entry.settings.push_back(checked(zip.keys[k], value));
        entry.label += (entry.label.empty() ? "" : "/") + value;
      }
    }
    read_labels();
  }

  void read_layers() {
    file_.check_keys(node_, path_, {"layers", "most_rows", "most_columns", "most_elements", "usual"});
    const auto most = [&](const char* key, std::uint64_t limit) -> std::uint64_t {
      const Node* const given = node_.find(key);
      return given == nullptr ? limit
                              : file_.number(*given, path_ + "." + key, 1, static_cast<double>(limit));
    };
    const Sample sample{most("most_rows", kMostRows), most("most_columns", kMostRows),
                        most("most_elements", kMostRows * kMostRows)};
    axis_.keys = {setting("size", "").key};
    axis_.zipped = true;
    for (const std::string& name : file_.texts(*node_.find("layers"), path_ + ".layers"))
      if (good_) add_layers(name, sample);
  }

  /// The most that is computed of a layer: rows and columns of C, and elements of C, for which rows are left out.
  struct Sample {
    std::uint64_t rows, columns, elements;
  };
  void add_layers(const std::string& list, const Sample& most) try {
    const auto at_most = [](std::uint64_t value, std::uint64_t limit) {
      return static_cast<std::uint32_t>(std::min(value, limit));
    };
    axis_.layers.push_back(list);
    for (const workloads::Layer& layer : workloads::read_layer_list(list, context_.configs_dir).layers) {
      const std::uint32_t columns = at_most(layer.n, most.columns);
      const std::uint64_t rows = std::min(most.rows, std::max<std::uint64_t>(most.elements / columns, 1));
      const workloads::GemmSize size{at_most(layer.m, rows), columns, layer.k};
      axis_.cut |= size.m != layer.m || size.n != layer.n;
      axis_.values.push_back({layer.name, {setting("size", size.text())}, 0, layer.count});
    }
  } catch (const config::ConfigError& error) {
    fail(error.what());
  }

  void read_labels() {
    const Node* labels = node_.find("labels");
    if (labels == nullptr) return;
    const std::vector<std::string> texts = file_.texts(*labels, path_ + ".labels");
    if (texts.size() != axis_.values.size()) return fail("expected as many labels as values");
    for (std::size_t i = 0; i < texts.size(); ++i) axis_.values[i].label = texts[i];
    axis_.zipped = true;
  }

  void check_labels() {
    std::set<std::string> seen;
    for (const AxisValue& value : axis_.values)
      if (good_ && !seen.insert(value.label).second) fail(fmt::format("\"{}\" is given twice", value.label));
  }

  /// Labels of the values that a table has by default.
  void read_usual() {
    const Node* usual = node_.kind == Node::Kind::kMap ? node_.find("usual") : nullptr;
    if (usual == nullptr || !good_) return;
    axis_.usual = file_.texts(*usual, path_ + ".usual");
    for (const std::string& label : axis_.usual)
      if (std::none_of(axis_.values.begin(), axis_.values.end(),
                       [&](const AxisValue& value) { return value.label == label; }))
        fail(fmt::format("usual: \"{}\" is not a value of this axis", label));
  }

  const Node& node_;
  const std::string name_, path_;
  const workloads::Kind& job_;
  const AxisContext& context_;
  FileReader& file_;
  Axis axis_;
  bool good_ = true;
};

}  // namespace

std::optional<Axis> read_axis(const Node& node, const std::string& name, const AxisContext& context,
                              FileReader& file) {
  return AxisReader(node, name, context, file).read();
}

namespace {

/// `folder / name`, if there is such a file and `name` alone means another one or none; else `name`.
std::string file_beside(const std::string& name, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::path(name).is_absolute() || !fs::is_regular_file(folder / name, ignored) ||
      fs::equivalent(folder / name, name, ignored))
    return name;
  return fs::absolute(folder / name).lexically_normal().string();
}

/// The same for all words of a text.
std::string files_beside(const std::string& text, const std::filesystem::path& folder) {
  std::vector<std::string> words = report::shell_words(text);
  bool is_changed = false;
  for (std::string& word : words) {
    std::string found = file_beside(word, folder);
    is_changed = is_changed || found != word;
    word = std::move(found);
  }
  return is_changed ? report::shell_text(words) : text;
}

}  // namespace

Setting beside(const workloads::Kind& job, Setting setting, const std::filesystem::path& folder) {
  if (setting.value.empty() || folder.empty()) return setting;
  if (job.is_hosted &&
      (setting.key == "args" || setting.key == "files" || setting.key.rfind(kArgument, 0) == 0)) {
    setting.value = files_beside(setting.value, folder);
    return setting;
  }
  const config::Field* const option = find_option(job, setting.key);
  if (setting.key != "load" && setting.target != Target::kGroup && (option == nullptr || !option->is_file))
    return setting;
  const std::size_t end = setting.key == "load" ? setting.value.rfind('@') : std::string::npos;
  setting.value = file_beside(setting.value.substr(0, end), folder) +
                  (end == std::string::npos ? "" : setting.value.substr(end));
  return setting;
}

}  // namespace spica::sweep
