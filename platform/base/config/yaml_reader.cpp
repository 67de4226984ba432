// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "platform/base/config/yaml_bytes.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/regular_file.h"

namespace spica::config {
namespace fs = std::filesystem;
namespace {

// Aliases can make a small file infinitely deep or exponentially large; no configuration comes
// near.
constexpr std::size_t kMaxNodes = 20'000;
constexpr std::uint64_t kMaxFileBytes = input::kMiB;

Place at(Place place, const YAML::Mark& mark) {
  if (place.override_number == 0 && !mark.is_null()) place.line = static_cast<std::size_t>(mark.line) + 1;
  return place;
}

Place at_column(const Place& place, const YAML::Mark& mark) {
  Place result = at(place, mark);
  if (result.line != 0) result.column = static_cast<std::size_t>(mark.column) + 1;
  return result;
}

/// Notes where documents begin.
class DocumentStarts final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { starts.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}

  std::vector<YAML::Mark> starts;
};

std::size_t values_in(const Node& node) {
  std::size_t values = 1;
  for (const Node& child : node.children) values += values_in(child);
  return values;
}

/// Whether nothing can come after the first document: a map in block style that begins in the first column ends with
/// the text, or at a line of --- or `...`. Saves reading nearly every file twice.
bool is_all(const YAML::Node& first, std::string_view text) {
  return first.IsMap() && first.Style() == YAML::EmitterStyle::Block && first.Mark().column == 0 &&
         text.find("---") == std::string_view::npos && text.find("...") == std::string_view::npos;
}

/// The text with empty lines for the comments at its start: they would take half the time to parse a block's file.
std::string without_first_comments(std::string_view text) {
  std::size_t lines = 0;
  while (!text.empty() && text.front() == '#') {
    const std::size_t end = text.find_first_of("\r\n");
    if (end == std::string_view::npos || text[end] == '\r') break;
    text.remove_prefix(end + 1);
    ++lines;
  }
  return std::string(lines, '\n').append(text);
}

std::string shown_name(const fs::path& file, const fs::path& resolved, const fs::path& configs_dir) {
  const fs::path relative = resolved.lexically_relative(configs_dir);
  const bool inside = !configs_dir.empty() && !relative.empty() && *relative.begin() != "..";
  return input::printable(inside ? ("configs" / relative).string() : file.lexically_normal().string());
}

/// Where text after the first document begins. (YAML::Load ignores such text, and YAML::LoadAll
/// never returns for some: a comma where a document should begin is an empty document forever.)
std::optional<YAML::Mark> second_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts documents;
  if (parser.HandleNextDocument(documents)) parser.HandleNextDocument(documents);
  if (documents.starts.size() < 2) return std::nullopt;
  return documents.starts[1];
}

}  // namespace

YamlReader::~YamlReader() = default;

YamlReader::YamlReader(const fs::path& configs_dir) {
  std::error_code ignored;  // a folder that is not there simply contains no file
  configs_dir_ = fs::weakly_canonical(configs_dir, ignored);
}

std::string YamlReader::shown(const fs::path& file) const {
  std::error_code ignored;
  return shown_name(file, fs::weakly_canonical(file, ignored), configs_dir_);
}

Node YamlReader::file(const fs::path& file, const Place& from, const std::string& path, std::size_t depth) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(file, error);
  const fs::path& canonical = resolved.empty() ? file : resolved;
  const std::string name = shown_name(file, resolved, configs_dir_);
  if (const auto first = std::find(open_.begin(), open_.end(), canonical); first != open_.end()) {
    std::string circle;
    for (auto step = first; step != open_.end(); ++step) circle += shown(*step) + " -> ";
    report(from, join(path, "extends"), "files extend each other in a cycle: " + circle + name);
    return {};
  }
  if (open_.size() >= kMaxDepth) {
    report(from, join(path, "extends"),
           "more than " + std::to_string(kMaxDepth) + " files extend each other");
    return {};
  }
  const auto [found, is_new] = documents_.try_emplace(canonical);
  Document& document = found->second;
  Context context;
  context.folder = file.parent_path();
  context.place.file = name;
  context.depth = depth;
  if (is_new) {
    const input::FileContent content = input::read_regular_file(file.string(), kMaxFileBytes);
    document.problem = content.problem;
    if (content.problem.empty()) {
      files_.push_back(name);
      paths_.push_back(file);
      document.yaml = parse(content.text(), context.place, path);
    }
  }
  if (!document.problem.empty()) {
    const std::string message = fmt::format("cannot read {}: {}", name, document.problem);
    if (open_.empty()) report(from, path, message);  // the user named it, no file did
    else
      report(from, join(path, "extends"), message,
             "a path relative to this file, or the name of a file in configs");
  }
  if (document.yaml == nullptr) return {};
  if (const auto known = document.nodes.find(path); known != document.nodes.end()) {
    if (too_large(values_in(known->second), depth, from, join(path, "extends"))) return {};
    return known->second;
  }
  open_.push_back(canonical);
  Node node = convert(*document.yaml, context, at(context.place, document.yaml->Mark()), path);
  open_.pop_back();
  document.nodes.emplace(path, node);
  return node;
}

Node YamlReader::value(std::string_view text, const Place& place, const std::string& path) {
  Context context;
  context.place = place;
  const std::unique_ptr<YAML::Node> yaml = parse(text, place, path);
  return yaml == nullptr ? Node{} : convert(*yaml, context, at(place, yaml->Mark()), path);
}

namespace {

/// What texts mean, by the texts themselves: it is the same for all readers.
std::map<std::string, YAML::Node, std::less<>>& kept_texts() {
  static std::map<std::string, YAML::Node, std::less<>> texts;
  return texts;
}

}  // namespace

void keep_parsed(const fs::path& configs_dir) {
  std::error_code error;
  for (fs::recursive_directory_iterator next(configs_dir, error), end; !error && next != end;
       next.increment(error)) {
    if (next->path().extension() != ".yaml") continue;
    const input::FileContent content = input::read_regular_file(next->path().string(), kMaxFileBytes);
    if (!content.problem.empty()) continue;
    try {
      const std::string characters = yaml_characters(content.text());
      const YAML::Node node = YAML::Load(characters);
      if (is_all(node, characters)) kept_texts().emplace(content.text(), node);
    } catch (const YAML::Exception&) {  // reported when it is read
    }
  }
}

std::unique_ptr<YAML::Node> YamlReader::parse(std::string_view text, const Place& place,
                                              const std::string& path) {
  if (const auto kept = kept_texts().find(text); kept != kept_texts().end())
    return std::make_unique<YAML::Node>(kept->second);
  const std::string characters = yaml_characters(without_first_comments(text));
  try {
    auto first = std::make_unique<YAML::Node>(YAML::Load(characters));
    if (const auto second = is_all(*first, characters) ? std::nullopt : second_document(characters))
      report(at_column(place, *second), path, "the YAML document ends before this", "one document");
    return first;
  } catch (const YAML::Exception& error) {
    report(at_column(place, error.mark), path, "not YAML: " + error.msg);
    return nullptr;
  }
}

/// Whether this many more values, below this many levels, are too much; reports it once.
bool YamlReader::too_large(std::size_t values, std::size_t depth, const Place& place,
                           const std::string& path) {
  nodes_ += values;
  if (nodes_ <= kMaxNodes && depth <= kMaxDepth) return false;
  if (!too_large_)
    report(place, path, "too large or too deep", fmt::format("{} values, {} levels", kMaxNodes, kMaxDepth));
  too_large_ = true;
  return true;
}

Node YamlReader::convert(const YAML::Node& yaml, const Context& context, const Place& place,
                         const std::string& path) {
  Node node;
  node.place = place;
  if (too_large(1, context.depth, place, path)) return node;
  if (yaml.IsMap()) return convert_map(yaml, context, place, path);
  if (yaml.IsScalar()) {
    node.kind = Node::Kind::kScalar;
    node.scalar = original_bytes(yaml.Scalar());
  } else if (yaml.IsSequence()) {
    node.kind = Node::Kind::kList;
    Context inner = context;
    ++inner.depth;
    for (const YAML::Node& item : yaml) {
      const std::string item_path = join(path, std::to_string(node.children.size()));
      node.children.push_back(convert(item, inner, at(context.place, item.Mark()), item_path));
    }
  }
  return node;
}

Node YamlReader::convert_map(const YAML::Node& yaml, const Context& context, const Place& place,
                             const std::string& path) {
  Node own;
  own.kind = Node::Kind::kMap;
  own.place = place;
  Node below = own;
  Context inner = context;
  ++inner.depth;
  std::map<std::string, Place> given;
  for (const auto& entry : yaml) {
    const Place key_place = at(context.place, entry.first.Mark());
    if (!entry.first.IsScalar()) {
      report(key_place, path, "a key must be a word");
      continue;
    }
    const std::string key = original_bytes(entry.first.Scalar());
    const std::string key_path = join(path, key);
    Node child = convert(entry.second, inner, key_place, key_path);
    if (key == "extends") {
      extend(below, child, context, path);
    } else if (const auto [first, is_new] = given.emplace(key, key_place); !is_new) {
      report(key_place, key_path, "given twice; first at " + first->second.text());
    } else {
      own.keys.push_back(key);
      own.children.push_back(std::move(child));
    }
  }
  merge(below, std::move(own), path, problems_);
  return below;
}

fs::path YamlReader::extended(const std::string& name, const fs::path& folder) const {
  std::error_code ignored;
  fs::path beside = folder / name;
  if (!fs::exists(beside, ignored) && !configs_dir_.empty())
    for (const fs::path& shipped : {configs_dir_ / (name + ".yaml"), configs_dir_ / name})
      if (fs::is_regular_file(shipped, ignored)) return shipped;
  return beside;
}

void YamlReader::extend(Node& below, const Node& extends, const Context& context, const std::string& path) {
  const auto add = [&](const Node& name) {
    if (name.kind != Node::Kind::kScalar) {
      report(name.place, join(path, "extends"), "not a file name", "a file name or a list of them");
      return;
    }
    Node node = file(extended(name.scalar, context.folder), name.place, path, context.depth);
    if (node.kind != Node::Kind::kMap && node.kind != Node::Kind::kNothing) {
      report(node.place, path, "a file that is extended must be a map of keys");
      return;
    }
    node.place = below.place;
    merge(below, std::move(node), path, problems_);
  };
  if (extends.kind == Node::Kind::kList)
    for (const Node& name : extends.children) add(name);
  else add(extends);
}

void YamlReader::report(const Place& place, const std::string& key, std::string what, std::string allowed) {
  problems_.push_back({place, key, std::move(what), std::move(allowed)});
}

}  // namespace spica::config
