// SPDX-License-Identifier: Apache-2.0
// Spica as a library: a machine, its program, and the results.
//
//   spica::Machine machine("virgo", {"cluster.cores=4"});
//   machine.load("my.elf");
//   machine.arguments({{"n", 1000}, {"factor", 2.5}});
//   machine.write("x", operands);
//   const spica::Outcome outcome = machine.run();
//   if (!outcome.good()) std::cerr << outcome.report;
//   const auto result = machine.read<float>("y");
//   std::cout << machine.statistic("cluster_0.core_0.warp_instructions");
//
// Nothing here prints, exits the process or handles signals. Errors of the machine's user are Error exceptions; errors
// of its program are in the Outcome. See the guide docs/library.md.
#ifndef SPICA_SPICA_H  // not #pragma once: it is installed at two places
#define SPICA_SPICA_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <spica/version.h>

#ifndef SPICA_SHARE  // set by the CMake target to the package's folder of configurations; default: next to this header
#define SPICA_SHARE __FILE__
#endif

namespace spica {

/// An invalid argument: a configuration, a file, an address, a name. what() lists all errors with file, line, key and
/// allowed values, as on the command line.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A bug of Spica, or an unexpected end of a machine's process.
class InternalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A fault, warning or note about a program.
struct Fault {
  enum class Severity : std::uint8_t { kNote, kWarning, kFault };
  Severity severity = Severity::kFault;  // kFault ends the run
  std::string what;  // "an access to an unmapped address"
  std::uint64_t cycle = 0;
  unsigned core = 0, warp = 0;  // of the instruction
  std::uint32_t pc = 0, lanes = 0;  // lanes: one bit each
  std::uint64_t address = 0;  // data address or branch target; 0: none
  std::string function, file;  // place of the instruction, if the program's debug information has it
  unsigned line = 0;
  std::string text;  // the complete report in several lines, with the place in the source
};

/// How a run ended.
struct Outcome {
  enum class End : std::uint8_t {
    kFinished,  // the program has ended
    kFault,  // ended by the last of `faults`
    kDeadlock,  // nothing can change any more
    kLivelock,  // all running warps spin
    kCycleLimit,  // run.max_cycles reached
    kInternalError,  // a bug of Spica; `report` describes it
  };
  End end = End::kFinished;
  int exit_code = 0;  // the program's return value, 0..255
  std::uint64_t cycles = 0;  // of the whole run
  std::uint64_t kernel_cycles = 0;  // between the program's markers; without markers, of the whole run
  std::vector<Fault> faults;  // in order; if the program hangs, the last one is about a waiting warp
  std::string report;  // text of faults and of the reason for an early end; "" if there is none
  /// Texts of the files requested with Machine::observe(), by name: hazards.json, memory.json, profile.json,
  /// energy.json as written by spica run --out; findings.txt: the readable findings of the checks, "" if there are
  /// none.
  std::vector<std::pair<std::string, std::string>> documents;

  /// True if the program has ended and returned 0.
  bool good() const { return end == End::kFinished && exit_code == 0; }
};

/// Additional data to record during a run.
struct Observation {
  std::vector<std::string> checks;  // "hazards", "memory", as in spica run --check
  std::vector<std::string> suppressions;  // files, as in --suppress
  std::vector<std::string> traces;  // as in --trace
  bool profile = false, energy = false;  // both require the cycle mode
  bool launches = false;  // the account by launch of a kernel: launches.json in Outcome::documents
  std::string out,
      report;  // files written at the end, as with --out and --report; a report requires the cycle mode
  std::vector<std::string> command_line;  // of the user, for those files
  std::uint64_t debugged_launch = 0;  // the launch of a device, from 1, that waits for gdb; 0: none

  bool empty() const {
    return checks.empty() && suppressions.empty() && traces.empty() && !profile && !energy && !launches &&
           out.empty() && report.empty() && debugged_launch == 0;
  }
};

/// The type of a variable: elements of `bytes` bytes each, in an array of `shape` (rows first; empty: a single
/// element).
struct Type {
  enum class Kind : std::uint8_t {
    kUnknown,
    kUnsigned,
    kSigned,
    kFloat
  };  // kUnknown: raw bytes, also of structures
  Kind kind = Kind::kUnknown;
  std::uint64_t bytes = 1;
  std::vector<std::uint64_t> shape;

  std::uint64_t count() const;  // number of elements
  /// "float32[1000]", "int32[4][8]", "structure of 12 bytes[10]"
  std::string text() const;
  bool same_element(const Type& other) const { return kind == other.kind && bytes == other.bytes; }

  /// The type that corresponds to a host number type T. For other types: kUnknown, with the size of T.
  template <class T>
  static Type of(std::vector<std::uint64_t> shape) {
    static_assert(std::is_trivially_copyable_v<T>);
    using Number = std::numeric_limits<T>;
    const Kind kind = !Number::is_specialized ? Kind::kUnknown
                      : !Number::is_integer   ? Kind::kFloat
                      : Number::is_signed     ? Kind::kSigned
                                              : Kind::kUnsigned;
    return {kind, sizeof(T), std::move(shape)};
  }
};

/// A variable of a program, from its symbols and its debug information (-g). Without debug information the type is
/// unknown: raw bytes, as many as the symbol has.
struct Variable {
  std::string name;
  std::uint64_t address = 0, bytes = 0;
  Type type;
};

/// The value of an argument: a number, or the address of a symbol.
class Value {
 public:
  Value(const std::string& symbol) : text_(symbol) {}
  Value(const char* symbol) : text_(symbol) {}
  Value(float number) : Value(number, std::numeric_limits<float>::max_digits10) {}
  Value(double number);
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  Value(T number) : text_(std::to_string(number)) {}
  const std::string& text() const { return text_; }

 private:
  Value(double number, int digits);
  std::string text_;
};
using Arguments = std::vector<std::pair<std::string, Value>>;

/// The registers of a warp.
struct Warp {
  std::uint32_t pc = 0;  // of the next instruction
  std::uint32_t lanes = 0;  // active lanes, one bit each
  bool running = false;  // the warp has not ended
  unsigned lane_count = 0;
  std::vector<std::uint32_t> integers, floats;  // register r of lane l is at r * lane_count + l
};

/// One machine that runs one program; or, as a Device (<spica/device.h>), kernels of several. SystemC creates
/// one set of modules per process, so a process can load one program in one machine. For any number of
/// machines use separate(), or run() of <spica/run.h>.
class Machine {
 public:
  /// Reads a YAML file, or a shipped configuration by name, and applies overrides such as "cluster.cores=2". Shipped
  /// files are those of the package, or of the folder in the environment variable SPICA_ROOT if it is set. Throws
  /// Error.
  explicit Machine(const std::string& configuration = "virgo", const std::vector<std::string>& overrides = {})
      : Machine(configuration, overrides, SPICA_SHARE) {}
  /// The same in a process of its own, running the program `spica` of this package: any number of machines, sequential
  /// or concurrent. An unexpected end of that process is an InternalError here. Memory and statistics are copied
  /// between the processes.
  static Machine separate(const std::string& configuration = "virgo",
                          const std::vector<std::string>& overrides = {}) {
    return separate(configuration, overrides, SPICA_SHARE);
  }
  struct Impl;  // internal
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  /// Requests additional data; before load(), and only with separate(). Throws Error.
  void observe(const Observation& observation);
  /// Builds the machine and loads the program into its memory: an ELF file, or a shipped kernel by name ("vecadd").
  /// Must be called before all functions below. Throws Error, also if the program was built for another machine.
  void load(const std::string& program);
  /// Sets the program's argument block, as in spica run --args: "u32:1000,u32:0,u64:0xA0000000".
  void arguments(const std::string& list);
  /// Sets members of the argument block by name; other members keep the values of the program. Throws Error with all
  /// errors.
  void arguments(const Arguments& values);
  /// Runs the program as a grid of work groups of `kernel` (SPICA_KERNEL). `grid`: number of work groups, `block`:
  /// threads of each, both in one to three dimensions; empty `block`: the kernel's own. A fourth number in `block`:
  /// bytes of shared memory for arrays without a length (extern __shared__). Before the run. Throws Error.
  void grid(const std::string& kernel, const std::vector<unsigned>& grid,
            const std::vector<unsigned>& block = {});
  /// Streams of kernels, for machines with a command processor: kernels of one stream run in order, those of different
  /// streams concurrently. Each call adds a step to a stream, which is created when first named. launch(): a kernel,
  /// with the program's arguments except for those given. record(): an event that occurs when all earlier steps of the
  /// stream have ended. wait(): later steps of the stream wait for the event; its n-th wait matches the n-th record
  /// (docs/howto/streams.md). Before the run. Throws Error; errors of the streams as a whole are thrown by the run.
  void launch(const std::string& stream, const std::string& kernel, const std::vector<unsigned>& grid,
              const Arguments& values = {}, const std::vector<unsigned>& block = {});
  void record(const std::string& stream, const std::string& event);
  void wait(const std::string& stream, const std::string& event);
  /// Address of a symbol of the program. Throws Error.
  std::uint64_t symbol(const std::string& name) const;
  /// A variable of the program. Throws Error.
  Variable variable(const std::string& name) const;

  /// Memory access before, during and after the run: global memory, or shared memory of one cluster. Takes no simulated
  /// time. Throws Error outside memory.
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

  /// Accesses to variables of the program. `data` must match the type of the variable: the same elements in the same
  /// shape, with fewer rows, or as contiguous rows; raw bytes match every type, and every type matches a variable of
  /// unknown type. Throws Error with both types.
  void write(const std::string& symbol, const Type& type, const void* data);
  template <class T>
  void write(const std::string& symbol, const std::vector<T>& values) {
    write(symbol, Type::of<T>({values.size()}), values.data());
  }
  /// Reads all elements. Throws Error if they are not of type T.
  template <class T>
  std::vector<T> read(const std::string& symbol) const {
    const Variable found = variable(symbol);
    std::vector<T> values(elements(found, Type::of<T>({})));
    read(found.address, values.data(), values.size() * sizeof(T));
    return values;
  }

  /// Runs to the end from the current state. Only once: a second call throws Error.
  Outcome run();
  /// Continues for that many cycles (seconds of simulated time), in the fast mode possibly slightly longer. False: the
  /// program has ended, and run() returns the outcome.
  bool run_cycles(std::uint64_t cycles);
  bool run_seconds(double seconds);
  /// Simulated time so far.
  std::uint64_t cycles() const;
  double seconds() const;

  /// The current value of a statistic, by its name in stats.json ("cluster_0.core_0.warp_instructions"). Throws Error.
  std::uint64_t statistic(const std::string& name) const;
  /// All names of statistics, in order.
  std::vector<std::string> statistics() const;
  /// All statistics with their values, in order.
  std::vector<std::pair<std::string, std::uint64_t>> counts() const;
  /// `core`: number within the whole machine. Throws Error.
  Warp warp(unsigned core, unsigned warp) const;

  /// The lines that the program has printed so far, without an incomplete last one.
  std::string output() const;
  /// Also calls `listener` with each completed line, without its newline. After load().
  void on_output(std::function<void(const std::string& line)> listener);

  /// All parameters in effect, as YAML with the place where each was set.
  std::string configuration() const;

 private:
  explicit Machine(std::unique_ptr<Impl> impl);
  Machine(const std::string& configuration, const std::vector<std::string>& overrides, const char* share);
  static Machine separate(const std::string& configuration, const std::vector<std::string>& overrides,
                          const char* share);
  static std::uint64_t elements(const Variable& variable, const Type& element);
  std::unique_ptr<Impl> impl_;
};

}  // namespace spica

#endif  // SPICA_SPICA_H
