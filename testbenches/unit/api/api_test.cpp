// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <spica/spica.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica::testbench::rv;
using spica::Error;
using spica::Fault;
using spica::Machine;
using spica::Outcome;

namespace {

constexpr std::uint32_t kEntry = 0x8000'0000, kData = 0x8001'0000;
using Code = std::vector<std::uint32_t>;

/// Stores 42 and leaves `code` as exit code.
Code stores(int code) { return {addi(5, 0, 42), lui(4, kData >> 12), sw(5, 4, 0), addi(3, 0, code), tmc(0)}; }
Code counts_to(int n) {
  return {addi(5, 0, 0), addi(6, 0, n), addi(5, 5, 1), bne(5, 6, -4), addi(3, 0, 0), tmc(0)};
}

/// An executable file with these instructions at kEntry, for as long as it lives.
class ElfFile {
 public:
  explicit ElfFile(const Code& code) {
    Elf32_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_version = EV_CURRENT;
    header.e_entry = kEntry;
    header.e_phoff = header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_phnum = 1;
    const auto bytes = static_cast<Elf32_Word>(code.size() * 4);
    const Elf32_Phdr segment{
        PT_LOAD, sizeof header + sizeof segment, kEntry, kEntry, bytes, bytes, PF_R | PF_X, 4};
    std::ofstream file(path(), std::ios::binary);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(reinterpret_cast<const char*>(&segment), sizeof segment);
    file.write(reinterpret_cast<const char*>(code.data()), bytes);
  }
  std::string path() const { return folder_.path("program.elf"); }

 private:
  spica::testbench::TemporaryFolder folder_;
};

const std::vector<std::string> kSmall = {"cluster.cores=1"};

/// The text of the Error that `action` throws.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Cycles of a run in pieces of `piece` cycles, in a process of its own; 0: in one piece.
std::uint64_t cycles_in_pieces(std::uint64_t piece) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const ElfFile elf(counts_to(1000));
    Machine machine("virgo", kSmall);
    machine.load(elf.path());
    while (piece != 0 && machine.run_cycles(piece)) {
    }
    const std::uint64_t cycles = machine.run().cycles;
    _exit(write(ends[1], &cycles, sizeof cycles) == sizeof cycles ? 0 : 1);
  }
  close(ends[1]);
  std::uint64_t cycles = 0;
  REQUIRE(read(ends[0], &cycles, sizeof cycles) == sizeof cycles);
  waitpid(child, nullptr, 0);
  return cycles;
}

}  // namespace

TEST_CASE("the API runs a program and shows memory, counts and the exit code") {
  const ElfFile elf(stores(7));
  Machine machine("virgo", kSmall);
  machine.load(elf.path());
  machine.write(kData + 4, std::vector<std::uint32_t>{1, 2, 3});
  const Outcome outcome = machine.run();
  CHECK(outcome.end == Outcome::End::kFinished);
  CHECK(outcome.exit_code == 7);
  CHECK(!outcome.good());
  CHECK(outcome.faults.empty());
  CHECK(outcome.report.empty());
  CHECK(machine.read<std::uint32_t>(kData, 4) == std::vector<std::uint32_t>{42, 1, 2, 3});
  CHECK(machine.cycles() == outcome.cycles);
  CHECK(machine.seconds() == Approx(static_cast<double>(outcome.cycles) / 400e6));
  CHECK(machine.statistic("instructions") == 5);
  CHECK(machine.statistic("cluster_0.core_0.warp_instructions") == 5);
  CHECK(error_of([&] { machine.run(); }).find("runs a program once") != std::string::npos);
  CHECK(!machine.run_cycles(100));
}

TEST_CASE("the API runs in the fast mode") {
  const ElfFile elf(stores(0));
  Machine machine("virgo", {"run.mode=fast"});
  machine.load(elf.path());
  CHECK(machine.run().good());
  CHECK(machine.read<std::uint32_t>(kData, 1).front() == 42);
  CHECK(machine.statistics().size() == 3);
}

TEST_CASE("a run in pieces of any length takes the cycles of a run at once") {
  const std::uint64_t cycles = cycles_in_pieces(0);
  CHECK(cycles > 1000);
  for (const std::uint64_t piece : {1, 7, 64, 1000, 1'000'000}) CHECK(cycles_in_pieces(piece) == cycles);
}

TEST_CASE("in the middle of a run the API shows where it is, and cycle accounts add up") {
  const ElfFile elf(counts_to(1000));
  Machine machine("virgo", kSmall);
  machine.load(elf.path());
  REQUIRE(machine.run_seconds(1e-6));
  CHECK(machine.cycles() == 400);
  CHECK(machine.statistic("cluster_0.core_0.issue") == 400);
  const std::uint64_t instructions = machine.statistic("instructions");
  CHECK(instructions > 0);
  CHECK(machine.run().good());
  CHECK(machine.statistic("instructions") > instructions);
}

TEST_CASE("a fault of the program is in the outcome with its place") {
  const ElfFile elf({lui(4, 0x10000), sw(0, 4, 16), tmc(0)});
  Machine machine("virgo", kSmall);
  machine.load(elf.path());
  const Outcome outcome = machine.run();
  CHECK(outcome.end == Outcome::End::kFault);
  REQUIRE(outcome.faults.size() == 1);
  CHECK(outcome.faults[0].severity == Fault::Severity::kFault);
  CHECK(outcome.faults[0].what == "an access to an unmapped address");
  CHECK(outcome.faults[0].pc == kEntry + 4);
  CHECK(outcome.faults[0].address == 0x1000'0010);
  CHECK(outcome.report == outcome.faults[0].text);
}

TEST_CASE("a program that does not end is stopped by run.max_cycles, and the report says so") {
  const ElfFile elf({beq(0, 0, 0)});
  Machine machine("virgo", {"cluster.cores=1", "run.max_cycles=5000"});
  machine.load(elf.path());
  const Outcome outcome = machine.run();
  CHECK(outcome.end == Outcome::End::kCycleLimit);
  CHECK(outcome.cycles == 5000);
  CHECK(outcome.report.find("Stopped at run.max_cycles = 5000") == 0);
}

TEST_CASE("all that is wrong with a configuration is one Error") {
  const std::string text = error_of([] { Machine machine("virgo", {"cluster.coers=2", "clock_mhz=0"}); });
  CHECK(text.find("did you mean \"cores\"") != std::string::npos);
  CHECK(text.find("--set #2") != std::string::npos);
  CHECK(error_of([] { Machine machine("vigro"); }).find("virgo") != std::string::npos);
}

TEST_CASE("what is missing, unknown or outside memory is an Error") {
  Machine machine("virgo", kSmall);
  CHECK(error_of([&] { machine.run(); }).find("load()") != std::string::npos);
  CHECK(error_of([&] { machine.load("/no/such.elf"); }).find("/no/such.elf") != std::string::npos);
  const ElfFile elf(stores(0));
  machine.load(elf.path());
  CHECK(error_of([&] {
          machine.read<int>(0x10, 1);
        }).find("data to read (0x00000010-0x00000013) lies outside memory") == 0);
  CHECK(error_of([&] {
          machine.statistic("cluster_0.core_0.warp_instruction");
        }).find("did you mean \"cluster_0.core_0.warp_instructions\"") != std::string::npos);
  CHECK(error_of([&] { machine.symbol("main"); }).find("has no symbol 'main'") != std::string::npos);
  Machine second;
  CHECK(error_of([&] { second.load(elf.path()); }).find("one machine per process") != std::string::npos);
}
