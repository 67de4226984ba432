// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/base/suggest.h"
#include "platform/base/config/value_text.h"

namespace spica::config {
namespace {

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

/// Paths of all fields called `name`, in declared order.
void find_name(const Field& group, const std::string& path, const std::string& name,
               std::vector<std::string>& found) {
  for (const Field& field : group.children) {
    const std::string field_path = join(path, field.name);
    if (field.name == name) found.push_back(field_path);
    if (field.kind == Field::Kind::kGroup || field.kind == Field::Kind::kList)
      find_name(field, field_path, name, found);
  }
}

const Field* find_path(const Field& group, std::string_view path) {
  const std::size_t dot = path.find('.');
  for (const Field& field : group.children) {
    if (field.name != path.substr(0, dot)) continue;
    return dot == std::string_view::npos ? &field : find_path(field, path.substr(dot + 1));
  }
  return nullptr;
}

class Applier {
 public:
  Applier(const Source& source, const Field& root)
      : source_(source), root_(root), problems_(source.problems) {
    for (const Problem& problem : problems_) failed_.insert(problem.key);
  }

  void group(Field& group, const Node* node, const std::string& path) {
    if (group.late) {
      std::optional<std::vector<Field>> fields = group.late();
      if (!fields) return;
      group.children = std::move(*fields);
    }
    if (node != nullptr && node->kind == Node::Kind::kNothing) node = nullptr;
    if (node != nullptr && node->kind != Node::Kind::kMap) {
      wrong_kind(group, *node, path);
      node = nullptr;
    }
    if (node != nullptr) unknown_keys(group, *node, path);
    for (Field& field : group.children) {
      const Node* child = node != nullptr ? node->find(field.name) : nullptr;
      const std::string field_path = join(path, field.name);
      if (field.required && child == nullptr) missing(field, node, field_path);
      if (field.kind == Field::Kind::kGroup) this->group(field, child, field_path);
      else if (field.kind == Field::Kind::kList) list(field, child, field_path);
      else value(field, child, field_path);
    }
    // A missing file or a syntax error says nothing about whether values fit each other.
    if (group.check && source_.problems.empty()) contradictions(group, path);
  }

  std::vector<Problem> problems() { return std::move(problems_); }

 private:
  void value(Field& field, const Node* node, const std::string& path) {
    std::string why;
    if (node == nullptr && field.required) return;  // missing() has said so
    if (node == nullptr) {
      const std::string text = value_text(field, field.get());
      const bool none = field.kind == Field::Kind::kChoice && text.empty();  // no choice was made
      if (!none && !parse_value(field, text, why))
        throw std::logic_error("default of " + path + ": " + why + "; allowed: " + allowed_text(field));
    } else if (node->kind != Node::Kind::kScalar) {
      wrong_kind(field, *node, path);
    } else if (const auto value = parse_value(field, node->scalar, why)) {
      field.set(*value);
    } else {
      report(node->place, path, std::move(why), allowed_text(field));
    }
  }

  void list(Field& list, const Node* node, const std::string& path) {
    const bool replaces = node != nullptr && node->kind == Node::Kind::kList;
    constexpr std::size_t kMostEntries = 256;
    if (replaces && node->children.size() > kMostEntries) {
      report(node->place, path, fmt::format("a list of {} entries", node->children.size()),
             fmt::format("at most {}", kMostEntries));
      node = nullptr;
    } else if (replaces) {
      list.children = list.resize(node->children.size());
    } else if (node != nullptr && node->kind == Node::Kind::kMap) {
      for (std::size_t i = 0; i < node->keys.size(); ++i)
        entry_of(node->keys[i], list.children.size(), node->children[i].place, join(path, node->keys[i]),
                 problems_);
    } else if (node != nullptr) {
      wrong_kind(list, *node, path);
      node = nullptr;
    }
    for (Field& entry : list.children) {
      const Node* given = node != nullptr ? node->find(entry.name) : nullptr;
      if (entry.is_value()) value(entry, given, join(path, entry.name));
      else group(entry, given, join(path, entry.name));
    }
  }

  void missing(const Field& field, const Node* group, const std::string& path) {
    // Of a file that could not be read nothing is known.
    if (source_.problems.empty())
      report(group != nullptr ? group->place : Place{source_.name}, path, "is missing", allowed_text(field));
  }

  void unknown_keys(const Field& group, const Node& node, const std::string& path) {
    constexpr std::size_t kMostReported = 100;
    const std::vector<std::string> known = names_of(group.children);
    std::size_t unknown = 0, last = 0;
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      if (std::find(known.begin(), known.end(), node.keys[i]) != known.end()) continue;
      last = i;
      if (++unknown > kMostReported) continue;
      std::string hint = base::did_you_mean(node.keys[i], known);
      if (hint.empty()) {
        std::vector<std::string> elsewhere;
        find_name(root_, "", node.keys[i], elsewhere);
        if (!elsewhere.empty()) hint = ", did you mean \"" + elsewhere.front() + "\"?";
      }
      report(node.children[i].place, join(path, node.keys[i]), "unknown key" + hint,
             fmt::format("{}", fmt::join(known, ", ")));
    }
    if (unknown > kMostReported)
      report(node.children[last].place, path, fmt::format("{} more unknown keys", unknown - kMostReported),
             {});
  }

  void wrong_kind(const Field& field, const Node& node, const std::string& path) {
    std::string given;
    switch (node.kind) {
      case Node::Kind::kNothing: given = "nothing"; break;
      case Node::Kind::kScalar: given = '"' + node.scalar + '"'; break;
      case Node::Kind::kMap: given = "a group of keys"; break;
      case Node::Kind::kList: given = "a list"; break;
    }
    std::string allowed = allowed_text(field);
    if (field.kind == Field::Kind::kGroup)
      allowed = fmt::format("{}", fmt::join(names_of(field.children), ", "));
    report(node.place, path, given + " is not " + kind_text(field.kind), std::move(allowed));
  }

  void contradictions(const Field& group, const std::string& path) {
    group.check(Contradiction([&](const std::vector<std::string>& keys, std::string_view what) {
      Place first{source_.name};
      std::vector<std::string> paths;
      std::vector<std::string> values;
      for (const std::string& key : keys) {
        const Field* field = find_path(group, key);
        if (field == nullptr) throw std::logic_error("check() of " + path + " names no field: " + key);
        paths.push_back(join(path, key));
        // A wrong value was reported already and is not in effect.
        if (failed_.count(paths.back()) != 0) return;
        const Place place = place_of(source_.root, paths.back());
        if (!place.is_default() && first.line == 0 && first.override_number == 0) first = place;
        const std::string value =
            field->is_value() ? " = " + value_text(*field, field->get()) : std::string();
        values.push_back(fmt::format("{}{} ({})", shown_path(paths.back()), value, place.text()));
      }
      std::vector<std::string> shown(paths.size());
      std::transform(paths.begin(), paths.end(), shown.begin(), shown_path);
      report(first, fmt::format("{}", fmt::join(shown, ", ")),
             fmt::format("{}; {}", what, fmt::join(values, ", ")), {});
    }));
  }

  void report(const Place& place, const std::string& key, std::string what, std::string allowed) {
    failed_.insert(key);
    problems_.push_back({place, key, std::move(what), std::move(allowed)});
  }

  const Source& source_;
  const Field& root_;
  std::vector<Problem> problems_;
  std::set<std::string> failed_;
};

}  // namespace

std::vector<Problem> apply_fields(const Source& source, Field& root) {
  Applier applier(source, root);
  applier.group(root, &source.root, "");
  return applier.problems();
}

}  // namespace spica::config
