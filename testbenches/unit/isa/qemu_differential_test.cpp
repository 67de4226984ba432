// SPDX-License-Identifier: Apache-2.0
// Random programs on models/isa and on qemu-riscv32 must leave the same registers and the same
// memory. SPICA_QEMU_SEED: the first seed, default 1. SPICA_QEMU_SECONDS: how long to go on; by
// default a fixed number of programs.
#include <sys/stat.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "testbenches/support/catch.h"
#include "testbenches/unit/isa/one_instruction.h"
#include "testbenches/unit/isa/random_program.h"
#include "testbenches/unit/isa/tiny_machine.h"

namespace spica::isa::test {

namespace {

using Bytes = std::vector<std::uint8_t>;

bool qemu_is_installed() { return std::system("command -v qemu-riscv32 >/dev/null 2>&1") == 0; }

/// An executable with one segment that may be read, written and executed.
Bytes elf_file(const Bytes& segment, u32 base, u32 entry) {
  constexpr u32 kHeader = 52, kProgramHeader = 32, kOffset = 4096;
  Bytes file(kOffset + segment.size());
  const auto half = [&file](u32 at, u32 value) { std::memcpy(&file[at], &value, 2); };
  const auto word = [&file](u32 at, u32 value) { std::memcpy(&file[at], &value, 4); };
  const std::uint8_t ident[] = {0x7F, 'E', 'L', 'F', 1, 1, 1};  // 32 bits, little endian
  std::memcpy(file.data(), ident, sizeof ident);
  half(16, 2);    // executable
  half(18, 243);  // RISC-V
  word(20, 1);
  word(24, entry);
  word(28, kHeader);  // program headers
  word(36, 0x0002);   // single-float ABI
  half(40, kHeader);
  half(42, kProgramHeader);
  half(44, 1);
  word(kHeader, 1);  // PT_LOAD
  word(kHeader + 4, kOffset);
  word(kHeader + 8, base);
  word(kHeader + 12, base);
  word(kHeader + 16, static_cast<u32>(segment.size()));
  word(kHeader + 20, static_cast<u32>(segment.size()));
  word(kHeader + 24, 7);
  word(kHeader + 28, kOffset);
  std::memcpy(&file[kOffset], segment.data(), segment.size());
  return file;
}

/// What the program writes on qemu; shorter than expected when it fails.
Bytes run_on_qemu(const RandomProgram& program, unsigned units) {
  const Bytes file = elf_file(program.image(units), RandomProgram::kBase, program.entry());
  std::string path = (std::filesystem::temp_directory_path() / "spica_isa_XXXXXX").string();
  const int descriptor = mkstemp(path.data());
  REQUIRE(descriptor >= 0);
  REQUIRE(write(descriptor, file.data(), file.size()) == static_cast<ssize_t>(file.size()));
  REQUIRE(fchmod(descriptor, 0700) == 0);
  close(descriptor);
  Bytes output;
  std::FILE* pipe = popen(("qemu-riscv32 " + path).c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::uint8_t buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;)
    output.insert(output.end(), buffer, buffer + n);
  pclose(pipe);
  std::filesystem::remove(path);
  return output;
}

/// The number in an environment variable, or `otherwise`.
double number_of(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? otherwise : std::strtod(text, nullptr);
}

struct Host {
  const LaneKernels* kernels;
  u32 mask;
};

Bytes run_here(const RandomProgram& program, unsigned units, const Host& host, std::uint64_t& executed) {
  const UseKernels use(host.kernels);
  TinyMachine machine(program.image(units), RandomProgram::kBase, program.entry(), host.mask);
  const bool ended = machine.run();
  executed += machine.executed();
  Bytes output = machine.memory();
  output.resize(ended ? program.output_bytes() : 0);
  return output;
}

/// The shortest program that ends differently: its last unit is to blame. Says what differs behind
/// it.
std::string first_difference(const RandomProgram& program, const Host& host) {
  std::uint64_t executed = 0;
  unsigned equal = 0, different = program.units();
  while (different - equal > 1) {
    const unsigned middle = (equal + different) / 2;
    const bool same = run_on_qemu(program, middle) == run_here(program, middle, host, executed);
    (same ? equal : different) = middle;
  }
  std::ostringstream text;
  text << "unit " << equal << ":";
  for (const u32 word : program.unit(equal)) text << "  [" << disassemble(decode(word), 0) << "]";
  const Bytes before = run_on_qemu(program, equal);
  const Bytes theirs = run_on_qemu(program, different), ours = run_here(program, different, host, executed);
  text << "\nqemu wrote " << theirs.size() << " bytes, models/isa " << ours.size() << std::hex;
  for (std::size_t i = 0; i + 4 <= std::min(theirs.size(), ours.size()); i += 4) {
    u32 a, b, old = 0;
    std::memcpy(&a, &theirs[i], 4);
    std::memcpy(&b, &ours[i], 4);
    if (i + 4 <= before.size()) std::memcpy(&old, &before[i], 4);
    if (a != b)
      text << "\nat output byte 0x" << i << ": qemu " << a << ", models/isa " << b << ", before " << old;
  }
  return text.str();
}

}  // namespace

TEST_CASE("random RV32IMAF programs end as on qemu-riscv32") {
  if (!qemu_is_installed()) {
    WARN("not run: qemu-riscv32 (package qemu-user) is not installed");
    return;
  }
  constexpr unsigned kUnits = 5000;
  const auto kernels = all_kernels();
  const Host hosts[] = {{kernels.front(), 0x01}, {kernels.back(), 0xFF}, {kernels.back(), 0x10}};
  constexpr std::uint32_t kPrograms = 60;
  const auto first = static_cast<std::uint32_t>(number_of("SPICA_QEMU_SEED", 1));
  const double seconds = number_of("SPICA_QEMU_SECONDS", 0);
  alarm(static_cast<unsigned>(seconds) + 600);  // ctest has no time-out for a run that may be of any length
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::uint64_t executed = 0;
  std::uint64_t instructions = 0;
  std::uint32_t seed = first;
  for (; seed < first + kPrograms || std::chrono::steady_clock::now() < end; ++seed) {
    RandomProgram program(seed, kUnits);
    instructions += program.instructions();
    const Bytes theirs = run_on_qemu(program, kUnits);
    REQUIRE(theirs.size() == program.output_bytes());
    for (const Host& host : hosts) {
      if (run_here(program, kUnits, host, executed) == theirs) continue;
      FAIL("seed " << seed << ", mask " << host.mask << ", " << first_difference(program, host));
    }
  }
  if (seconds != 0)
    WARN("seeds " << first << " to " << seed - 1 << ": " << instructions << " instructions, no difference");
  CHECK(instructions > 300000);
  CHECK(executed > 2 * instructions);  // most of them ran, by each host
}

}  // namespace spica::isa::test
