// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/concurrent/kernel_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"

namespace spica::concurrent {

using protocol::degree_of;
using protocol::kDegrees;

unsigned TunedProduct::best_degree() const {
  unsigned best = 0;
  for (unsigned i = 1; i < kDegrees; ++i)
    if (cycles[i] != 0 &&
        std::uint64_t{degree_of(i)} * cycles[best] > std::uint64_t{degree_of(best)} * cycles[i])
      best = i;
  return best;
}

double TunedProduct::speedup(unsigned degree) const {
  return cycles[degree] == 0 ? 0 : static_cast<double>(degree_of(degree)) * cycles[0] / cycles[degree];
}

const TunedProduct& KernelLibrary::find(const ProductName& name) const {
  std::vector<std::string> known;
  for (const TunedProduct& product : products) {
    known.push_back(product.name.text());
    if (known.back() == name.text()) return product;
  }
  throw input::UserError(fmt::format("the library has no product {}; it has {}; spica tune adds others",
                                     name.text(), fmt::join(known, ", ")));
}

json::Value KernelLibrary::to_json() const {
  auto list = json::Value::array();
  for (const TunedProduct& product : products) {
    auto degrees = json::Value::array();
    for (unsigned i = 0; i < kDegrees; ++i)
      degrees.push_back({{"degree", degree_of(i)},
                         {"kernel", product.kernels[i]},
                         {"cycles", product.cycles[i]},
                         {"groups", product.loads[i].groups},
                         {"occupancy", product.loads[i].occupancy},
                         {"waves", product.loads[i].waves}});
    list.push_back({{"gemm", product.name.text()}, {"degrees", std::move(degrees)}});
  }
  return {{"machine", machine}, {"products", std::move(list)}};
}

KernelLibrary read_library(const std::string& path) try {
  const std::vector<unsigned char> bytes = input::read_file(path);
  const auto document = json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!document)
    throw input::UserError(
        fmt::format("{}: not a kernel library; spica tune writes one", input::printable(path)));
  KernelLibrary library;
  library.machine = document->at("machine").get<std::string>();
  for (const json::Value& one : document->at("products")) {
    TunedProduct product;
    product.name = ProductName::parse(one.at("gemm").get<std::string>());
    for (unsigned i = 0; i < kDegrees; ++i) {
      const json::Value& degree = one.at("degrees").at(i);
      if (degree.at("degree").get<unsigned>() != degree_of(i))
        throw input::UserError(fmt::format("{}: {}: degrees are 1, 2, 4, 8 and 16 in this order",
                                           input::printable(path), product.name.text()));
      product.kernels[i] = degree.at("kernel").get<std::string>();
      product.cycles[i] = degree.at("cycles").get<std::uint32_t>();
      product.loads[i] = {degree.at("groups").get<std::uint64_t>(),
                          degree.at("occupancy").get<std::uint64_t>(), degree.at("waves").get<double>()};
    }
    library.products.push_back(std::move(product));
  }
  return library;
} catch (const json::Value::exception& error) {
  throw input::UserError(
      fmt::format("{}: not a kernel library: {}", input::printable(path), input::printable(error.what())));
}

}  // namespace spica::concurrent
