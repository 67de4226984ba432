// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/read_model.h"

#include <fmt/format.h>

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "platform/base/input/user_error.h"
#include "platform/workloads/network/foreign_format.h"
#include "platform/workloads/network/onnx_tensor.h"
#include "platform/workloads/network/wire_reader.h"

namespace spica::network {

namespace {

/// A string field of a message, for the name of a node or tensor in an error; empty if it is missing or damaged.
std::string text_field(const Span& message, std::uint64_t number) {
  try {
    WireReader reader(message);
    for (Field field; reader.next(field);)
      if (field.number == number) return field.text();
  } catch (const WireError&) {
    return {};
  }
  return {};
}

class ModelReader {
 public:
  explicit ModelReader(const std::string& path) : file_(std::make_shared<MappedFile>(path)), tensors_(file_) {
    graph_.file = path;
  }

  Graph read() {
    const Span whole{file_->data(), file_->size(), 0};
    if (const std::string format = foreign_format(whole); !format.empty())
      throw input::UserError(
          fmt::format("{}: {} is not a supported format; {}", graph_.file, format, kExportHint));
    try {
      read_model(whole);
    } catch (const WireError& error) {
      throw input::UserError(fmt::format("{}: byte {}{}: {}", graph_.file, error.offset(),
                                         where_.empty() ? "" : " (" + where_ + ")", error.what()));
    }
    return std::move(graph_);
  }

 private:
  void read_model(const Span& whole) {
    std::vector<Span> graphs;
    WireReader reader(whole);
    for (Field field; reader.next(field);) {
      if (field.number == 7) graphs.push_back(field.span());
      if (field.number == 8) read_opset(field.span());
    }
    if (graphs.size() != 1 || graph_.opset == 0)
      throw input::UserError(fmt::format(
          "{} is not an ONNX model: it has {}; {}", graph_.file,
          graphs.size() != 1 ? "no graph" : "no version of the default operator set", kExportHint));
    if (graph_.opset < kFirstOpset || graph_.opset > kLastOpset)
      throw input::UserError(fmt::format("{}: operator set {} is not supported; supported: {} to {}",
                                         graph_.file, graph_.opset, kFirstOpset, kLastOpset));
    read_graph(graphs[0]);
  }

  void read_opset(const Span& message) {
    std::string domain;
    std::int64_t version = 0;
    WireReader reader(message);
    for (Field field; reader.next(field);) {
      if (field.number == 1) domain = field.text();
      if (field.number == 2) version = field.integer();
    }
    if (domain.empty() || domain == "ai.onnx") graph_.opset = version;
  }

  /// Initializers and inputs before nodes, wherever they are in the file: nodes use them.
  void read_graph(const Span& message) {
    std::vector<Span> nodes, initializers, inputs, outputs, infos;
    WireReader reader(message);
    for (Field field; reader.next(field);) {
      switch (field.number) {
        case 1: nodes.push_back(field.span()); break;
        case 5: initializers.push_back(field.span()); break;
        case 11: inputs.push_back(field.span()); break;
        case 12: outputs.push_back(field.span()); break;
        case 13: infos.push_back(field.span()); break;
        case 15: throw WireError(field.offset, "sparse initializers are not supported; export dense weights");
        default: break;
      }
    }
    for (const Span& initializer : initializers) read_initializer(initializer);
    for (const Span& input : inputs) read_input(input);
    for (const Span& node : nodes) read_node(node);
    where_.clear();
    for (const Span& info : infos) read_type(info, find(text_field(info, 1)));
    for (const Span& output : outputs) read_output(output);
    if (graph_.outputs.empty()) throw WireError(message.offset, "the graph has no outputs");
  }

  void read_initializer(const Span& message) {
    where_ = "tensor '" + text_field(message, 8) + "'";
    OnnxTensorReader::Named named = tensors_.read(message);
    if (named.unsupported_type != 0 || named.constant.type == ElementType::kUnknown)
      throw WireError(message.offset,
                      fmt::format("elements of {} are not supported", type_text(named.unsupported_type)));
    const std::size_t value = define(named.name, message.offset);
    graph_.values[value].type = named.constant.type;
    graph_.values[value].extents = named.constant.extents;
    graph_.values[value].constant = std::move(named.constant);
  }

  void read_input(const Span& message) {
    const std::string name = text_field(message, 1);
    where_ = "input '" + name + "'";
    if (find(name) != kNone) return;  // an initializer with a declaration: it has its own extents
    const std::size_t value = define(name, message.offset);
    graph_.values[value].is_input = true;
    graph_.inputs.push_back(value);
    read_type(message, value);
    if (graph_.values[value].type == ElementType::kUnknown)
      throw WireError(message.offset, "the input is not a tensor of a supported type");
  }

  void read_output(const Span& message) {
    const std::string name = text_field(message, 1);
    where_ = "output '" + name + "'";
    const std::size_t value = find(name);
    if (value == kNone) throw WireError(message.offset, "no node computes this output");
    graph_.values[value].is_output = true;
    graph_.outputs.push_back(value);
  }

  /// Of a ValueInfoProto; for a value that is computed only its type, because extents are inferred.
  void read_type(const Span& message, std::size_t value) {
    if (value == kNone || graph_.values[value].constant) return;
    WireReader reader(message);
    for (Field field; reader.next(field);) {
      if (field.number != 2) continue;
      WireReader type(field.span());
      for (Field tensor; type.next(tensor);)
        if (tensor.number == 1) read_tensor_type(tensor.span(), graph_.values[value]);
    }
  }

  static void read_tensor_type(const Span& message, Value& value) {
    WireReader reader(message);
    for (Field field; reader.next(field);) {
      if (field.number == 1)
        value.type = element_type(field.unsigned_integer()).value_or(ElementType::kUnknown);
      if (field.number != 2) continue;
      std::vector<Dimension> dimensions;
      WireReader shape(field.span());
      for (Field dimension; shape.next(dimension);)
        if (dimension.number == 1) dimensions.push_back(read_dimension(dimension.span()));
      value.declared = std::move(dimensions);
    }
  }

  static Dimension read_dimension(const Span& message) {
    Dimension dimension;
    WireReader reader(message);
    for (Field field; reader.next(field);) {
      if (field.number == 1) dimension.extent = field.integer();
      if (field.number == 2) dimension.symbol = field.text();
    }
    if (dimension.extent && (*dimension.extent < 0 || *dimension.extent > kMaxElements))
      dimension.extent.reset();  // exporters write -1 for an unknown one
    return dimension;
  }

  void read_node(const Span& message) {
    Node node;
    node.offset = message.offset;
    std::string domain;
    std::vector<std::string> inputs, outputs;
    std::vector<Span> attributes;
    where_ = "node '" + text_field(message, 3) + "'";
    WireReader reader(message);
    for (Field field; reader.next(field);) {
      switch (field.number) {
        case 1: inputs.push_back(field.text()); break;
        case 2: outputs.push_back(field.text()); break;
        case 3: node.name = field.text(); break;
        case 4: node.type = field.text(); break;
        case 5: attributes.push_back(field.span()); break;
        case 7: domain = field.text(); break;
        default: break;
      }
    }
    if (!domain.empty() && domain != "ai.onnx") node.type = domain + "." + node.type;
    if (node.name.empty()) node.name = fmt::format("{}_{}", node.type, graph_.nodes.size());
    if (!names_.insert(node.name).second)
      names_.insert(node.name += fmt::format("#{}", graph_.nodes.size()));  // names of rows are unique
    where_ = fmt::format("node '{}' ({})", node.name, node.type);
    for (const Span& attribute : attributes) node.attributes.push_back(read_attribute(attribute));
    for (const std::string& name : inputs) {
      const std::size_t value = name.empty() ? kNone : find(name);
      if (value == kNone && !name.empty())
        throw WireError(message.offset, fmt::format("input '{}' is not computed by an earlier node", name));
      node.inputs.push_back(value);
    }
    for (const std::string& name : outputs) {
      node.outputs.push_back(name.empty() ? kNone : define(name, message.offset));
      if (!name.empty()) graph_.values[node.outputs.back()].producer = graph_.nodes.size();
    }
    graph_.nodes.push_back(std::move(node));
  }

  Attribute read_attribute(const Span& message) {
    Attribute attribute;
    std::uint64_t type = 0;
    std::vector<std::int64_t> integers;
    std::vector<float> floats;
    std::vector<std::string> texts;
    Field single;
    WireReader reader(message);
    for (Field field; reader.next(field);) {
      switch (field.number) {
        case 1: attribute.name = field.text(); break;
        case 2:
        case 3:
        case 4:
        case 5: single = field; break;
        case 7: append_fp32(field, floats); break;
        case 8: append_integers(field, integers); break;
        case 9: texts.push_back(field.text()); break;
        case 20: type = field.unsigned_integer(); break;
        default: break;
      }
    }
    switch (type) {
      case 1: attribute.value = single.number == 2 ? single.fp32() : 0.0; break;
      case 2: attribute.value = single.number == 3 ? single.integer() : std::int64_t{0}; break;
      case 3: attribute.value = single.number == 4 ? single.text() : std::string(); break;
      case 4:
        if (single.number != 5)
          throw WireError(message.offset, "attribute '" + attribute.name + "' has no tensor");
        if (Constant constant = tensors_.read(single.span()).constant; constant.type != ElementType::kUnknown)
          attribute.value = std::move(constant);
        break;
      case 6: attribute.value = std::vector<double>(floats.begin(), floats.end()); break;
      case 7: attribute.value = std::move(integers); break;
      case 8: attribute.value = std::move(texts); break;
      default: break;
    }
    return attribute;
  }

  std::size_t find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? kNone : found->second;
  }

  std::size_t define(const std::string& name, std::uint64_t offset) {
    if (name.empty()) throw WireError(offset, "a value without a name");
    if (!by_name_.emplace(name, graph_.values.size()).second)
      throw WireError(offset, fmt::format("value '{}' is defined twice", name));
    graph_.values.emplace_back().name = name;
    return graph_.values.size() - 1;
  }

  std::shared_ptr<const MappedFile> file_;
  OnnxTensorReader tensors_;
  Graph graph_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_set<std::string> names_;  // of nodes
  std::string where_;  // the node or tensor that is read, for errors
};

}  // namespace

Graph read_model(const std::string& path) { return ModelReader(path).read(); }

}  // namespace spica::network
