// SPDX-License-Identifier: Apache-2.0
#include "models/dma/fast_dma.h"

#include <cstring>
#include <vector>

namespace spica::dma {

using Kind = protocol::DmaCommand::Kind;

FastDma::FastDma(const sc_core::sc_module_name& name, const DmaParams& params, const sc_core::sc_time& cycle)
    : sc_module(name), params_(params), cycle_(cycle), payload_(rows_.take()) {
  in.attach(*this);
  accumulator.attach(*this);
}

void FastDma::on_blocking(unsigned, protocol::Payload& payload, sc_core::sc_time& delay) {
  const auto& command = *payload.get_extension<protocol::DmaCommand>();
  protocol::Origin origin = protocol::info_of(payload).origin;
  origin.unit = protocol::Origin::Unit::kDma;
  const bool moved = move(command, origin);
  payload.set_response_status(moved ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  const std::uint64_t row_bytes = std::uint64_t{command.blocks} * command.block_bytes;
  bytes_moved_ += command.rows * row_bytes;
  const std::uint64_t per_row = command.kind == Kind::kAccumulatorToShared
                                    ? command.blocks
                                    : (row_bytes + params_.bus_bytes - 1) / params_.bus_bytes;
  delay += cycle_ * static_cast<double>(command.rows * per_row);
}

/// False when an address is unmapped; everything else is moved all the same.
bool FastDma::move(const protocol::DmaCommand& c, const protocol::Origin& origin) {
  const bool loads = c.kind == Kind::kGlobalToShared || c.kind == Kind::kGlobalToAccumulator;
  bool good = true;
  for (std::uint32_t row = 0; row < c.rows; ++row)
    good = (loads ? load(c, row, origin) : store(c, row, origin)) && good;
  return good;
}

bool FastDma::load(const protocol::DmaCommand& c, std::uint32_t row, const protocol::Origin& origin) {
  unsigned char zeros[protocol::kMaxLineBytes] = {};
  const std::uint32_t from = c.global_address + row * c.global_stride;
  bool good = true;
  for (std::uint32_t block = 0; block < c.blocks; ++block) {
    const std::uint32_t address = from + block * c.block_bytes;
    const bool exists = global_.contains(address, c.block_bytes);
    const unsigned char* data = exists ? global_.at(address) : zeros;
    good &= exists;
    const std::uint32_t to = c.local_address + row * c.local_stride + block * c.block_stride;
    if (c.kind == Kind::kGlobalToAccumulator)
      good &= !access_accumulator(tlm::TLM_WRITE_COMMAND, c, row, block, data).is_response_error();
    else if (shared_.contains(shared_.base + to, c.block_bytes))
      shared_.store(origin, shared_.base + to, data, c.block_bytes);
    else good = false;
  }
  return good;
}

bool FastDma::store(const protocol::DmaCommand& c, std::uint32_t row, const protocol::Origin& origin) {
  const bool to_shared = c.kind == Kind::kAccumulatorToShared;
  const protocol::PointedMemory& memory = to_shared ? shared_ : global_;
  const std::uint64_t base = to_shared ? shared_.base : 0;
  bool good = true;
  for (std::uint32_t block = 0; block < c.blocks; ++block) {
    const RowPayload& data = access_accumulator(tlm::TLM_READ_COMMAND, c, row, block, nullptr);
    const std::uint32_t offset = c.global_address + row * c.global_stride + block * c.block_bytes;
    if (memory.contains(base + offset, c.block_bytes))
      memory.store(origin, base + offset, data.data.data(), c.block_bytes);
    else good = false;
  }
  return good;
}

RowPayload& FastDma::access_accumulator(tlm::tlm_command kind, const protocol::DmaCommand& c,
                                        std::uint32_t row, std::uint32_t block, const unsigned char* data) {
  const std::uint32_t at = c.local_address + row * c.local_stride + block * c.block_stride;
  payload_.set_command(kind);
  payload_.set_address(std::uint64_t{at} * params_.accumulator_row_bytes);
  payload_.set_data_length(c.block_bytes);
  payload_.set_streaming_width(c.block_bytes);
  payload_.move = c;
  if (data != nullptr) std::memcpy(payload_.data.data(), data, c.block_bytes);
  sc_core::sc_time none;
  accumulator->b_transport(payload_, none);
  return payload_;
}

}  // namespace spica::dma
