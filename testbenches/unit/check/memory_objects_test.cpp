// SPDX-License-Identifier: Apache-2.0
// What --check memory knows: objects and sections of a program, blocks of its heap, what was written.
#include <cstring>
#include <map>

#include "platform/check/group_parts.h"
#include "platform/check/heap_blocks.h"
#include "platform/check/objects.h"
#include "platform/check/written.h"
#include "testbenches/support/catch.h"

using namespace spica;

TEST_CASE("written bytes are known one by one, over all of the address space") {
  check::Written written;
  CHECK_FALSE(written.any(0x8000'0000, 4));
  written.set(0x8000'0003, 2);
  CHECK(written.any(0x8000'0000, 4));
  CHECK_FALSE(written.any(0x8000'0000, 3));
  CHECK(written.any(0x8000'0004, 1));
  CHECK_FALSE(written.any(0x8000'0005, 4));
  written.set(0x8000'0004, 1, false);
  CHECK_FALSE(written.any(0x8000'0004, 1));
  written.set(0x8000'FFFE, 4);  // over the end of a page
  CHECK(written.any(0x8000'FFFF, 1));
  CHECK(written.any(0x8001'0001, 1));
  written.set(0xFFFF'FFFF, 1);
  CHECK(written.any(0xFFFF'FFFF, 1));
}

namespace {

/// A heap in a map of words: its first chunk is at 0x8000_1008.
struct Heap {
  loader::Program program;
  std::map<std::uint64_t, std::uint32_t> words;

  Heap() {
    const auto symbol = [this](const char* name, std::uint64_t address) {
      loader::Symbol s;
      s.name = name;
      s.address = address;
      program.symbols.push_back(s);
    };
    symbol("_ZN12_GLOBAL__N_15firstE", 0x8000'0000);
    symbol("_ZN12_GLOBAL__N_14lockE", 0x8000'0004);
    symbol("__heap_start", 0x8000'1000);
    symbol("__heap_end", 0x8000'1100);
    words[0x8000'0000] = 0x8000'1008;
    chunk(0x8000'1008, 48, true);
    chunk(0x8000'1038, 32, true);
    chunk(0x8000'1058, 160, false);
    chunk(0x8000'10F8, 0, true);
  }
  void chunk(std::uint64_t at, std::uint32_t bytes, bool used) { words[at + 4] = bytes | (used ? 1 : 0); }
  check::HeapBlocks blocks() {
    return {program, [this](std::uint64_t address, unsigned char* to, std::uint64_t) {
              std::memcpy(to, &words[address], 4);
              return true;
            }};
  }
};

}  // namespace

TEST_CASE("an access is in a heap block or outside any") {
  Heap heap;
  check::HeapBlocks blocks = heap.blocks();
  CHECK(blocks.contains(0x8000'1010));
  CHECK_FALSE(blocks.contains(0x8000'1100));
  CHECK(blocks.wrong(0x8000'1010, 4).empty());
  CHECK(blocks.wrong(0x8000'1034, 4).empty());
  CHECK(blocks.wrong(0x8000'1038, 4) ==
        "0 bytes past the end of the block 0x80001010 of 40 bytes, before the block 0x80001040");
  CHECK(blocks.wrong(0x8000'100C, 4) == "4 bytes before the block 0x80001010 of 40 bytes");
  CHECK(blocks.wrong(0x8000'1058, 4) == "0 bytes past the end of the block 0x80001040 of 24 bytes");
  CHECK(blocks.wrong(0x8000'10C0, 4) == "heap memory that is not allocated, or was freed");
}

TEST_CASE("the heap is read again when it has changed and is not being changed") {
  Heap heap;
  check::HeapBlocks blocks = heap.blocks();
  CHECK_FALSE(blocks.wrong(0x8000'10C0, 4).empty());
  heap.chunk(0x8000'1058, 160, true);
  blocks.changed();
  heap.words[0x8000'0004] = 1;
  CHECK(blocks.wrong(0x8000'10C0, 4).empty());  // locked: nothing can be said
  heap.words[0x8000'0004] = 0;
  CHECK(blocks.wrong(0x8000'10C0, 4).empty());
  CHECK(blocks.wrong(0x8000'1058, 4) ==
        "0 bytes past the end of the block 0x80001040 of 24 bytes, before the block 0x80001060");
}

TEST_CASE("a program without the heap of the library has no blocks") {
  Heap heap;
  heap.program.symbols.clear();
  CHECK_FALSE(heap.blocks().contains(0x8000'1010));
}

TEST_CASE("an invalid row of chunks says nothing") {
  Heap heap;
  heap.chunk(0x8000'1038, 4096, true);
  check::HeapBlocks blocks = heap.blocks();
  CHECK(blocks.wrong(0x8000'10C0, 4).empty());
}

TEST_CASE("a program without sections has no objects") {
  loader::Program program;
  const check::Objects objects(program);
  CHECK(objects.read_only(0x8000'0000) == nullptr);
  CHECK(objects.place(0x8000'0000).before == nullptr);
}

namespace {

protocol::WorkGroupStart group(std::uint32_t x, unsigned cluster, std::uint32_t base, unsigned warp) {
  protocol::WorkGroupStart start;
  start.cluster = cluster;
  start.index = {x, 0, 0};
  start.shared_base = base;
  start.shared_bytes = 256;
  start.declared_bytes = 200;
  start.warps = {{0, warp}, {1, warp}};
  return start;
}

}  // namespace

TEST_CASE("bytes of shared memory are a work group's own, another one's, or of none") {
  using Catch::Contains;
  check::GroupParts parts;
  parts.start(group(0, 0, 0xFF00'0100, 0));
  parts.start(group(1, 0, 0xFF00'0200, 1));
  parts.start(group(2, 1, 0xFF00'0000, 2));
  const check::GroupParts::Owner own = parts.of(1, 0);
  REQUIRE(own != nullptr);
  CHECK(parts.of(1, 3) == nullptr);
  CHECK(parts.wrong(*own, 0xFF00'0100, 200).empty());
  CHECK_THAT(parts.wrong(*own, 0xFF00'0100 + 200, 4),
             Contains("0 bytes past the end") && Contains("round up its part"));
  CHECK_THAT(parts.wrong(*own, 0xFF00'0100 + 198, 4),
             Contains("across the end") && Contains("round up its part"));
  CHECK_THAT(parts.wrong(*own, 0xFF00'0200, 4), Contains("in the part of work group (1, 0, 0)"));
  CHECK_THAT(parts.wrong(*own, 0xFF00'0000, 4),
             Contains("256 bytes before") && Contains("in no work group's part"));
}

TEST_CASE("the part of a work group is free when its last warp has ended, and its owner stays known") {
  using Catch::Contains;
  check::GroupParts parts;
  parts.start(group(0, 0, 0xFF00'0100, 0));
  parts.start(group(1, 0, 0xFF00'0200, 1));
  const check::GroupParts::Owner own = parts.of(0, 0);
  parts.spawn(0, 1, 0, 5);
  for (const unsigned core : {0u, 1u}) parts.end(core, 1);
  CHECK_THAT(parts.wrong(*own, 0xFF00'0200, 4), Contains("work group (1, 0, 0)"));
  parts.end(0, 5);
  CHECK_THAT(parts.wrong(*own, 0xFF00'0200, 4), Contains("in no work group's part"));
  CHECK(parts.of(0, 1) == nullptr);
  for (const unsigned core : {0u, 1u}) parts.end(core, 0);
  CHECK(parts.wrong(*own, 0xFF00'0100, 4).empty());
}
