// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "platform/base/config/source.h"

namespace spica::stream {

/// A kernel with the common settings of its launches.
struct KernelEntry {
  std::string name, kernel, grid, block, args;

  static constexpr std::string_view kRequired[] = {"name"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("name", p.name, "name that launches use");
    field("kernel", p.kernel, "kernel of the program (SPICA_KERNEL); empty: same as name");
    field("grid", p.grid, "X, XxY or XxYxZ: work groups, for launches without a grid");
    field("block", p.block, "X, XxY or XxYxZ: threads of a work group; empty: default of the kernel");
    field("args", p.args, "argument block as for spica run --args, for launches without args");
  }
};

/// One step of a stream: launch, record or wait.
struct StepEntry {
  std::string launch, grid, block, args, record, wait, name;
  std::uint64_t repeat = 1;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("launch", p.launch, "a kernel, by its name in `kernels` or in the program");
    field("grid", p.grid, "X, XxY or XxYxZ: work groups of the launch");
    field("block", p.block, "X, XxY or XxYxZ: threads of a work group");
    field("args", p.args,
          "argument block, by member names, n=1024,factor=2.5, or by types, as for spica run --args");
    field("name", p.name, "name of the launch in tables, traces and results; empty: that of `launch`");
    field("record", p.record, "event to record when all earlier steps of the stream are complete");
    field("wait", p.wait, "event that later steps of the stream wait for");
    field("repeat", p.repeat, "times", base::Range{1, 1e6}, "repetitions of the step");
  }
};

struct StreamEntry {
  std::string name;
  std::string clusters;
  std::uint64_t repeat = 1;
  std::vector<StepEntry> steps;

  static constexpr std::string_view kRequired[] = {"name"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("name", p.name, "name");
    field(
        "clusters", p.clusters,
        "clusters that its kernels may use: ranges, \"0-3,8\", or a hexadecimal bit mask, 0x10f; empty: all");
    field("repeat", p.repeat, "times", base::Range{1, 1e6}, "repetitions of all of its steps");
    field.list("steps", p.steps, "launch, record and wait steps, in order");
  }
};

struct CheckEntry {
  std::string at, file;
  double tolerance = 0;

  static constexpr std::string_view kRequired[] = {"at", "file"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("at", p.at, "symbol of the program, or address, of the compared data");
    field("file", p.file, "expected contents: file of raw bytes, relative to this file");
    field("tolerance", p.tolerance, "", base::Range{0, 1e30},
          "0: bytes must be equal; otherwise allowed absolute or relative difference of 32-bit "
          "numbers");
  }
};

/// Streams of kernels, a file for `spica stream`.
struct StreamFile {
  std::string config, program;
  std::vector<std::string> set, load, save;
  std::vector<KernelEntry> kernels;
  std::vector<StreamEntry> streams;
  std::vector<CheckEntry> check;

  static constexpr std::string_view kRequired[] = {"program"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("config", p.config,
          "machine: a configuration's name, or a path relative to this file; empty: mgpu-8");
    field("program", p.program,
          "ELF file with the kernels, relative to this file, or the name of a program shipped with "
          "Spica");
    field.list("set", p.set, "settings of the machine, KEY=VALUE each, as for spica run --set");
    field.list("load", p.load, "files to load, FILE@SYMBOL as for spica run --load, relative to this file");
    field.list("save", p.save, "files to save, FILE@SYMBOL as for spica run --save, relative to this file");
    field.list("kernels", p.kernels, "kernels, with common settings of their launches");
    field.list("streams", p.streams, "sequences of steps; streams run concurrently");
    field.list("check", p.check, "expected memory contents after the run");
  }
};

extern const config::FileKind kStreamFiles;

/// Reads the file; file names in it are converted to paths from the working folder. Throws ConfigError with all errors:
/// unknown keys, a step with none or two of launch, record and wait, an event that no stream or two streams record, two
/// streams with one name.
StreamFile stream_file_of(const config::Source& source);

}  // namespace spica::stream
