// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/schema.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "platform/base/config/value_text.h"
#include "platform/base/json/value.h"

namespace spica::config {
namespace {

using Json = json::Value;

Json bound(const Field& field, double value) {
  if (field.kind == Field::Kind::kReal) return value;
  if (value >= static_cast<double>(field.max_integer)) return field.max_integer;
  return static_cast<std::uint64_t>(value);
}

Json number(const Field& field) {
  const bool integer = field.kind == Field::Kind::kInteger;
  Json json{{"type", integer ? "integer" : "number"},
            {"minimum", bound(field, field.range.min)},
            {"maximum", bound(field, field.range.max)}};
  if (field.range.shape == base::kPow2) {
    Json powers = Json::array();
    for (unsigned bit = 0; bit < 64; ++bit) {
      const std::uint64_t power = std::uint64_t{1} << bit;
      if (field.range.contains(power)) powers.push_back(power);
    }
    json["enum"] = powers;
  }
  if (!integer) return json;
  const char* pattern = field.unit == "B" ? "^(0x[0-9a-fA-F]+|[0-9]+ *([KMG]i)?B?)$" : "^0x[0-9a-fA-F]+$";
  return {{"anyOf", {json, {{"type", "string"}, {"pattern", pattern}}}}};
}

Json default_of(const Field& field) {
  return std::visit([](const auto& value) { return Json(value); }, field.get());
}

Json schema(const Field& field);

Json group(const Field& field) {
  const Json file{{"type", "string"}};
  Json properties = Json::object();
  properties["extends"] = {{"description", "files below this map, relative to this file"},
                           {"anyOf", {file, {{"type", "array"}, {"items", file}}}}};
  for (const Field& child : field.children) {
    properties[child.name] = schema(child);
    for (const std::string& name : child.earlier) {
      properties[name] = properties[child.name];
      properties[name]["deprecated"] = true;
    }
  }
  return {{"type", {"object", "null"}}, {"additionalProperties", false}, {"properties", properties}};
}

Json value(const Field& field) {
  switch (field.kind) {
    case Field::Kind::kBool: return {{"type", "boolean"}};
    case Field::Kind::kChoice: return {{"enum", field.choices}};
    case Field::Kind::kString: return {{"type", "string"}};
    default: return number(field);
  }
}

Json schema(const Field& field) {
  Json json;
  switch (field.kind) {
    default: json = value(field); break;
    case Field::Kind::kGroup: json = group(field); break;
    case Field::Kind::kList: {
      const Field prototype = field.prototype();
      const Json entry = prototype.is_value() ? value(prototype) : group(prototype);
      json = {{"anyOf",
               {{{"type", "array"}, {"items", entry}},
                {{"type", "object"},
                 {"patternProperties", {{"^[0-9]+$", entry}}},
                 {"additionalProperties", false}}}}};
      break;
    }
  }
  std::string description = field.doc;
  if (!field.unit.empty()) description += " (" + field.unit + ")";
  if (!field.source.empty()) description += " [" + field.source + "]";
  if (!description.empty()) json["description"] = description;
  if (field.is_value() && !field.required) json["default"] = default_of(field);
  return json;
}

}  // namespace

void write_schema(std::ostream& os, const Field& root) {
  Json json{{"$schema", "http://json-schema.org/draft-07/schema#"}};
  json.update(schema(root));
  os << json.dump(2) << '\n';
}

}  // namespace spica::config
