// SPDX-License-Identifier: Apache-2.0
// Writes small ONNX models for tests: the wire format of protocol buffers, fields as in onnx.proto.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "platform/workloads/network/element_type.h"

namespace spica::testbench {

/// The bytes of a message.
class Message {
 public:
  Message& integer(unsigned field, std::uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }
  Message& bytes(unsigned field, const std::string& text) {
    key(field, 2);
    varint(text.size());
    text_ += text;
    return *this;
  }
  Message& fp32(unsigned field, float value) {
    key(field, 5);
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  void key(unsigned field, unsigned type) { varint(field << 3 | type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

using network::ElementType;
using Integers = std::vector<std::int64_t>;

/// A TensorProto with raw data, of any type. `values` are converted to its elements.
template <class T>
std::string tensor_text(const std::string& name, const Integers& extents, ElementType type,
                        const std::vector<T>& values) {
  Message message;
  for (const std::int64_t extent : extents) message.integer(1, static_cast<std::uint64_t>(extent));
  message.integer(2, static_cast<std::uint64_t>(type)).bytes(8, name);
  return message
      .bytes(9, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)))
      .text();
}
inline std::string floats(const std::string& name, const Integers& extents,
                          const std::vector<float>& values) {
  return tensor_text(name, extents, ElementType::kFp32, values);
}
inline std::string integers(const std::string& name, const Integers& values) {
  return tensor_text(name, {static_cast<std::int64_t>(values.size())}, ElementType::kInt64, values);
}

struct TensorText {
  std::string text;
};

struct AttributeText {
  std::string name;
  std::variant<int, double, std::string, Integers, TensorText> value;

  std::string text() const {
    Message message;
    message.bytes(1, name);
    if (const auto* integer = std::get_if<int>(&value))
      message.integer(3, static_cast<std::uint64_t>(static_cast<std::int64_t>(*integer))).integer(20, 2);
    if (const auto* number = std::get_if<double>(&value))
      message.fp32(2, static_cast<float>(*number)).integer(20, 1);
    if (const auto* word = std::get_if<std::string>(&value)) message.bytes(4, *word).integer(20, 3);
    if (const auto* tensor = std::get_if<TensorText>(&value)) message.bytes(5, tensor->text).integer(20, 4);
    if (const auto* list = std::get_if<Integers>(&value)) {
      for (const std::int64_t entry : *list) message.integer(8, static_cast<std::uint64_t>(entry));
      message.integer(20, 7);
    }
    return message.text();
  }
};

/// An extent, or a symbol.
using Extent = std::variant<int, std::string>;

class ModelWriter {
 public:
  explicit ModelWriter(unsigned opset = 17) : opset_(opset) {}

  ModelWriter& input(const std::string& name, const std::vector<Extent>& extents,
                     ElementType type = ElementType::kFp32) {
    Message shape;
    for (const Extent& extent : extents) {
      Message dimension;
      if (const auto* number = std::get_if<int>(&extent))
        dimension.integer(1, static_cast<std::uint64_t>(*number));
      else dimension.bytes(2, std::get<std::string>(extent));
      shape.bytes(1, dimension.text());
    }
    Message tensor;
    tensor.integer(1, static_cast<std::uint64_t>(type)).bytes(2, shape.text());
    graph_.bytes(11, Message().bytes(1, name).bytes(2, Message().bytes(1, tensor.text()).text()).text());
    return *this;
  }
  ModelWriter& output(const std::string& name) {
    graph_.bytes(12, Message().bytes(1, name).text());
    return *this;
  }
  /// A TensorProto.
  ModelWriter& initializer(const std::string& tensor) {
    graph_.bytes(5, tensor);
    return *this;
  }
  ModelWriter& numbers(const std::string& name, const Integers& extents, float value = 0.5F) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count *= extent;
    return initializer(floats(name, extents, std::vector<float>(static_cast<std::size_t>(count), value)));
  }
  ModelWriter& scalar(const std::string& name, float value) { return initializer(floats(name, {}, {value})); }
  ModelWriter& list(const std::string& name, const Integers& values) {
    return initializer(integers(name, values));
  }

  /// `words`: "y = Add x b" or "a, b = Split x". "_" is an input that is not given. The node has the name of its first output.
  ModelWriter& node(const std::string& words, const std::vector<AttributeText>& attributes = {},
                    const std::string& domain = "") {
    Message node;
    std::vector<std::string> inputs, outputs;
    std::string type, word;
    bool left = true;
    for (std::size_t i = 0; i <= words.size(); ++i) {
      if (i < words.size() && words[i] != ' ' && words[i] != ',') {
        word += words[i];
        continue;
      }
      if (word == "=") left = false;
      else if (word == "_") inputs.emplace_back();
      else if (!word.empty()) {
        if (left) outputs.push_back(word);
        else if (type.empty()) type = word;
        else inputs.push_back(word);
      }
      word.clear();
    }
    for (const std::string& name : inputs) node.bytes(1, name);
    for (const std::string& name : outputs) node.bytes(2, name);
    node.bytes(3, "n_" + outputs.at(0)).bytes(4, type);
    for (const AttributeText& attribute : attributes) node.bytes(5, attribute.text());
    if (!domain.empty()) node.bytes(7, domain);
    graph_.bytes(1, node.text());
    return *this;
  }

  std::string bytes() const {
    return Message()
        .integer(1, 8)
        .bytes(7, graph_.text())
        .bytes(8, Message().integer(2, opset_).text())
        .text();
  }
  /// Writes the file and returns its path.
  std::string write(const std::string& path) const {
    std::ofstream(path, std::ios::binary) << bytes();
    return path;
  }

 private:
  unsigned opset_;
  Message graph_;
};

}  // namespace spica::testbench
