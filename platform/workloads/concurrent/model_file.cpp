// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/concurrent/model_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"

namespace spica::concurrent {

using protocol::ConcurrencyModel;
using protocol::degree_of;
using protocol::kDegrees;

json::Value to_json(const ConcurrencyModel& model) {
  json::Value names{"m", "n", "k"};
  json::Value weights = json::Value::object();
  for (unsigned i = 0; i < kDegrees; ++i) {
    for (const char* what : {"groups", "occupancy", "waves"})
      names.push_back(fmt::format("{}_{}", what, degree_of(i)));
    weights[std::to_string(degree_of(i))] = model.weights[i];
  }
  return {{"features", names}, {"least", model.least}, {"span", model.span}, {"weights", weights}};
}

ConcurrencyModel read_model(const std::string& path) try {
  const std::vector<unsigned char> bytes = input::read_file(path);
  const auto document = json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!document)
    throw input::UserError(
        fmt::format("{}: no concurrency model: spica train writes one", input::printable(path)));
  ConcurrencyModel model;
  const auto read = [&](const json::Value& from, auto& to) {
    if (from.size() != to.size())
      throw input::UserError(
          fmt::format("{}: {} numbers instead of {}", input::printable(path), from.size(), to.size()));
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from.at(i).get<float>();
  };
  read(document->at("least"), model.least);
  read(document->at("span"), model.span);
  for (unsigned i = 0; i < kDegrees; ++i)
    read(document->at("weights").at(std::to_string(degree_of(i))), model.weights[i]);
  return model;
} catch (const json::Value::exception& error) {
  throw input::UserError(
      fmt::format("{}: not a concurrency model: {}", input::printable(path), input::printable(error.what())));
}

}  // namespace spica::concurrent
