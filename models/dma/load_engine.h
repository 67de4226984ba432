// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/dma/dma_params.h"
#include "models/dma/request_split.h"
#include "models/protocol/payload/dma_command.h"

namespace spica::dma {

/// The reading half: walks the rows of load commands, issues aligned reads of global memory, merges the data (in any
/// order) into rows of one block and outputs these as local writes. Rows that change their form (reshape.h) are output
/// twice: first to be reshaped, then to be written.
///
/// Commands are walked in order, up to DmaParams::tracked() at a time; they complete in any order.
class LoadEngine {
 public:
  struct Read {
    Request request;
    unsigned id;  // identifies the request in arrived()
    unsigned command;  // slot
  };
  struct Write {
    std::uint32_t address;  // byte offset in shared memory, or accumulator row
    std::uint32_t bytes;
    const unsigned char* data;
    unsigned command;
  };

  explicit LoadEngine(const DmaParams& params);

  bool can_push() const { return !queue_.full(); }
  /// `move` must stay valid until the command completes; handle() then returns `handle`.
  void push(const protocol::Move& move, void* handle, const protocol::Origin& origin = {}) {
    queue_.push({&move, handle, origin});
  }
  /// Starts to track a waiting command; false: none, or no room.
  bool start() { return !queue_.empty() && tracked_used_ != tracked_.size() && track_next(); }

  bool has_read() const { return !walking_.empty(); }
  bool has_id() const { return !ids_.empty(); }
  /// The next read; only when has_read() and has_id(). Takes an id.
  Read next_read();
  /// Data of read `id`, the whole request; frees the id. nullptr: the address is unmapped.
  void arrived(unsigned id, const unsigned char* data);

  /// Complete rows to be reshaped, in order of completion. begin_reshape(): starts the next one; finish_reshape(): the
  /// oldest started one is done and can be written.
  bool has_unshaped() const { return shaping_ != unshaped_.size(); }
  protocol::Move begin_reshape() { return *tracked_[unshaped_[shaping_++].command].job.move; }
  void finish_reshape();

  /// Complete rows to be written, in order of completion; call pop_write() when the write has been sent.
  bool has_write(bool accumulator) const { return !writes(accumulator).empty(); }
  Write write(bool accumulator) const;
  void pop_write(bool accumulator) { (accumulator ? to_accumulator_ : to_shared_).drop(); }
  /// A write of `command` is complete. True: the command is complete; read handle() and failed(), then call release().
  bool written(unsigned command, bool failed) {
    tracked_[command].failed |= failed;
    return --tracked_[command].rows_left == 0;
  }
  void* handle(unsigned command) const { return tracked_[command].job.handle; }
  bool failed(unsigned command) const { return tracked_[command].failed; }
  const protocol::Move& move(unsigned command) const { return *tracked_[command].job.move; }
  /// The issuer of the command.
  const protocol::Origin& origin(unsigned command) const { return tracked_[command].job.origin; }
  void release(unsigned command);

  unsigned reads_under_way() const { return static_cast<unsigned>(reads_.size() - ids_.size()); }
  bool idle() const { return tracked_used_ == 0 && queue_.empty(); }
  void reset();
  void dump(std::ostream& out) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(queue_, tracked_, tracked_used_, walking_, row_, position_, reads_, ids_, unshaped_, shaping_,
            to_shared_, to_accumulator_);
  }

 private:
  bool track_next();
  void complete(unsigned command, std::uint32_t row, std::uint32_t block);

  struct Job {
    const protocol::Move* move = nullptr;
    void* handle = nullptr;
    protocol::Origin origin{};

    template <class Archive>
    void serialize(Archive& archive) {
      serialize_command(archive, move, handle);
      archive(origin);
    }
  };
  struct Tracked {
    Job job;
    bool used = false, failed = false;
    std::uint32_t rows_left = 0;  // local rows not yet written
    std::vector<unsigned char> data;  // in the layout of global memory: row by row, blocks side by side
    std::vector<unsigned char> formed;  // rows in local layout, block by block, if their form changes
    /// bytes still to arrive, by row and block; for transposed blocks, of the whole block
    std::vector<std::uint16_t> missing;
  };
  struct Piece {  // a read in flight
    unsigned command = 0;
    std::uint32_t row = 0, position = 0, offset = 0, covered = 0;
  };
  struct Row {  // a local row to be written
    unsigned command = 0;
    std::uint32_t row = 0, block = 0;
  };
  const base::BoundedQueue<Row>& writes(bool accumulator) const {
    return accumulator ? to_accumulator_ : to_shared_;
  }

  const std::uint32_t max_request_;
  base::BoundedQueue<Job> queue_;
  std::vector<Tracked> tracked_;
  unsigned tracked_used_ = 0;
  base::BoundedQueue<unsigned> walking_;  // tracked commands with reads to issue, oldest first
  std::uint32_t row_ = 0, position_ = 0;  // of the oldest command: next byte to read
  std::vector<Piece> reads_;  // by id
  base::BoundedQueue<unsigned> ids_;  // free ones
  base::BoundedQueue<Row> unshaped_;
  std::size_t shaping_ = 0;  // of these, rows being reshaped
  base::BoundedQueue<Row> to_shared_, to_accumulator_;
};

}  // namespace spica::dma
