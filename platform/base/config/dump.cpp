// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/dump.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>

#include "platform/base/config/value_text.h"
#include "platform/base/config/yaml_bytes.h"
#include "platform/base/input/printable.h"

namespace spica::config {
namespace {

constexpr std::size_t kMaxCommentColumn = 48;

struct Line {
  std::string text;
  std::string comment;
};

std::string yaml_text(const Field& field) {
  std::string text = value_text(field, field.get());
  if (field.kind != Field::Kind::kString) return text;
  YAML::Emitter emitter;
  if (input::printable(text) != text) {  // bytes that are in no YAML file
    emitter.SetOutputCharset(YAML::EscapeNonAscii);
    text = yaml_characters(text);
  }
  emitter << YAML::DoubleQuoted << text;
  return emitter.c_str();
}

class Dumper {
 public:
  explicit Dumper(const Source& source) : source_(source) {}

  void group(const Field& group, const std::string& path, std::size_t indent) {
    for (const Field& field : group.children) {
      const std::string key = std::string(indent, ' ') + field.name + ':';
      const std::string field_path = join(path, field.name);
      if (field.is_value()) {
        const std::string place = place_of(source_.root, field_path).text();
        lines_.push_back({key + ' ' + yaml_text(field), place});
      } else if (field.children.empty()) {
        lines_.push_back({key + (field.kind == Field::Kind::kList ? " []" : " {}"), ""});
      } else if (field.kind == Field::Kind::kGroup) {
        lines_.push_back({key, ""});
        this->group(field, field_path, indent + 2);
      } else {
        lines_.push_back({key, ""});
        for (const Field& entry : field.children) list_entry(entry, field_path, indent + 2);
      }
    }
  }

  void write(std::ostream& os) const {
    std::size_t column = 0;
    for (const Line& line : lines_)
      if (!line.comment.empty()) column = std::max(column, line.text.size() + 2);
    column = std::min(column, kMaxCommentColumn);
    for (const Line& line : lines_) {
      os << line.text;
      if (!line.comment.empty())
        os << std::string(std::max(column, line.text.size() + 2) - line.text.size(), ' ') << "# "
           << line.comment;
      os << '\n';
    }
  }

 private:
  void list_entry(const Field& entry, const std::string& path, std::size_t indent) {
    const std::size_t first = lines_.size();
    if (entry.is_value()) {
      const std::string place = place_of(source_.root, join(path, entry.name)).text();
      lines_.push_back({std::string(indent, ' ') + "- " + yaml_text(entry), place});
      return;
    }
    group(entry, join(path, entry.name), indent + 2);
    if (first == lines_.size()) lines_.push_back({std::string(indent, ' ') + "- {}", ""});
    else lines_[first].text[indent] = '-';
  }

  const Source& source_;
  std::vector<Line> lines_;
};

void collect(const Field& group, const std::string& path, const Source& source,
             std::vector<EffectiveValue>& values) {
  for (const Field& field : group.children) {
    const std::string key = join(path, field.name);
    if (!field.is_value()) {
      collect(field, key, source, values);
      continue;
    }
    values.push_back({key, field.get(), input::printable(value_text(field, field.get())), field.unit,
                      place_of(source.root, key).text(), field.timing});
  }
}

}  // namespace

std::vector<EffectiveValue> effective_fields(const Field& root, const Source& source) {
  std::vector<EffectiveValue> values;
  collect(root, "", source, values);
  return values;
}

std::string canonical_text(const std::vector<EffectiveValue>& values) {
  std::vector<std::string> lines;
  for (const EffectiveValue& value : values) lines.push_back(value.key + '=' + value.text + '\n');
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

void dump_fields(std::ostream& os, const Field& root, const Source& source) {
  Dumper dumper(source);
  dumper.group(root, "", 0);
  dumper.write(os);
}

}  // namespace spica::config
