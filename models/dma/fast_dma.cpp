// SPDX-License-Identifier: Apache-2.0
#include "models/dma/fast_dma.h"

#include <algorithm>

#include "models/base/checkpoint.h"
#include "models/dma/shaper.h"

namespace spica::dma {

using protocol::Move;

FastDma::FastDma(const sc_core::sc_module_name& name, const DmaParams& params, const sc_core::sc_time& cycle)
    : sc_module(name), params_(params), cycle_(cycle), engines_(params), row_(rows_.take()) {
  in.attach(*this);
  accumulator.attach(*this);
}

void FastDma::on_blocking(unsigned, protocol::Payload& payload, sc_core::sc_time& delay) {
  const Move& move = *payload.get_extension<protocol::DmaCommand>();
  engines_.push(move, nullptr, protocol::info_of(payload).origin);
  const bool to_shared = move.kind == Move::Kind::kAccumulatorToShared;
  const bool moved = move.loads() ? load() : store(to_shared ? Engine::kSharedStore : Engine::kGlobalStore);
  payload.set_response_status(moved ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  bytes_moved_ += std::uint64_t{move.far_rows()} * move.far_row_bytes();
  delay += cycle_ * static_cast<double>(cycles(move));
}

/// Limited by the slowest part: rows to shared memory, beats of global memory, rows through the scale units.
std::uint64_t FastDma::cycles(const Move& move) const {
  const std::uint64_t local_rows = std::uint64_t{move.rows} * move.blocks;
  if (move.kind == Move::Kind::kAccumulatorToShared) return local_rows;
  const std::uint64_t beats = (move.far_row_bytes() + params_.bus_bytes - 1) / params_.bus_bytes;
  const std::uint64_t moved = move.far_rows() * beats;
  return move.reshapes() ? std::max(moved, local_rows * ShapeWork(params_, move).cycles) : moved;
}

/// Executes the command in the engine. False if an address is unmapped; everything else is moved.
bool FastDma::load() {
  LoadEngine& loads = engines_.loads;
  loads.start();
  while (true) {
    const LoadEngine::Read read = loads.next_read();
    const Request& from = read.request;
    gmem.record(from.address, from.bytes, false);
    loads.arrived(read.id, gmem->contains(from.address, from.bytes) ? gmem->at(from.address) : nullptr);
    while (loads.has_unshaped()) {
      loads.begin_reshape();
      loads.finish_reshape();
    }
    for (const bool to_accumulator : {false, true})
      while (loads.has_write(to_accumulator)) {
        const bool failed = !write_local(to_accumulator);
        if (!loads.written(read.command, failed)) continue;
        const bool good = !loads.failed(read.command);
        loads.release(read.command);
        return good;
      }
  }
}

/// The next complete row of the load.
bool FastDma::write_local(bool to_accumulator) {
  LoadEngine& loads = engines_.loads;
  const LoadEngine::Write write = loads.write(to_accumulator);
  const protocol::Origin& origin = loads.origin(write.command);
  loads.pop_write(to_accumulator);
  if (to_accumulator) {
    copy_bytes(row_.data.data(), write.data, write.bytes);
    return access_accumulator(tlm::TLM_WRITE_COMMAND, write.address, write.bytes, origin,
                              loads.move(write.command));
  }
  const std::uint64_t to = smem->base + write.address;
  if (!smem->contains(to, write.bytes)) return false;
  smem->store(origin, to, write.data, write.bytes);
  return true;
}

bool FastDma::store(Engine which) {
  StoreEngine& stores = engines_.store(which);
  const protocol::PointedMemory& memory = which == Engine::kSharedStore ? *smem : *gmem;
  const std::uint64_t base = which == Engine::kSharedStore ? smem->base : 0;
  while (true) {
    StoreEngine::Fetch fetch;
    stores.next_fetch(fetch);
    const protocol::Origin origin = stores.origin(fetch.command);
    access_accumulator(tlm::TLM_READ_COMMAND, fetch.row, fetch.bytes, origin, stores.move(fetch.command));
    stores.fetch_sent();
    stores.fetched(fetch.buffer, fetch.offset, row_.data.data(), fetch.bytes);
    while (stores.has_row()) {
      const auto [to, data, command] = stores.next_write();
      const bool exists = memory.contains(base + to.address, to.bytes);
      if (exists && which == Engine::kGlobalStore) gmem.record(to.address + to.offset, to.covered, true);
      if (exists) memory.store(origin, base + to.address + to.offset, data, to.covered);
      stores.write_sent();
      if (!stores.written(command, !exists)) continue;
      const bool good = !stores.failed(command);
      stores.release(command);
      return good;
    }
  }
}

/// Reads a row into row_.data, or writes it.
bool FastDma::access_accumulator(tlm::tlm_command kind, std::uint32_t row, std::uint32_t bytes,
                                 const protocol::Origin& origin, const Move& move) {
  row_.setup(kind, std::uint64_t{row} * params_.accumulator_row_bytes, bytes, origin, move);
  sc_core::sc_time none;
  accumulator->b_transport(row_, none);
  return !row_.is_response_error();
}

bool FastDma::timing(base::Checkpoint& checkpoint) {
  checkpoint(bytes_moved_);  // its engines have nothing between two commands
  return true;
}

}  // namespace spica::dma
