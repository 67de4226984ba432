// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/types.h"
#include "models/dma/dma_params.h"
#include "models/dma/request_split.h"
#include "models/protocol/payload/dma_command.h"

namespace spica::dma {

/// A writing half: fetches accumulator rows of store commands and writes them out. There are two: one writes to global
/// memory (aligned requests; adjacent rows of blocks form one segment), one to shared memory (one row of one block
/// each).
class StoreEngine {
 public:
  struct Fetch {
    std::uint32_t row;  // row of the accumulator
    std::uint32_t bytes;
    unsigned buffer;  // identifies the fetch in fetched()
    std::uint32_t offset;
    unsigned command;
  };
  struct Write {
    Request request;  // global memory: aligned; shared memory: exact address and size
    const unsigned char* data;
    unsigned command;
  };

  StoreEngine(const DmaParams& params, bool global);

  bool can_push() const { return used_ != commands_.size(); }
  void push(const protocol::Move& move, void* handle, const protocol::Origin& origin = {});

  /// The next accumulator row to fetch; false: none, or all row buffers are occupied.
  bool next_fetch(Fetch& out) const;
  void fetch_sent();
  void fetched(unsigned buffer, std::uint32_t offset, const unsigned char* data, std::uint32_t bytes);

  /// True if the next write has its complete row and a free id.
  bool has_row() const { return open_ != 0 && buffers_[first_].arrived == buffers_[first_].bytes; }
  bool has_id() const { return writes_under_way_ < ids_; }
  Write next_write() const;
  void write_sent();
  /// A write of `command` is complete. True: the command is complete; read handle(), then call release().
  bool written(unsigned command, bool failed);
  void* handle(unsigned command) const { return commands_[command].handle; }
  bool failed(unsigned command) const { return commands_[command].failed; }
  const protocol::Move& move(unsigned command) const { return *commands_[command].move; }
  /// The issuer of the command.
  const protocol::Origin& origin(unsigned command) const { return commands_[command].origin; }
  void release(unsigned command);

  unsigned writes_under_way() const { return writes_under_way_; }
  bool idle() const { return used_ == 0; }
  void reset();
  void dump(std::ostream& out) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(commands_, used_, order_, row_, block_, buffers_, first_, open_, position_, writes_under_way_);
  }

 private:
  struct Command {
    const protocol::Move* move = nullptr;
    void* handle = nullptr;
    protocol::Origin origin{};
    bool used = false, failed = false;
    std::uint32_t rows_left = 0;  // rows not completely sent
    unsigned writes = 0;  // writes in flight

    template <class Archive>
    void serialize(Archive& archive) {
      serialize_command(archive, move, handle);
      archive(origin, used, failed, rows_left, writes);
    }
  };
  struct Buffer {
    unsigned command = 0;
    std::uint32_t row = 0, bytes = 0, arrived = 0;
    std::vector<unsigned char> data;
  };

  const bool global_;
  const std::uint32_t max_request_;
  const unsigned ids_;
  std::vector<Command> commands_;
  unsigned used_ = 0;
  base::BoundedQueue<unsigned> order_;  // commands with rows to fetch, oldest first
  std::uint32_t row_ = 0, block_ = 0;  // of the oldest command: next row and block to fetch
  std::vector<Buffer> buffers_;  // ring of rows
  unsigned first_ = 0, open_ = 0;  // oldest buffer; buffers in use
  std::uint32_t position_ = 0;  // of the oldest row: next byte to write
  unsigned writes_under_way_ = 0;
};

}  // namespace spica::dma
