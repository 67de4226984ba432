// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "models/base/suggest.h"
#include "platform/base/config/yaml_reader.h"
#include "platform/base/input/printable.h"

namespace spica::config {
namespace fs = std::filesystem;
namespace {

bool is_yaml(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

/// "a.b=value" or "a[0].b=value" as the map {a: {b: value}}, every level of it written at `place`.
Node override_node(std::string_view text, const Place& place, YamlReader& reader) {
  const std::size_t equals = text.find('=');
  const auto keys = equals == std::string_view::npos ? std::nullopt : split_path(text.substr(0, equals));
  if (!keys) {
    reader.problems().push_back({place, "", '"' + std::string(text) + "\" is not an override",
                                 "key.path=value; list[0].key=value for an entry of a list"});
    return {};
  }
  if (keys->size() > YamlReader::kMaxDepth) {
    reader.problems().push_back(
        {place, "", "an override of too many levels", std::to_string(YamlReader::kMaxDepth)});
    return {};
  }
  std::string path;
  for (const std::string& key : *keys) path = join(path, key);
  Node node = reader.value(text.substr(equals + 1), place, path);
  node.place = place;
  for (auto key = keys->rbegin(); key != keys->rend(); ++key) {
    Node outer;
    outer.kind = Node::Kind::kMap;
    outer.place = place;
    outer.keys.push_back(*key);
    outer.children.push_back(std::move(node));
    node = std::move(outer);
  }
  return node;
}

/// What users may write where this kind of file is meant.
std::string allowed_names(const std::vector<std::string>& known) {
  std::string allowed;
  for (const std::string& name : known) allowed += name + ", ";
  return allowed + (known.empty() ? "" : "or ") + "the path of a YAML file";
}

}  // namespace

std::optional<fs::path> find_file(const std::string& config, const fs::path& configs_dir,
                                  const FileKind& kind) {
  const fs::path folder = kind.folder.empty() ? configs_dir : configs_dir / kind.folder;
  if (is_yaml(config) && is_file(config)) return config;
  for (const std::string& name : {config + ".yaml", config})
    if (is_yaml(name) && is_file(folder / name)) return folder / name;
  if (is_file(config)) return config;
  return std::nullopt;
}

fs::path Source::folder_of(std::string_view path) const {
  const Place place = place_of(root, path);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!place.file.empty() && files[i] == place.file) return paths[i].parent_path();
  return {};
}

Source load(const std::string& config, const std::vector<std::string>& overrides, const fs::path& configs_dir,
            const FileKind& kind) {
  YamlReader reader(configs_dir);
  Source source;
  source.name = input::printable(config);
  source.root.kind = Node::Kind::kMap;
  if (const auto path = find_file(config, configs_dir, kind)) {
    source.name = reader.shown(*path);
    source.root = reader.file(*path, Place{source.name}, "");
    if (reader.paths().empty()) throw ConfigError(std::move(reader.problems()));  // it cannot be read
    if (source.root.kind == Node::Kind::kNothing) source.root.kind = Node::Kind::kMap;
  } else {
    std::vector<std::string> known = names(configs_dir, kind);
    reader.problems().push_back({Place{config}, "",
                                 "no such " + kind.name + base::did_you_mean(config, known),
                                 allowed_names(known)});
  }
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    Place place;
    place.override_number = i + 1;
    Node node = override_node(overrides[i], place, reader);
    if (node.kind == Node::Kind::kMap && source.root.kind == Node::Kind::kMap)
      merge(source.root, std::move(node), "", reader.problems());
  }
  source.files = reader.files();
  source.paths = reader.paths();
  source.problems = std::move(reader.problems());
  return source;
}

std::vector<std::string> names(const fs::path& configs_dir, const FileKind& kind) {
  std::vector<std::string> found;
  std::error_code ignored;
  const fs::path folder = kind.folder.empty() ? configs_dir : configs_dir / kind.folder;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".yaml") found.push_back(entry.path().stem().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Entry> entries(const fs::path& configs_dir, const FileKind& kind) {
  std::vector<std::pair<std::uint64_t, Entry>> found;
  for (const std::string& name : names(configs_dir, kind)) {
    const Source source = load(name, {}, configs_dir, kind);
    const Node* const title = source.root.find("title");
    const Node* const order = source.root.find("order");
    const auto number = order != nullptr ? entry_number(order->scalar) : std::nullopt;
    found.emplace_back(number.value_or(std::numeric_limits<std::uint64_t>::max()),
                       Entry{name, title != nullptr ? title->scalar : std::string()});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Entry> sorted;
  for (auto& [order, entry] : found) sorted.push_back(std::move(entry));
  return sorted;
}

}  // namespace spica::config
