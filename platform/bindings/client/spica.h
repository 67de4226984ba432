// SPDX-License-Identifier: Apache-2.0
// Spica as a library: a machine, a program on it, and what came of it.
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
// Nothing here prints, ends the process or touches a signal. What the user of a machine does wrong is an Error; what
// its program does wrong is in the Outcome. docs/library.md is the guide.
#pragma once

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

#ifndef SPICA_SHARE  // the CMake target names the folder of the package's configurations; default: next to this header
#define SPICA_SHARE __FILE__
#endif

namespace spica {

/// Something given is wrong: a configuration, a file, an address, a name. what() says all of it, with file, line, key
/// and what is allowed, as the command line would.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A bug of Spica, or an unexpected end of a machine's process.
class InternalError : public std::runtime_error {
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
  std::string function, file;  // of the instruction, as far as the program's debug information tells
  unsigned line = 0;
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
    kInternalError,  // a bug of Spica; `report` names the place
  };
  End end = End::kFinished;
  int exit_code = 0;  // what the program returned, 0..255
  std::uint64_t cycles = 0;  // of the whole run
  std::uint64_t kernel_cycles = 0;  // between the program's markers; of the whole run without them
  std::vector<Fault> faults;  // in order; of a program that hangs the last one is about a warp that waits
  std::string report;  // for people: faults, and why it did not end; "" if all is well
  /// Text of a file that Machine::observe() asked for, by name: hazards.json, memory.json, profile.json, energy.json as
  /// of spica run --out; findings.txt: what the checks have found, for people; "" if nothing.
  std::vector<std::pair<std::string, std::string>> documents;

  /// The program has ended, and returned 0.
  bool good() const { return end == End::kFinished && exit_code == 0; }
};

/// What is recorded during a run in addition to its results.
struct Observation {
  std::vector<std::string> checks;  // "hazards", "memory", as of spica run --check
  std::vector<std::string> suppressions;  // files, as of --suppress
  std::vector<std::string> traces;  // as of --trace
  bool profile = false, energy = false;  // both need the cycle mode

  bool empty() const {
    return checks.empty() && suppressions.empty() && traces.empty() && !profile && !energy;
  }
};

/// What a variable holds: elements of `bytes` bytes each, in an array of `shape` (none: a single one; rows first).
struct Type {
  enum class Kind : std::uint8_t {
    kUnknown,
    kUnsigned,
    kSigned,
    kFloat
  };  // kUnknown: bytes, of a structure too
  Kind kind = Kind::kUnknown;
  std::uint64_t bytes = 1;
  std::vector<std::uint64_t> shape;

  std::uint64_t count() const;  // of elements
  /// "float32[1000]", "int32[4][8]", "structure of 12 bytes[10]"
  std::string text() const;
  bool same_element(const Type& other) const { return kind == other.kind && bytes == other.bytes; }

  /// Type of a number of this host; other types are bytes.
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

/// A variable of a program, as its symbols and its debug information (-g) have it. Without debug information the type
/// is unknown: as many bytes as the symbol has.
struct Variable {
  std::string name;
  std::uint64_t address = 0, bytes = 0;
  Type type;
};

/// The value of an argument: a number, or a symbol, whose address it is.
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
  std::uint32_t lanes = 0;  // those that are active, one bit each
  bool running = false;  // not ended
  unsigned lane_count = 0;
  std::vector<std::uint32_t> integers, floats;  // register r of lane l is at r * lane_count + l
};

/// One machine that runs one program. SystemC builds one set of modules per process, so a process can load one program
/// in one machine. Any number can run with separate(), or with run() of <spica/run.h>.
class Machine {
 public:
  /// Reads a YAML file, or a shipped configuration by name, with values that replace its own: "cluster.cores=2".
  /// Shipped files are those of the package; of the folder in the environment variable SPICA_ROOT, if there is one.
  /// Throws Error.
  explicit Machine(const std::string& configuration = "virgo", const std::vector<std::string>& overrides = {})
      : Machine(configuration, overrides, SPICA_SHARE) {}
  /// The same in a process of its own, the program `spica` of this package: any number of machines, one after the other
  /// or at the same time; what goes wrong there ends as InternalError here. Memory and counts are copied.
  static Machine separate(const std::string& configuration = "virgo",
                          const std::vector<std::string>& overrides = {}) {
    return separate(configuration, overrides, SPICA_SHARE);
  }
  struct Impl;  // Spica's own
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  /// Before load(), of a machine in a process of its own. Throws Error.
  void observe(const Observation& observation);
  /// Builds the machine and fills its memory with the program: an ELF file, or a shipped kernel by name ("vecadd").
  /// Comes before all that follows. Throws Error, also if the program was built for another machine.
  void load(const std::string& program);
  /// The program's argument block, as of spica run --args: "u32:1000,u32:0,u64:0xA0000000".
  void arguments(const std::string& list);
  /// Sets members of the argument block by name; others keep the values of the program. Throws Error with all that is
  /// wrong.
  void arguments(const Arguments& values);
  /// The program runs as a grid of work groups of its kernel (SPICA_KERNEL): how many there are and how many threads
  /// each has, in one to three directions; no block: as the kernel says; its fourth number: bytes of shared memory for
  /// arrays without a length (extern __shared__). Before the run. Throws Error.
  void grid(const std::string& kernel, const std::vector<unsigned>& grid,
            const std::vector<unsigned>& block = {});
  /// Streams of kernels, in a machine with a command processor: the kernels of a stream run one after the other, those
  /// of several run concurrently. These add to a stream, which exists once it has been named: a kernel (with the
  /// program's arguments, but for those that are given), an event that happens when all before it has ended, and that
  /// all behind it waits for an event (the n-th wait of a stream for the n-th record, docs/howto/streams.md). Before
  /// the run. Throws Error; what is wrong with the streams as a whole is thrown by the run.
  void launch(const std::string& stream, const std::string& kernel, const std::vector<unsigned>& grid,
              const Arguments& values = {}, const std::vector<unsigned>& block = {});
  void record(const std::string& stream, const std::string& event);
  void wait(const std::string& stream, const std::string& event);
  /// Address of a symbol of the program. Throws Error.
  std::uint64_t symbol(const std::string& name) const;
  /// A variable of the program. Throws Error.
  Variable variable(const std::string& name) const;

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

  /// Variables of the program. `data` is of the type `type`: elements as the variable has them, in its shape, with
  /// fewer rows, or as contiguous rows; bytes go anywhere, and anything goes where the variable's type is unknown.
  /// Throws Error with both types.
  void write(const std::string& symbol, const Type& type, const void* data);
  template <class T>
  void write(const std::string& symbol, const std::vector<T>& values) {
    write(symbol, Type::of<T>({values.size()}), values.data());
  }
  /// All elements. Throws Error when they are not of type T.
  template <class T>
  std::vector<T> read(const std::string& symbol) const {
    const Variable found = variable(symbol);
    std::vector<T> values(elements(found, Type::of<T>({})));
    read(found.address, values.data(), values.size() * sizeof(T));
    return values;
  }

  /// Runs to the end, from where the machine is. Once: a second call throws Error.
  Outcome run();
  /// Continues for that many cycles (seconds of simulated time); in the fast mode perhaps a little longer. False: the
  /// program has ended, and run() reports how.
  bool run_cycles(std::uint64_t cycles);
  bool run_seconds(double seconds);
  /// Simulated time so far.
  std::uint64_t cycles() const;
  double seconds() const;

  /// A number that the machine counts, by its name in stats.json ("cluster_0.core_0.warp_instructions"), now. Throws
  /// Error.
  std::uint64_t statistic(const std::string& name) const;
  /// All names, in order.
  std::vector<std::string> statistics() const;
  /// All names with their numbers, in order.
  std::vector<std::pair<std::string, std::uint64_t>> counts() const;
  /// Cores are counted over all clusters. Throws Error.
  Warp warp(unsigned core, unsigned warp) const;

  /// What the program has printed so far: whole lines.
  std::string output() const;
  /// Also passes each line to `listener` as it completes, without its newline. After load().
  void on_output(std::function<void(const std::string& line)> listener);

  /// All parameters in effect, as YAML with the place that each was set at.
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
