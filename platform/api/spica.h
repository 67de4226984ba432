// SPDX-License-Identifier: Apache-2.0
// Spica as a library: a machine, a program on it, and what came of it.
//
//   spica::Machine machine("virgo", {"cluster.cores=4"});
//   machine.load("my.elf");
//   machine.write(0xA0000000, operands);
//   const spica::Outcome outcome = machine.run();
//   if (!outcome.good()) std::cerr << outcome.report;
//   const auto result = machine.read<float>(0xC0000000, 256);
//   std::cout << machine.statistic("cluster_0.core_0.warp_instructions");
//
// Nothing here prints, ends the process or touches a signal. What the user of a machine does wrong is an Error; what its
// program does wrong is in the Outcome. docs/library.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <spica/version.h>

#ifndef SPICA_SHARE  // the CMake target names the folder of the package's configurations; else it is looked up beside this header
#define SPICA_SHARE __FILE__
#endif

namespace spica {

/// Something given is wrong: a configuration, a file, an address, a name. what() says all of it, with file, line, key and
/// what is allowed, as the command line would.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a program did wrong, or may have.
struct Fault {
  enum class Severity : std::uint8_t { kNote, kWarning, kFault };
  Severity severity = Severity::kFault;  // a kFault ends the run
  std::string what;  // "an access to an unmapped address"
  std::uint64_t cycle = 0;
  unsigned core = 0, warp = 0;  // of the instruction
  std::uint32_t pc = 0, lanes = 0;  // lanes: one bit each
  std::uint64_t address = 0;  // data address or branch target; 0: none
  std::string text;  // some lines with all of it, and the place in the source
};

/// How a run ended.
struct Outcome {
  enum class End : std::uint8_t {
    kFinished,  // the program has ended
    kFault,  // by the last of `faults`
    kDeadlock,  // nothing can ever happen again
    kLivelock,  // warps only spin
    kCycleLimit,  // run.max_cycles
    kInternalError,  // a bug of Spica; `report` says where
  };
  End end = End::kFinished;
  int exit_code = 0;  // what the program returned, 0..255
  std::uint64_t cycles = 0;  // of the whole run
  std::uint64_t kernel_cycles = 0;  // between the program's markers; of the whole run without them
  std::vector<Fault> faults;  // in order
  std::string report;  // for people: faults, and why it did not end; "" if all is well

  /// The program has ended, and returned 0.
  bool good() const { return end == End::kFinished && exit_code == 0; }
};

/// One machine that runs one program. SystemC builds one set of modules per process, so a process can load one program in
/// one machine; for several runs, fork().
class Machine {
 public:
  /// Of a YAML file, or of a shipped configuration by name, and values that replace its own: "cluster.cores=2".
  /// Shipped files are those of the package; of the folder in the environment variable SPICA_ROOT, if there is one. Throws Error.
  explicit Machine(const std::string& configuration = "virgo", const std::vector<std::string>& overrides = {})
      : Machine(configuration, overrides, SPICA_SHARE) {}
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  /// Builds the machine and fills its memory with the program: an ELF file, or a shipped kernel by name ("vecadd"). Comes
  /// before all that follows. Throws Error, also if the program was built for another machine.
  void load(const std::string& program);
  /// The program's argument block, as of spica run --args: "u32:1000,u32:0,u64:0xA0000000".
  void arguments(const std::string& list);
  /// Address of a symbol of the program. Throws Error.
  std::uint64_t symbol(const std::string& name) const;

  /// Memory, before, during and after the run: global, or shared memory of one cluster. Takes no simulated time. Throws
  /// Error outside memory.
  void write(std::uint64_t address, const void* from, std::size_t bytes, unsigned cluster = 0);
  void read(std::uint64_t address, void* to, std::size_t bytes, unsigned cluster = 0) const;
  template <class T>
  void write(std::uint64_t address, const std::vector<T>& values, unsigned cluster = 0) {
    static_assert(std::is_trivially_copyable_v<T>);
    write(address, values.data(), values.size() * sizeof(T), cluster);
  }
  template <class T>
  std::vector<T> read(std::uint64_t address, std::size_t count, unsigned cluster = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(count);
    read(address, values.data(), count * sizeof(T), cluster);
    return values;
  }

  /// Runs to the end, from where the machine is. A second call returns the same.
  Outcome run();
  /// Runs on for so many cycles (seconds of simulated time); in the fast mode perhaps a little longer. False: the program
  /// has ended, and run() says how.
  bool run_cycles(std::uint64_t cycles);
  bool run_seconds(double seconds);
  /// Simulated time so far.
  std::uint64_t cycles() const;
  double seconds() const;

  /// A number that the machine counts, by its name in stats.json ("cluster_0.core_0.warp_instructions"), now. Throws Error.
  std::uint64_t statistic(const std::string& name) const;
  /// All names, in order.
  std::vector<std::string> statistics() const;

  /// What the program has printed so far: whole lines.
  std::string output() const;
  /// Also passes each line to `listener` as it completes, without its newline. After load().
  void on_output(std::function<void(const std::string& line)> listener);

  /// All parameters in effect, as YAML with the place that each was set at.
  std::string configuration() const;

 private:
  Machine(const std::string& configuration, const std::vector<std::string>& overrides, const char* share);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spica
