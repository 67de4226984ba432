// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/head_reader.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace spica::command_processor {

using protocol::KernelChoice;
using protocol::KernelObject;
using protocol::Packet;

std::string HeadReader::read(Queue& queue) {
  Packet::Bytes bytes;
  const std::uint64_t address =
      queue.base + std::uint64_t{queue.read % queue.packets} * protocol::kPacketBytes;
  if (!outside_.read(address, bytes.data(), protocol::kPacketBytes))
    return fmt::format("its address, {:#x}, is outside of memory", address);
  queue.head = Packet::decode(bytes);
  queue.product.reset();
  queue.launched = false;
  if (!queue.head) return "it is neither a kernel (type 2) nor a barrier (type 3) with addresses of 32 bits";
  if (queue.waits()) return "";
  const Packet& packet = *queue.head;
  std::string wrong = make_launch({packet.object, packet.block, packet.grid, packet.shared_bytes, 0},
                                  packet.arguments, queue.clusters, queue.launch);
  if (!wrong.empty() || packet.choice == 0 || !(concurrency_.decides() || params_.has_firmware()))
    return wrong;
  return product_of(queue);
}

std::string HeadReader::make_launch(const protocol::KernelChoice::Variant& kernel, std::uint32_t arguments,
                                    const protocol::ClusterSet& clusters,
                                    protocol::GridLaunch& launch) const {
  KernelObject::Bytes bytes;
  if (!outside_.read(kernel.object, bytes.data(), protocol::kKernelObjectBytes))
    return fmt::format("its kernel object, {:#x}, is outside of memory", kernel.object);
  const KernelObject object = KernelObject::decode(bytes);
  launch = {};
  launch.startup = object.startup;
  launch.entry = object.entry;
  launch.registers = object.registers;
  launch.barriers = object.barriers;
  launch.matrix_unit = object.matrix_unit;
  launch.argument = arguments;
  launch.block = kernel.block;
  launch.shared_bytes = kernel.shared_bytes;
  launch.clusters = clusters;
  for (unsigned i = 0; i < 3; ++i) {
    if (kernel.block[i] == 0 || kernel.grid[i] % kernel.block[i] != 0)
      return fmt::format("a grid of {} threads is not a multiple of the work-group size {}", kernel.grid[i],
                         kernel.block[i]);
    launch.grid[i] = kernel.grid[i] / kernel.block[i];
  }
  const std::vector<std::string> reasons = outside_.why_not(launch);
  return reasons.empty() ? "" : reasons.front();
}

/// The error in the alternative kernels; "": none.
std::string HeadReader::product_of(Queue& queue) {
  KernelChoice::Bytes bytes;
  if (!has_model())
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

bool HeadReader::read_model() {
  std::vector<unsigned char> bytes(protocol::ConcurrencyModel::kBytes);
  if (model_ == 0 || !outside_.read(model_, bytes.data(), protocol::ConcurrencyModel::kBytes)) return false;
  concurrency_.use(protocol::ConcurrencyModel::decode(bytes.data()));
  return true;
}

}  // namespace spica::command_processor
