// SPDX-License-Identifier: Apache-2.0
#include "platform/config/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

namespace spica::config {
namespace fs = std::filesystem;
namespace {

// Aliases can make a small file infinitely deep or exponentially large; no configuration comes
// near.
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxNodes = 200'000;

Place at(Place place, const YAML::Mark& mark) {
  if (place.override_number == 0 && !mark.is_null())
    place.line = static_cast<std::size_t>(mark.line) + 1;
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
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  std::vector<YAML::Mark> starts;
};

/// Where text after the first document begins. (YAML::Load ignores such text, and YAML::LoadAll
/// never returns for some: a comma where a document should begin is an empty document for ever.)
std::optional<YAML::Mark> second_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts documents;
  if (parser.HandleNextDocument(documents)) parser.HandleNextDocument(documents);
  if (documents.starts.size() < 2) return std::nullopt;
  return documents.starts[1];
}

}  // namespace

YamlReader::YamlReader(const fs::path& configs_dir) {
  std::error_code ignored;  // a folder that is not there simply contains no file
  configs_dir_ = fs::weakly_canonical(configs_dir, ignored);
}

std::string YamlReader::shown(const fs::path& file) const {
  std::error_code ignored;
  const fs::path relative = fs::weakly_canonical(file, ignored).lexically_relative(configs_dir_);
  const bool inside = !configs_dir_.empty() && !relative.empty() && *relative.begin() != "..";
  return inside ? ("configs" / relative).string() : file.lexically_normal().string();
}

Node YamlReader::file(const fs::path& file, const Place& from, const std::string& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(file, error);
  const std::string name = shown(file);
  if (const auto first = std::find(open_.begin(), open_.end(), canonical); first != open_.end()) {
    std::string circle;
    for (auto step = first; step != open_.end(); ++step) circle += shown(*step) + " -> ";
    report(from, join(path, "extends"), "files extend each other in a circle: " + circle + name);
    return {};
  }
  std::string reason = fs::is_directory(file, error) ? "it is a folder" : "";
  std::ostringstream text;
  if (reason.empty()) {
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream ||
        (stream.peek() != std::ifstream::traits_type::eof() && !(text << stream.rdbuf())))
      reason = errno != 0 ? std::strerror(errno) : "read error";
  }
  if (!reason.empty()) {
    report(from, join(path, "extends"), fmt::format("cannot read {}: {}", name, reason),
           "a path relative to this file");
    return {};
  }
  if (std::find(files_.begin(), files_.end(), name) == files_.end()) files_.push_back(name);

  open_.push_back(canonical);
  Context context;
  context.folder = file.parent_path();
  context.place.file = name;
  Node node = document(text.str(), context, path);
  open_.pop_back();
  return node;
}

Node YamlReader::value(std::string_view text, const Place& place, const std::string& path) {
  Context context;
  context.place = place;
  return document(text, context, path);
}

Node YamlReader::document(std::string_view text, const Context& context, const std::string& path) {
  try {
    const YAML::Node first = YAML::Load(std::string(text));
    if (const auto second = second_document(std::string(text)))
      report(at_column(context.place, *second), path, "the YAML document ends before this",
             "one document");
    return convert(first, context, at(context.place, first.Mark()), path);
  } catch (const YAML::Exception& error) {
    report(at_column(context.place, error.mark), path, "not YAML: " + error.msg);
    return {};
  }
}

Node YamlReader::convert(const YAML::Node& yaml, const Context& context, const Place& place,
                         const std::string& path) {
  Node node;
  node.place = place;
  if (++nodes_ > kMaxNodes || context.depth > kMaxDepth) {
    if (!too_large_)
      report(place, path, "too large or too deep",
             fmt::format("{} values, {} levels", kMaxNodes, kMaxDepth));
    too_large_ = true;
    return node;
  }
  if (yaml.IsMap()) return convert_map(yaml, context, place, path);
  if (yaml.IsScalar()) {
    node.kind = Node::Kind::kScalar;
    node.scalar = yaml.Scalar();
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
  for (const auto& entry : yaml) {
    const Place key_place = at(context.place, entry.first.Mark());
    if (!entry.first.IsScalar()) {
      report(key_place, path, "a key must be a word");
      continue;
    }
    const std::string& key = entry.first.Scalar();
    const std::string key_path = join(path, key);
    Node child = convert(entry.second, inner, key_place, key_path);
    if (key == "extends") {
      extend(below, child, context, path);
    } else if (const Node* first = own.find(key)) {
      report(key_place, key_path, "given twice; first at " + first->place.text());
    } else {
      own.keys.push_back(key);
      own.children.push_back(std::move(child));
    }
  }
  merge(below, std::move(own), path, problems_);
  return below;
}

void YamlReader::extend(Node& below, const Node& extends, const Context& context,
                        const std::string& path) {
  const auto add = [&](const Node& name) {
    if (name.kind != Node::Kind::kScalar) {
      report(name.place, join(path, "extends"), "not a file name", "a file name or a list of them");
      return;
    }
    Node node = file(context.folder / name.scalar, name.place, path);
    if (node.kind != Node::Kind::kMap && node.kind != Node::Kind::kNothing) {
      report(node.place, path, "a file that is extended must be a map of keys");
      return;
    }
    node.place = below.place;
    merge(below, std::move(node), path, problems_);
  };
  if (extends.kind == Node::Kind::kList)
    for (const Node& name : extends.children) add(name);
  else
    add(extends);
}

void YamlReader::report(const Place& place, const std::string& key, std::string what,
                        std::string allowed) {
  problems_.push_back({place, key, std::move(what), std::move(allowed)});
}

}  // namespace spica::config
