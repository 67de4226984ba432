// SPDX-License-Identifier: Apache-2.0
// Matrix products at the heads of queues: which kernel of each, and which queue is next.
#include <fmt/format.h>

#include <algorithm>

#include "models/command_processor/queues.h"

namespace spica::command_processor {

using protocol::KernelChoice;

bool Queues::read_model() {
  std::vector<unsigned char> bytes(protocol::ConcurrencyModel::kBytes);
  if (model_ == 0 || !outside_.read(model_, bytes.data(), protocol::ConcurrencyModel::kBytes)) return false;
  concurrency_.use(protocol::ConcurrencyModel::decode(bytes.data()));
  return true;
}

/// What is wrong with the kernels that it may choose from; "": nothing.
std::string Queues::product_of(Queue& queue) {
  KernelChoice::Bytes bytes;
  if (!concurrency_.can_decide() && !read_model())
    return "it leaves the number of products to the policy `predicted`, which has no model (COMMAND_PROCESSOR_MODEL)";
  if (!outside_.read(queue.head->choice, bytes.data(), KernelChoice::kBytes))
    return fmt::format("its choice of kernels, {:#x}, is outside of memory", queue.head->choice);
  Product product{KernelChoice::decode(bytes), {}, 0};
  for (const KernelChoice::Variant& kernel : product.choice.variants)
    if (const std::string wrong =
            make_launch(kernel, queue.head->arguments, queue.clusters, product.launches.emplace_back());
        !wrong.empty())
      return wrong;
  queue.product = std::move(product);
  concurrency_.change();
  return "";
}

/// That run, or could.
std::uint64_t Queues::products() const {
  const auto waiting = std::count_if(queues_.begin(), queues_.end(), [](const Queue& queue) {
    return queue.has_product() && queue.is_free();
  });
  return static_cast<std::uint64_t>(waiting) + concurrency_.running();
}

bool Queues::must_decide() const {
  return !params_.has_firmware() && concurrency_.open(products()) &&
         std::any_of(queues_.begin(), queues_.end(), [](const Queue& queue) { return queue.has_product(); });
}

void Queues::decide() {
  if (!concurrency_.can_decide()) read_model();  // a saved state has its address
  const std::uint64_t products = this->products();
  for (Queue& queue : queues_)
    if (queue.has_product()) concurrency_.decide(*queue.product, products, outside_.occupancy);
  concurrency_.close();
}

/// Queues take turns; a product like the last one comes before others.
std::optional<unsigned> Queues::next_queue() const {
  if (params_.policy == Policy::kSequential && !under_way_.empty()) return std::nullopt;
  const bool undecided = must_decide();
  const auto count = static_cast<unsigned>(queues_.size());
  std::optional<unsigned> first;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned number = (turn_ + i) % count;
    const Queue& queue = queues_[number];
    if (!queue.head || queue.waits() || queue.launched || !queue.is_free()) continue;
    if (!queue.product ||
        (!undecided && concurrency_.is_like_last(*queue.product) && concurrency_.may_begin(*queue.product)))
      return number;
    if (!first && !undecided && concurrency_.may_begin(*queue.product)) first = number;
  }
  return first;
}

}  // namespace spica::command_processor
