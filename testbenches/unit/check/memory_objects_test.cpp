// SPDX-License-Identifier: Apache-2.0
// What --check memory knows: objects and sections of a program, blocks of its heap, what was written.
#include <cstring>
#include <map>

#include "platform/observe/check/group_parts.h"
#include "platform/observe/check/heap_blocks.h"
#include "platform/observe/check/landings.h"
#include "platform/observe/check/objects.h"
#include "platform/observe/check/written.h"
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
  CHECK(blocks.wrong(0x8000'1010, 4).detail.empty());
  CHECK(blocks.wrong(0x8000'1034, 4).detail.empty());
  CHECK(blocks.wrong(0x8000'1038, 4).detail ==
        "0 bytes past the end of the block 0x80001010 of 40 bytes, before the block 0x80001040");
  CHECK(blocks.wrong(0x8000'100C, 4).detail == "4 bytes before the block 0x80001010 of 40 bytes");
  CHECK(blocks.wrong(0x8000'1058, 4).detail == "0 bytes past the end of the block 0x80001040 of 24 bytes");
  CHECK(blocks.wrong(0x8000'10C0, 4).detail == "heap memory that is not allocated, or was freed");
}

TEST_CASE("the heap is read again when it has changed and is not being changed") {
  Heap heap;
  check::HeapBlocks blocks = heap.blocks();
  CHECK_FALSE(blocks.wrong(0x8000'10C0, 4).detail.empty());
  heap.chunk(0x8000'1058, 160, true);
  blocks.changed();
  heap.words[0x8000'0004] = 1;
  CHECK(blocks.wrong(0x8000'10C0, 4).detail.empty());  // locked: nothing can be said
  heap.words[0x8000'0004] = 0;
  CHECK(blocks.wrong(0x8000'10C0, 4).detail.empty());
  CHECK(blocks.wrong(0x8000'1058, 4).detail ==
        "0 bytes past the end of the block 0x80001040 of 24 bytes, before the block 0x80001060");
}

TEST_CASE("a freed block is called that until its memory is in another one") {
  Heap heap;
  check::HeapBlocks blocks = heap.blocks();
  const auto free_all_behind_the_first = [&] {
    heap.chunk(0x8000'1038, 192, false);  // joined with the free chunk behind it
    blocks.changed();
  };
  CHECK(blocks.wrong(0x8000'1040, 4).detail.empty());
  free_all_behind_the_first();
  const check::HeapBlocks::Wrong freed = blocks.wrong(0x8000'1044, 4);
  CHECK(freed.freed);
  CHECK(
      freed.detail ==
      "byte 4 of the freed block 0x80001040 of 24 bytes, or 12 bytes past the end of the block 0x80001010 of 40 bytes");
  CHECK_FALSE(blocks.wrong(0x8000'1038, 4).freed);  // in front of it
  CHECK(blocks.wrong(0x8000'10E0, 4).detail == "heap memory that is not allocated, or was freed");

  heap.chunk(0x8000'1038, 64, true);
  heap.chunk(0x8000'1078, 128, false);
  blocks.changed();
  CHECK(blocks.wrong(0x8000'1044, 4).detail.empty());
  free_all_behind_the_first();
  CHECK(blocks.wrong(0x8000'1044, 4).detail.find("byte 4 of the freed block 0x80001040 of 56 bytes") == 0);
}

TEST_CASE("a block that nobody has accessed before it is freed is known from a look in front of the change") {
  const bool looks = GENERATE(true, false);
  Heap heap;
  check::HeapBlocks blocks = heap.blocks();
  if (looks) blocks.read_blocks();
  blocks.changed();
  heap.chunk(0x8000'1008, 48, false);
  CHECK(blocks.wrong(0x8000'1010, 4).freed == looks);
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
  CHECK(blocks.wrong(0x8000'10C0, 4).detail.empty());
}

TEST_CASE("a program without sections has no objects") {
  loader::Program program;
  const check::Objects objects(program);
  CHECK(objects.read_only(0x8000'0000) == nullptr);
  CHECK(objects.place(0x8000'0000).before == nullptr);
}

namespace {

/// Accesses through one upper part; two objects of 16 bytes, one behind the other.
struct Accesses {
  const check::Objects::Range one{"one", 0x8000'2000, 0x8000'2010}, two{"two", 0x8000'2010, 0x8000'2020};
  check::Landings landings;

  /// Details of what is found. The pc names the access.
  std::vector<std::string> add(const check::Objects::Range* hint, std::uint32_t address, std::uint32_t pc,
                               std::uint32_t upper_at = 0x8000'0000) {
    check::Finding access;
    access.address = address;
    access.second.pc = pc;
    const check::Objects::Range* in = one.contains(address) ? &one : two.contains(address) ? &two : nullptr;
    std::vector<std::string> found;
    const check::Pointers::Target pointer{nullptr, hint, upper_at};
    if (!landings.is_news(pointer, in, address, pc)) return found;
    for (const check::Finding& f : landings.add(pointer, in, access)) found.push_back(f.detail);
    return found;
  }
};
using Details = std::vector<std::string>;

}  // namespace

TEST_CASE("an access in the object that a pointer is likely for proves that others are outside") {
  Accesses accesses;
  CHECK(accesses.add(&accesses.one, 0x8000'2000, 4).empty());
  const Details behind{"0 bytes past the end of `one` (16 bytes at 0x80002000)"};
  CHECK(accesses.add(&accesses.one, 0x8000'2010, 8) == behind);
  CHECK(accesses.add(&accesses.one, 0x8000'2010, 8) == behind);  // each time, to be counted
  CHECK(accesses.add(&accesses.one, 0x8000'1FFC, 12) ==
        Details{"4 bytes before the beginning of `one` (16 bytes at 0x80002000)"});
  CHECK(accesses.add(&accesses.one, 0x8000'200C, 4).empty());
  CHECK(accesses.add(&accesses.one, 0x8000'2010 + check::Landings::kReach, 16).empty());
}

TEST_CASE("what was outside is known when the proof comes later") {
  Accesses accesses;
  CHECK(accesses.add(&accesses.two, 0x8000'200F, 4).empty());
  CHECK(accesses.add(&accesses.two, 0x8000'2020, 8).empty());
  CHECK(accesses.add(&accesses.two, 0x8000'2010, 12) ==
        Details{"1 byte before the beginning of `two` (16 bytes at 0x80002010)",
                "0 bytes past the end of `two` (16 bytes at 0x80002010)"});
}

TEST_CASE("a pointer to the end of an object is not one to the next") {
  Accesses accesses;
  for (std::uint32_t address = 0x8000'2010; address != 0x8000'2000;)
    CHECK(accesses.add(&accesses.two, address -= 4, 4).empty());
}

TEST_CASE("of two lower parts of one upper part the first object is the one") {
  Accesses accesses;
  CHECK(accesses.add(&accesses.two, 0x8000'2010, 4).empty());
  CHECK(accesses.add(&accesses.one, 0x8000'2000, 8) ==
        Details{"0 bytes past the end of `one` (16 bytes at 0x80002000)"});
}

TEST_CASE("upper parts prove nothing about each other") {
  Accesses accesses;
  CHECK(accesses.add(&accesses.one, 0x8000'2000, 4).empty());
  CHECK(accesses.add(&accesses.two, 0x8000'2010, 8, 0x8000'0040).empty());
  CHECK(accesses.add(nullptr, 0x8000'2010, 12, 0x8000'0044).empty());
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
