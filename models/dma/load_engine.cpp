// SPDX-License-Identifier: Apache-2.0
#include "models/dma/load_engine.h"

#include <algorithm>
#include <cstring>
#include <ostream>

namespace spica::dma {

namespace {
constexpr std::size_t kRows = 16, kRowBytes = 64, kBlocks = 16;  // most of one command
}

LoadEngine::LoadEngine(const DmaParams& p)
    : max_request_(static_cast<std::uint32_t>(p.max_request)),
      queue_(p.load_queue),
      tracked_(p.tracked()),
      walking_(p.tracked()),
      reads_(p.read_ids),
      ids_(p.read_ids),
      to_shared_(p.tracked() * kRows * kBlocks),
      to_accumulator_(p.tracked() * kRows * kBlocks) {
  for (Tracked& tracked : tracked_) {
    tracked.data.resize(kRows * kRowBytes);
    tracked.missing.resize(kRows * kBlocks);
  }
  reset();
}

void LoadEngine::reset() {
  queue_.clear();
  for (Tracked& tracked : tracked_) tracked.used = false;
  tracked_used_ = 0;
  walking_.clear();
  row_ = position_ = 0;
  ids_.clear();
  for (unsigned id = 0; id < reads_.size(); ++id) ids_.push(id);
  to_shared_.clear();
  to_accumulator_.clear();
}

bool LoadEngine::track_next() {
  const Waiting waiting = queue_.pop();
  unsigned slot = 0;
  while (tracked_[slot].used) ++slot;
  Tracked& t = tracked_[slot];
  t.move = waiting.move;
  t.handle = waiting.handle;
  t.used = true;
  t.failed = false;
  const std::size_t row_bytes = std::size_t{t.move->blocks} * t.move->block_bytes;
  t.rows_left = std::uint32_t{t.move->rows} * t.move->blocks;
  t.data.resize(std::max(t.data.size(), t.move->rows * row_bytes));
  t.missing.assign(t.rows_left, static_cast<std::uint8_t>(t.move->block_bytes));
  ++tracked_used_;
  walking_.push(slot);
  return true;
}

LoadEngine::Read LoadEngine::next_read() {
  const unsigned slot = walking_.front();
  const protocol::DmaCommand& m = *tracked_[slot].move;
  const std::uint32_t row_bytes = std::uint32_t{m.blocks} * m.block_bytes;
  const std::uint32_t address = m.global_address + row_ * m.global_stride + position_;
  const Read out{split_request(address, row_bytes - position_, max_request_), ids_.pop(), slot};
  reads_[out.id] = {slot, row_, position_, out.request.offset, out.request.covered};
  position_ += out.request.covered;
  if (position_ == row_bytes) {
    position_ = 0;
    if (++row_ == m.rows) {
      row_ = 0;
      walking_.pop();
    }
  }
  return out;
}

void LoadEngine::arrived(unsigned id, const unsigned char* data) {
  const Piece piece = reads_[id];
  ids_.push(id);
  Tracked& t = tracked_[piece.command];
  const std::uint32_t blocks = t.move->blocks, block_bytes = t.move->block_bytes;
  unsigned char* to = &t.data[std::size_t{piece.row} * blocks * block_bytes + piece.position];
  if (data != nullptr) {
    std::memcpy(to, data + piece.offset, piece.covered);
  } else {
    std::memset(to, 0, piece.covered);
    t.failed = true;
  }
  const bool accumulator = t.move->kind == protocol::DmaCommand::Kind::kGlobalToAccumulator;
  std::uint32_t position = piece.position, left = piece.covered;
  while (left != 0) {
    const std::uint32_t block = position / block_bytes;
    const std::uint32_t here = std::min(left, (block + 1) * block_bytes - position);
    std::uint8_t& missing = t.missing[std::size_t{piece.row} * blocks + block];
    missing = static_cast<std::uint8_t>(missing - here);
    if (missing == 0) (accumulator ? to_accumulator_ : to_shared_).push({piece.command, piece.row, block});
    position += here;
    left -= here;
  }
}

LoadEngine::Write LoadEngine::write(bool accumulator) const {
  const Row& row = writes(accumulator).front();
  const Tracked& t = tracked_[row.command];
  const protocol::DmaCommand& m = *t.move;
  return {m.local_address + row.row * m.local_stride + row.block * m.block_stride, m.block_bytes,
          &t.data[(std::size_t{row.row} * m.blocks + row.block) * m.block_bytes], row.command};
}

void LoadEngine::pop_write(bool accumulator) { (accumulator ? to_accumulator_ : to_shared_).pop(); }

void LoadEngine::release(unsigned command) {
  tracked_[command].used = false;
  --tracked_used_;
}

void LoadEngine::dump(std::ostream& out) const {
  out << "  loads: " << queue_.size() << " waiting, " << tracked_used_ << " under way, " << reads_under_way()
      << " reads of global memory, " << to_shared_.size() + to_accumulator_.size() << " rows to write\n";
  for (const Tracked& t : tracked_)
    if (t.used)
      out << "    from 0x" << std::hex << t.move->global_address << std::dec << ", " << t.rows_left
          << " rows not written\n";
}

}  // namespace spica::dma
