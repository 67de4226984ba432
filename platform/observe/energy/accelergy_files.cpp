// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/accelergy_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

namespace spica::energy {

namespace {

constexpr const char* kRoot = "spica";
constexpr const char* kVersion = "0.4";

/// A block with its channels.
struct Component {
  std::string name;  // its own
  const power::Block* block;
  std::vector<std::size_t> channels;
};
/// Blocks by the folder of the machine they are in: "" or "cluster_0".
struct Part {
  std::string name;
  std::vector<Component> components;
};

std::vector<Part> parts_of(const power::Activity& activity) {
  std::vector<Part> parts{{"", {}}};
  for (std::size_t b = 0; b < activity.blocks().size(); ++b) {
    const power::Block& block = activity.blocks()[b];
    const std::size_t dot = block.name.rfind('.');
    const std::string folder = dot == std::string::npos ? "" : block.name.substr(0, dot);
    auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.name == folder; });
    if (part == parts.end()) part = parts.insert(parts.end(), {folder, {}});
    Component component{dot == std::string::npos ? block.name : block.name.substr(dot + 1), &block, {}};
    for (std::size_t i = 0; i < activity.channels().size(); ++i)
      if (activity.channels()[i].block == b) component.channels.push_back(i);
    part->components.push_back(std::move(component));
  }
  return parts;
}

/// Components without an event appear nowhere: they have no action.
bool has_actions(const Component& component) { return !component.channels.empty(); }

/// The text on a component, at an indentation.
using Write = std::function<void(std::string& text, const Component& component, const std::string& indent)>;

void append_local(std::string& text, const Part& part, const std::string& indent, const Write& write) {
  if (std::none_of(part.components.begin(), part.components.end(), has_actions)) return;
  text += indent + "local:\n";
  for (const Component& component : part.components) {
    if (!has_actions(component)) continue;
    text += fmt::format("{}  - name: {}\n", indent, component.name);
    write(text, component, indent + "    ");
  }
}

/// A tree of parts and components below `head`; `attributes` are those of the root.
std::string tree_yaml(const power::Activity& activity, const char* head, const std::string& attributes,
                      const Write& write) {
  std::string text =
      fmt::format("{}:\n  version: {}\n  subtree:\n    - name: {}\n{}", head, kVersion, kRoot, attributes);
  const std::vector<Part> parts = parts_of(activity);
  append_local(text, parts.front(), "      ", write);
  if (parts.size() > 1) text += "      subtree:\n";
  for (std::size_t i = 1; i < parts.size(); ++i) {
    text += fmt::format("        - name: {}\n", parts[i].name);
    append_local(text, parts[i], "          ", write);
  }
  return text;
}

std::string attributes_yaml(const base::Properties& properties) {
  std::string text;
  for (const auto& [name, value] : properties)
    text += fmt::format("{}{}: {:g}", text.empty() ? "" : ", ", name, value);
  return "{" + text + "}";
}

/// A table of components, `write` adds the text behind the name.
std::string table_yaml(const power::Activity& activity, const char* head, const Write& write) {
  std::string text = fmt::format("{}:\n  version: {}\n  tables:\n", head, kVersion);
  for (const Part& part : parts_of(activity))
    for (const Component& component : part.components)
      if (has_actions(component)) write(text, component, "    ");
  return text;
}

}  // namespace

std::string component_name(const std::string& block) { return fmt::format("{}.{}", kRoot, block); }
std::string class_name(const base::BlockType& type) { return fmt::format("spica_{}", type.name); }
std::string action_name(const power::EventKind& kind) {
  return std::string(kind.name.substr(kind.name.find('.') + 1));
}

std::string action_counts_yaml(const power::Activity& activity, const Span& span, const std::string& title) {
  return fmt::format("# {}: events of cycles {} to {}.\n", title, span.begin, span.end) +
         tree_yaml(activity, "action_counts", "",
                   [&](std::string& text, const Component& component, const std::string& indent) {
                     text += indent + "action_counts:\n";
                     for (const std::size_t channel : component.channels)
                       text +=
                           fmt::format("{0}  - name: {1}\n{0}    counts: {2:.0f}\n", indent,
                                       action_name(power::event_kinds()[activity.channels()[channel].kind]),
                                       span.counts[channel]);
                   });
}

std::string architecture_yaml(const power::Activity& activity, const power::OperatingPoint& point) {
  const std::string attributes =
      fmt::format("      attributes: {{technology: {:g}nm, voltage: {:g}, global_cycle_seconds: {:g}}}\n",
                  point.technology_nm, point.voltage, 1e-6 / point.clock_mhz);
  return tree_yaml(activity, "architecture", attributes,
                   [](std::string& text, const Component& component, const std::string& indent) {
                     text += fmt::format("{0}class: {1}\n{0}attributes: {2}\n", indent,
                                         class_name(*component.block->type),
                                         attributes_yaml(component.block->properties));
                   });
}

std::string classes_yaml(const power::Activity& activity) {
  std::string text = fmt::format("version: {}\nclasses:\n", kVersion);
  std::set<const base::BlockType*> known;
  for (const power::Block& block : activity.blocks()) {
    if (block.type->events.empty() || !known.insert(block.type).second) continue;
    text += fmt::format("  - name: {}\n    attributes: {}\n    actions:\n", class_name(*block.type),
                        attributes_yaml(block.properties));
    for (const power::EventKind& kind : power::event_kinds())
      if (kind.type == block.type) text += fmt::format("      - name: {}\n", action_name(kind));
  }
  return text;
}

std::string ert_yaml(const power::Activity& activity, const power::EnergyModel& model) {
  return table_yaml(
      activity, "ERT", [&](std::string& text, const Component& component, const std::string& indent) {
        text += fmt::format("{0}- name: {1}\n{0}  actions:\n", indent, component_name(component.block->name));
        for (const std::size_t channel : component.channels) {
          text += fmt::format("{0}    - name: {1}\n{0}      arguments: null\n{0}      energy: {2}\n", indent,
                              action_name(power::event_kinds()[activity.channels()[channel].kind]),
                              model.of_channel(channel).nominal);
        }
      });
}

std::string art_yaml(const power::Activity& activity, const std::map<std::string, double>& mm2) {
  std::map<std::string, double> others = mm2;  // blocks without an event take room, too
  const auto entry = [](const std::string& block, double area) {
    return fmt::format("    - name: {}\n      area: {:.8g}\n", component_name(block), area * 1e6);
  };
  std::string text =
      table_yaml(activity, "ART", [&](std::string& lines, const Component& component, const std::string&) {
        if (const auto known = others.extract(component.block->name))
          lines += entry(known.key(), known.mapped());
      });
  for (const auto& [block, area] : others) text += entry(block, area);
  return text;
}

}  // namespace spica::energy
