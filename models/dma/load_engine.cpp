// SPDX-License-Identifier: Apache-2.0
#include "models/dma/load_engine.h"

#include <algorithm>
#include <cstring>
#include <ostream>

#include "models/dma/reshape.h"

namespace spica::dma {

namespace {
constexpr std::size_t kRows = 32, kRowBytes = 128, kBlocks = 16;  // most of one command
}

LoadEngine::LoadEngine(const DmaParams& p)
    : max_request_(static_cast<std::uint32_t>(p.max_request)),
      queue_(p.load_queue),
      tracked_(p.tracked()),
      walking_(p.tracked()),
      reads_(p.read_ids),
      ids_(p.read_ids),
      unshaped_(p.reshapes() ? p.tracked() * kRows * kBlocks : 1),
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
  unshaped_.clear();
  shaping_ = 0;
  to_shared_.clear();
  to_accumulator_.clear();
}

bool LoadEngine::track_next() {
  unsigned slot = 0;
  while (tracked_[slot].used) ++slot;
  Tracked& t = tracked_[slot];
  t.job = queue_.pop();
  const protocol::Move& m = *t.job.move;
  t.used = true;
  t.failed = false;
  t.rows_left = std::uint32_t{m.rows} * m.blocks;
  const std::size_t far_bytes = std::size_t{m.far_rows()} * m.far_row_bytes();
  t.data.resize(std::max(t.data.size(), far_bytes));
  if (m.reshapes()) t.formed.resize(std::size_t{m.rows} * m.row_bytes());
  if (m.transposes()) t.missing.assign(1, static_cast<std::uint16_t>(far_bytes));
  else t.missing.assign(t.rows_left, static_cast<std::uint16_t>(m.conversion.far_bytes(m.block_bytes)));
  ++tracked_used_;
  walking_.push(slot);
  return true;
}

LoadEngine::Read LoadEngine::next_read() {
  const unsigned slot = walking_.front();
  const protocol::Move& m = *tracked_[slot].job.move;
  const std::uint32_t row_bytes = m.far_row_bytes();
  const Read out{split_request(m.far(row_, position_), row_bytes - position_, max_request_), ids_.pop(),
                 slot};
  reads_[out.id] = {slot, row_, position_, out.request.offset, out.request.covered};
  position_ += out.request.covered;
  if (position_ == row_bytes) {
    position_ = 0;
    if (++row_ == m.far_rows()) {
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
  const protocol::Move& m = *t.job.move;
  unsigned char* to = &t.data[std::size_t{piece.row} * m.far_row_bytes() + piece.position];
  if (data != nullptr) {
    copy_bytes(to, data + piece.offset, piece.covered);
  } else {
    std::memset(to, 0, piece.covered);
    t.failed = true;
  }
  if (m.transposes()) {
    t.missing[0] = static_cast<std::uint16_t>(t.missing[0] - piece.covered);
    for (std::uint32_t row = 0; t.missing[0] == 0 && row < m.rows; ++row) complete(piece.command, row, 0);
    return;
  }
  const std::uint32_t block_bytes = m.conversion.far_bytes(m.block_bytes);
  std::uint32_t position = piece.position, left = piece.covered;
  while (left != 0) {
    const std::uint32_t block = position / block_bytes;
    const std::uint32_t here = std::min(left, (block + 1) * block_bytes - position);
    std::uint16_t& missing = t.missing[std::size_t{piece.row} * m.blocks + block];
    missing = static_cast<std::uint16_t>(missing - here);
    if (missing == 0) complete(piece.command, piece.row, block);
    position += here;
    left -= here;
  }
}

/// All data of a local row has arrived.
void LoadEngine::complete(unsigned command, std::uint32_t row, std::uint32_t block) {
  const protocol::Move& m = move(command);
  (m.reshapes()                                           ? unshaped_
   : m.kind == protocol::Move::Kind::kGlobalToAccumulator ? to_accumulator_
                                                          : to_shared_)
      .push({command, row, block});
}

void LoadEngine::finish_reshape() {
  SPICA_INVARIANT(shaping_ != 0);
  --shaping_;
  const Row row = unshaped_.pop();
  Tracked& t = tracked_[row.command];
  const protocol::Move& m = *t.job.move;
  reshape(m, t.data.data(), row.row, row.block,
          &t.formed[(std::size_t{row.row} * m.blocks + row.block) * m.block_bytes]);
  to_shared_.push(row);
}

LoadEngine::Write LoadEngine::write(bool accumulator) const {
  const Row& row = writes(accumulator).front();
  const Tracked& t = tracked_[row.command];
  const protocol::Move& m = *t.job.move;
  const std::vector<unsigned char>& bytes = m.reshapes() ? t.formed : t.data;
  return {m.near(row.row, row.block), m.block_bytes,
          &bytes[(std::size_t{row.row} * m.blocks + row.block) * m.block_bytes], row.command};
}

void LoadEngine::release(unsigned command) {
  tracked_[command].used = false;
  --tracked_used_;
}

void LoadEngine::dump(std::ostream& out) const {
  out << "  loads: " << queue_.size() << " waiting, " << tracked_used_ << " under way, " << reads_under_way()
      << " reads of global memory, " << unshaped_.size() << " rows to reshape, "
      << to_shared_.size() + to_accumulator_.size() << " to write\n";
  for (const Tracked& t : tracked_)
    if (t.used)
      out << "    from 0x" << std::hex << t.job.move->global_address << std::dec << ", " << t.rows_left
          << " rows not written\n";
}

}  // namespace spica::dma
