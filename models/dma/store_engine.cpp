// SPDX-License-Identifier: Apache-2.0
#include "models/dma/store_engine.h"

#include <ostream>

namespace spica::dma {

StoreEngine::StoreEngine(const DmaParams& p, bool global)
    : global_(global),
      max_request_(static_cast<std::uint32_t>(p.max_request)),
      ids_(static_cast<unsigned>(global ? p.write_ids : p.shared_write_ids)),
      commands_(p.store_queue),
      order_(p.store_queue),
      buffers_(p.store_rows) {
  for (Buffer& buffer : buffers_) buffer.data.resize(256);
}

void StoreEngine::reset() {
  for (Command& command : commands_) command = {};
  used_ = 0;
  order_.clear();
  row_ = block_ = 0;
  first_ = open_ = 0;
  position_ = 0;
  writes_under_way_ = 0;
}

void StoreEngine::push(const protocol::Move& move, void* handle, const protocol::Origin& origin) {
  unsigned slot = 0;
  while (commands_[slot].used) ++slot;
  commands_[slot] = {&move, handle, origin, true, false, move.rows, 0};
  ++used_;
  order_.push(slot);
}

bool StoreEngine::next_fetch(Fetch& out) const {
  if (order_.empty() || (block_ == 0 && open_ == buffers_.size())) return false;
  const unsigned slot = order_.front();
  const protocol::Move& m = *commands_[slot].move;
  const unsigned buffer = (first_ + open_ - (block_ == 0 ? 0 : 1)) % static_cast<unsigned>(buffers_.size());
  out = {m.near(row_, block_), m.block_bytes, buffer, block_ * m.block_bytes, slot};
  return true;
}

void StoreEngine::fetch_sent() {
  const unsigned slot = order_.front();
  const protocol::Move& m = *commands_[slot].move;
  if (block_ == 0) {
    Buffer& buffer = buffers_[(first_ + open_) % buffers_.size()];
    buffer.command = slot;
    buffer.row = row_;
    buffer.bytes = m.row_bytes();
    buffer.arrived = 0;
    ++open_;
  }
  if (++block_ < m.blocks) return;
  block_ = 0;
  if (++row_ < m.rows) return;
  row_ = 0;
  order_.pop();
}

void StoreEngine::fetched(unsigned buffer, std::uint32_t offset, const unsigned char* data,
                          std::uint32_t bytes) {
  copy_bytes(&buffers_[buffer].data[offset], data, bytes);
  buffers_[buffer].arrived += bytes;
}

StoreEngine::Write StoreEngine::next_write() const {
  const Buffer& buffer = buffers_[first_];
  const protocol::Move& m = *commands_[buffer.command].move;
  const std::uint32_t address = m.far(buffer.row, position_);
  const std::uint32_t left = buffer.bytes - position_;
  const Request request =
      global_ ? split_request(address, left, max_request_) : Request{address, left, 0, left};
  return {request, &buffer.data[position_], buffer.command};
}

void StoreEngine::write_sent() {
  const Write sent = next_write();
  Buffer& buffer = buffers_[first_];
  Command& command = commands_[buffer.command];
  ++writes_under_way_;
  ++command.writes;
  position_ += sent.request.covered;
  if (position_ < buffer.bytes) return;
  position_ = 0;
  --command.rows_left;
  first_ = (first_ + 1) % static_cast<unsigned>(buffers_.size());
  --open_;
}

bool StoreEngine::written(unsigned slot, bool failed) {
  Command& command = commands_[slot];
  --writes_under_way_;
  --command.writes;
  command.failed |= failed;
  return command.rows_left == 0 && command.writes == 0;
}

void StoreEngine::release(unsigned slot) {
  commands_[slot].used = false;
  --used_;
}

void StoreEngine::dump(std::ostream& out) const {
  out << "  stores to " << (global_ ? "global" : "shared") << " memory: " << used_ << " commands, " << open_
      << " rows in buffers, " << writes_under_way_ << " writes under way\n";
}

}  // namespace spica::dma
