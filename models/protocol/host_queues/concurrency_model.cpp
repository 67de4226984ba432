// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/host_queues/concurrency_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace spica::protocol {

KernelLoad load_of(std::uint64_t groups, std::uint64_t occupancy, std::uint64_t clusters) {
  return {groups, occupancy, static_cast<double>(groups) / static_cast<double>(clusters * occupancy)};
}

ConcurrencyModel::Features ConcurrencyModel::features(std::uint32_t m, std::uint32_t n, std::uint32_t k,
                                                      const std::array<KernelLoad, kDegrees>& loads) {
  Features x{static_cast<float>(m), static_cast<float>(n), static_cast<float>(k)};
  unsigned at = 3;
  for (const KernelLoad& load : loads) {
    x[at++] = static_cast<float>(load.groups);
    x[at++] = static_cast<float>(load.occupancy);
    x[at++] = static_cast<float>(load.waves);
  }
  return x;
}

std::array<float, kDegrees> ConcurrencyModel::scores(const Features& raw) const {
  std::array<float, kDegrees> scores{};
  for (unsigned degree = 0; degree < kDegrees; ++degree) {
    float sum = weights[degree][kFeatures];
    for (unsigned i = 0; i < kFeatures; ++i)  // a fused step: the same on every processor
      if (span[i] != 0) sum = std::fma(weights[degree][i], (raw[i] - least[i]) / span[i], sum);
    scores[degree] = sum;
  }
  return scores;
}

std::array<double, kDegrees> ConcurrencyModel::probabilities(const Features& raw) const {
  const auto scores = this->scores(raw);
  const double largest = *std::max_element(scores.begin(), scores.end());
  std::array<double, kDegrees> result{};
  double sum = 0;
  for (unsigned i = 0; i < kDegrees; ++i) sum += result[i] = std::exp(scores[i] - largest);
  for (double& one : result) one /= sum;
  return result;
}

unsigned ConcurrencyModel::best(const Features& raw) const {
  const auto scores = this->scores(raw);
  return static_cast<unsigned>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

std::vector<unsigned char> ConcurrencyModel::encode() const {
  std::vector<unsigned char> bytes(kBytes);
  std::memcpy(bytes.data(), least.data(), sizeof least);
  std::memcpy(bytes.data() + sizeof least, span.data(), sizeof span);
  std::memcpy(bytes.data() + sizeof least + sizeof span, weights.data(), sizeof weights);
  return bytes;
}

ConcurrencyModel ConcurrencyModel::decode(const unsigned char* bytes) {
  ConcurrencyModel model;
  std::memcpy(model.least.data(), bytes, sizeof model.least);
  std::memcpy(model.span.data(), bytes + sizeof model.least, sizeof model.span);
  std::memcpy(model.weights.data(), bytes + sizeof model.least + sizeof model.span, sizeof model.weights);
  return model;
}

}  // namespace spica::protocol
