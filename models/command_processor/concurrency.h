// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/command_processor/command_processor_params.h"
#include "models/protocol/host_queues/concurrency_model.h"
#include "models/protocol/host_queues/kernel_choice.h"
#include "models/protocol/host_queues/work_group.h"

namespace spica::command_processor {

/// A matrix product at the head of a queue: the launches of its kernels by degree index, and the chosen degree.
struct Product {
  protocol::KernelChoice choice;
  std::vector<protocol::GridLaunch> launches;
  unsigned degree = 0;  // degree index

  template <class Archive>
  void serialize(Archive& archive) {
    auto bytes = choice.encode();
    archive(bytes, launches, degree);
    choice = protocol::KernelChoice::decode(bytes);
  }
};

/// The number of matrix products that run at once, as chosen by the policies `predicted` and `oracle`. The other
/// policies do not use it.
///
/// predicted  the model's degree for the product and its kernels, limited to the number of available products
/// oracle     the degree up to that number with the most measured products per cycle; 1 unless another one has at least
///            5 % more products per cycle than sequential execution (arXiv:2409.02227 section 5.5)
/// Launch     a product starts while fewer products run than its own degree and than the degree of each running one;
///            products like the last one come first
class Concurrency {
 public:
  explicit Concurrency(const CommandProcessorParams& params) : params_(params) {}

  bool decides() const { return params_.policy == Policy::kPredicted || params_.policy == Policy::kOracle; }
  void use(const protocol::ConcurrencyModel& model) { model_ = model; }
  bool can_decide() const { return params_.policy != Policy::kPredicted || model_; }

  /// A head has changed.
  void change() { open_ = true; }
  /// True if a decision is due; `products`: number of products running or at heads.
  bool open(std::uint64_t products) const { return open_ && products > 1; }
  void close() { open_ = false; }
  void decide(Product& product, std::uint64_t products,
              const std::function<std::uint64_t(const protocol::GridLaunch&)>& occupancy) const;

  /// True if the product may start in addition to those that run.
  bool may_begin(const Product& product) const;
  bool is_like_last(const Product& product) const { return product.choice.encode() == last_; }
  void begin(const Product& product);
  void end(unsigned degree) { --running_[degree]; }
  std::uint64_t running() const;
  std::uint32_t running(unsigned degree) const { return running_[degree]; }
  void reset();
  /// Not saved: params_, and model_, which is in memory.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(open_, running_, last_);
  }

 private:
  const CommandProcessorParams params_;
  std::optional<protocol::ConcurrencyModel> model_;
  bool open_ = false;
  std::vector<std::uint32_t> running_ =
      std::vector<std::uint32_t>(protocol::kDegrees);  // running products, by degree index
  protocol::KernelChoice::Bytes last_{};  // of the last product launched
};

}  // namespace spica::command_processor
