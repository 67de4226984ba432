// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/concurrency.h"

#include <algorithm>
#include <numeric>

namespace spica::command_processor {

using protocol::degree_of;
using protocol::kDegrees;
using protocol::KernelLoad;

namespace {

unsigned measured_degree(const protocol::KernelChoice& choice, unsigned most) {
  constexpr double kLeastGain = 1.05;
  unsigned best = 0;
  double gain = 1;  // over one after the other
  const double alone = choice.variants[0].cycles;
  for (unsigned degree = 1; degree <= most; ++degree) {
    const std::uint32_t cycles = choice.variants[degree].cycles;
    if (cycles == 0 || degree_of(degree) * alone / cycles <= gain) continue;
    gain = degree_of(degree) * alone / cycles;
    best = degree;
  }
  return gain >= kLeastGain ? best : 0;
}

}  // namespace

void Concurrency::decide(Product& product, std::uint64_t products,
                         const std::function<std::uint64_t(const protocol::GridLaunch&)>& occupancy) const {
  const unsigned most = protocol::degree_index(products);
  if (params_.policy == Policy::kOracle) {
    product.degree = measured_degree(product.choice, most);
    return;
  }
  if (!model_) return;
  std::array<KernelLoad, kDegrees> loads;
  for (unsigned degree = 0; degree < kDegrees; ++degree)
    loads[degree] = protocol::load_of(product.launches[degree].groups(), occupancy(product.launches[degree]),
                                      params_.clusters);
  const protocol::KernelChoice& choice = product.choice;
  product.degree =
      std::min(most, model_->best(protocol::ConcurrencyModel::features(choice.m, choice.n, choice.k, loads)));
}

bool Concurrency::may_begin(const Product& product) const {
  unsigned least = product.degree;
  for (unsigned degree = 0; degree < kDegrees; ++degree)
    if (running_[degree] != 0) least = std::min(least, degree);
  return running() < degree_of(least);
}

void Concurrency::begin(const Product& product) {
  ++running_[product.degree];
  last_ = product.choice.encode();
}

std::uint64_t Concurrency::running() const {
  return std::accumulate(running_.begin(), running_.end(), std::uint64_t{0});
}

void Concurrency::reset() {
  model_.reset();
  last_ = {};
  open_ = false;
  std::fill(running_.begin(), running_.end(), 0);
}

}  // namespace spica::command_processor
