// SPDX-License-Identifier: Apache-2.0
// malloc() and the like between __heap_start and __heap_end (kernel.ld). One heap for all cores, one lane at a time.
//
// The heap is a row of chunks without gaps, each with its own size and that of the chunk before it, so that free
// neighbours become one. Free chunks are in lists by the power of two in their size; a request takes the first that is
// large enough, from its own list or the next that has any.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock.h"
#include "simt.h"

extern "C" char __heap_start[], __heap_end[];

namespace {

constexpr uint32_t kAlignment = 16, kHeader = 8, kUsed = 1;

struct Chunk {
  uint32_t before;  // bytes of the chunk before this one; 0: the first
  uint32_t state;  // bytes of this one, header included, a multiple of 16; bit 0: in use
  Chunk *next, *previous;  // in the list, while it is free

  uint32_t size() const { return state & ~kUsed; }
  bool used() const { return (state & kUsed) != 0; }
  void* data() { return reinterpret_cast<char*>(this) + kHeader; }
  Chunk* behind() { return at(size()); }
  Chunk* at(uint32_t offset) { return reinterpret_cast<Chunk*>(reinterpret_cast<char*>(this) + offset); }
};

Lock lock;
Chunk *first, *last;  // last: a used chunk of no size, the end
Chunk* lists[32];

unsigned list_of(uint32_t size) {
  unsigned list = 0;
  while (size >>= 1) ++list;
  return list;
}

void link(Chunk* chunk) {
  Chunk*& head = lists[list_of(chunk->size())];
  chunk->next = head;
  chunk->previous = nullptr;
  if (head != nullptr) head->previous = chunk;
  head = chunk;
}

void unlink(Chunk* chunk) {
  if (chunk->previous != nullptr) chunk->previous->next = chunk->next;
  else lists[list_of(chunk->size())] = chunk->next;
  if (chunk->next != nullptr) chunk->next->previous = chunk->previous;
}

void set(Chunk* chunk, uint32_t size, uint32_t used) {
  chunk->state = size | used;
  chunk->behind()->before = size;
}

void prepare() {
  const uintptr_t start = (reinterpret_cast<uintptr_t>(__heap_start) + kAlignment - 1) & ~(kAlignment - 1);
  const uintptr_t end = reinterpret_cast<uintptr_t>(__heap_end) & ~(kAlignment - 1);
  first = reinterpret_cast<Chunk*>(start + kAlignment - kHeader);
  last = first;
  if (end > start + 2 * kAlignment) last = reinterpret_cast<Chunk*>(end - kHeader);
  first->before = 0;
  last->state = kUsed;
  if (last == first) return;
  set(first, static_cast<uint32_t>(reinterpret_cast<char*>(last) - reinterpret_cast<char*>(first)), 0);
  link(first);
}

/// Frees the chunk, together with free neighbours.
void release(Chunk* chunk) {
  uint32_t size = chunk->size();
  Chunk* const behind = chunk->behind();
  if (!behind->used()) {
    unlink(behind);
    size += behind->size();
  }
  if (chunk != first) {
    Chunk* const before = chunk->at(0 - chunk->before);
    if (!before->used()) {
      unlink(before);
      size += before->size();
      chunk = before;
    }
  }
  set(chunk, size, 0);
  link(chunk);
}

/// Cuts a used chunk to `size`; the rest is free.
void cut(Chunk* chunk, uint32_t size) {
  const uint32_t rest = chunk->size() - size;
  if (rest == 0) return;
  set(chunk, size, kUsed);
  Chunk* const behind = chunk->behind();
  set(behind, rest, kUsed);
  release(behind);
}

/// A used chunk of at least `size`; null when there is none.
Chunk* take(uint32_t size) {
  for (unsigned list = list_of(size); list < 32; ++list) {
    for (Chunk* chunk = lists[list]; chunk != nullptr; chunk = chunk->next) {
      if (chunk->size() < size) continue;
      unlink(chunk);
      set(chunk, chunk->size(), kUsed);
      return chunk;
    }
  }
  return nullptr;
}

/// Bytes of the chunk for a request; 0: no heap is so large.
uint32_t chunk_size(size_t bytes) {
  if (bytes > 0x7FFFFFFF) return 0;
  const auto size = (static_cast<uint32_t>(bytes) + kHeader + kAlignment - 1) & ~(kAlignment - 1);
  return size;
}

struct Request {
  size_t bytes, alignment;
  void* data;  // what to free; the result
};

void allocate(void* argument) {
  auto& request = *static_cast<Request*>(argument);
  request.data = nullptr;
  const uint32_t size = chunk_size(request.bytes);
  const uint32_t slack = request.alignment > kAlignment ? static_cast<uint32_t>(request.alignment) : 0;
  if (size == 0 || size + slack < size) return;
  lock.take();
  if (first == nullptr) prepare();
  Chunk* chunk = take(size + slack);
  if (chunk != nullptr) {
    const uint32_t skip = slack == 0 ? 0 : (0 - reinterpret_cast<uintptr_t>(chunk->data())) & (slack - 1);
    if (skip != 0) {
      Chunk* const aligned = chunk->at(skip);
      set(aligned, chunk->size() - skip, kUsed);
      set(chunk, skip, kUsed);
      release(chunk);
      chunk = aligned;
    }
    cut(chunk, size);
    request.data = chunk->data();
  }
  lock.give();
}

/// The chunk of what malloc() has returned; null when it has not, or when it was freed.
Chunk* chunk_of(void* data) {
  const auto address = reinterpret_cast<uintptr_t>(data);
  if (first == nullptr || address % kAlignment != 0 || data < first->data() ||
      data >= static_cast<void*>(last))
    return nullptr;
  auto* const chunk = reinterpret_cast<Chunk*>(address - kHeader);
  const bool whole =
      chunk->used() && chunk->size() != 0 &&
      chunk->size() <= static_cast<uint32_t>(reinterpret_cast<char*>(last) - reinterpret_cast<char*>(chunk));
  return whole && chunk->behind()->before == chunk->size() ? chunk : nullptr;
}

void give_back(void* argument) {
  auto& request = *static_cast<Request*>(argument);
  lock.take();
  Chunk* const chunk = chunk_of(request.data);
  if (chunk != nullptr) release(chunk);
  lock.give();
  request.bytes = chunk != nullptr;
}

void resize(void* argument) {
  auto& request = *static_cast<Request*>(argument);
  const uint32_t size = chunk_size(request.bytes);
  lock.take();
  Chunk* const chunk = chunk_of(request.data);
  const uint32_t old = chunk != nullptr ? chunk->size() : 0;
  if (chunk != nullptr && size != 0 && size <= old) cut(chunk, size);
  lock.give();
  request.alignment = old;
  if (chunk == nullptr || (size != 0 && size <= old)) return;
  void* const from = request.data;
  Request larger = {request.bytes, 0, nullptr};
  allocate(&larger);
  request.data = larger.data;
  if (larger.data == nullptr) return;
  memcpy(larger.data, from, old - kHeader);
  Request smaller = {0, 0, from};
  give_back(&smaller);
}

[[noreturn]] void not_ours(const char* function, void* data) {
  printf("%s(%p): not a block of malloc(), or freed already\n", function, data);
  abort();
}

}  // namespace

extern "C" {

void* malloc(size_t bytes) {
  Request request = {bytes, 0, nullptr};
  simt_each_lane(allocate, &request);
  return request.data;
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  Request request = {bytes, alignment, nullptr};
  simt_each_lane(allocate, &request);
  return request.data;
}

void* calloc(size_t count, size_t bytes) {
  const uint64_t all = static_cast<uint64_t>(count) * bytes;
  Request request = {
      simt_select(static_cast<unsigned>(all >> 32) != 0, 0xFFFFFFFF, static_cast<unsigned>(all)), 0, nullptr};
  simt_each_lane(allocate, &request);
  const size_t clear = simt_select(request.data != nullptr, request.bytes, 0);
  memset(request.data, 0, clear);
  return request.data;
}

void free(void* data) {
  SIMT_IF(data != nullptr)
    Request request = {0, 0, data};
    simt_each_lane(give_back, &request);
    SIMT_IF(request.bytes == 0)
      not_ours("free", data);
    SIMT_END_IF
  SIMT_END_IF
}

void* realloc(void* data, size_t bytes) {
  Request request = {bytes, 0, data};
  SIMT_IF(data == nullptr)
    simt_each_lane(allocate, &request);
    SIMT_ELSE
    simt_each_lane(resize, &request);
    SIMT_IF(request.alignment == 0)
      not_ours("realloc", data);
    SIMT_END_IF
  SIMT_END_IF
  return request.data;
}

}  // extern "C"
