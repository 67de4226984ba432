// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/shadow.h"

namespace spica::check {

namespace {

template <class Pool>
std::uint32_t take(Pool& pool, std::vector<std::uint32_t>& vacant) {
  if (vacant.empty()) {
    pool.emplace_back();
    return static_cast<std::uint32_t>(pool.size() - 1);
  }
  const std::uint32_t index = vacant.back();
  vacant.pop_back();
  return index;
}

}  // namespace

void Shadow::find(std::uint32_t page) {
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (pages_[page] == nullptr) pages_[page] = std::make_unique<Cell[]>(kPageWords);
  last_page_ = page;
  last_ = pages_[page].get();
}

Shadow::Bytes& Shadow::divide(Cell& word) {
  if (word.write.has(Mark::kSplit)) return bytes(word);
  const std::uint32_t index = take(bytes_, free_bytes_);
  Bytes& parts = bytes_[index];
  for (Cell& part : parts) {
    part.write = word.write;
    part.read = {};
    if (!word.read.has(Mark::kShared)) {
      part.read = word.read;
      continue;
    }
    part.read = word.read;
    part.read.epoch = take(reads_, free_reads_);
    reads_[part.read.epoch] = reads(word);
  }
  forget_reads(word);
  word.write = {};
  word.write.epoch = index;
  word.write.flags = Mark::kSplit;
  return parts;
}

void Shadow::unite(Cell& word) {
  const std::uint32_t index = word.write.epoch;
  const Cell first = bytes_[index][0];
  for (unsigned i = 1; i < 4; ++i) forget_reads(bytes_[index][i]);
  word = first;
  free_bytes_.push_back(index);
}

Shadow::Reads& Shadow::share(Cell& cell) {
  const Mark first = cell.read;
  cell.read = {};
  cell.read.agent = first.agent;
  cell.read.flags = Mark::kShared;
  cell.read.epoch = take(reads_, free_reads_);
  Reads& set = reads(cell);
  set.assign(1, first);
  return set;
}

void Shadow::forget_reads(Cell& cell) {
  if (cell.read.has(Mark::kShared)) free_reads_.push_back(cell.read.epoch);
  cell.read = {};
}

void Shadow::forget(std::uint32_t first, std::uint32_t words) {
  for (std::uint32_t index = first; index < first + words; ++index) {
    Cell& cell = word(index);
    if (cell.write.has(Mark::kSplit)) unite(cell);
    forget_reads(cell);
    cell = {};
  }
}

}  // namespace spica::check
