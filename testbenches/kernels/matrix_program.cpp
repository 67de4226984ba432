// SPDX-License-Identifier: Apache-2.0
// Writes a random program for the matrix unit of a configuration, and what memory must hold behind
// it:
//   matrix_program CONFIG UNIT SEED COMMANDS FOLDER
//   -> commands.bin operands.bin shared.bin, wanted_results.bin wanted_shared.bin
// The guest program matrix_commands.c runs it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "testbenches/block/matrix_unit/random_commands.h"

using namespace spica::testbench;

namespace {

class FileSink final : public CommandSink {
 public:
  FileSink(unsigned unit, std::size_t shared_bytes)
      : words{unit}, operands(RandomCommands::kOperandBytes), shared(shared_bytes) {}
  void set_global(std::uint32_t address, std::uint8_t value) override {
    operands.at(address - RandomCommands::kOperands) = value;
  }
  void set_shared(std::uint32_t offset, std::uint8_t value) override { shared.at(offset) = value; }
  void rocc(unsigned function, std::uint64_t rs1, std::uint64_t rs2) override {
    for (const std::uint64_t word :
         {std::uint64_t{1}, std::uint64_t{function}, rs1, rs1 >> 32, rs2, rs2 >> 32})
      words.push_back(static_cast<std::uint32_t>(word));
  }
  void cisc(std::uint32_t word) override { words.insert(words.end(), {2, word}); }
  void fence() override { words.push_back(3); }

  std::vector<std::uint32_t> words;
  std::vector<std::uint8_t> operands, shared;
};

void write(const std::string& path, const void* data, std::size_t bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  if (!file) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: matrix_program CONFIG UNIT SEED COMMANDS FOLDER\n");
    return 2;
  }
  const UnitModel::Machine* machine = nullptr;
  for (const UnitModel::Machine& candidate : UnitModel::machines())
    if (std::strcmp(candidate.name, argv[1]) == 0) machine = &candidate;
  if (machine == nullptr) {
    std::fprintf(stderr, "there is no model of %s\n", argv[1]);
    return 2;
  }
  UnitModel model(machine->shape);
  FileSink sink(static_cast<unsigned>(std::atoi(argv[2])), machine->shape.shared_bytes);
  RandomCommands random(sink, model, UnitModel::queue_of(machine->shape),
                        static_cast<unsigned>(std::atoi(argv[3])));
  random.add(static_cast<unsigned>(std::atoi(argv[4])));
  random.finish();
  sink.words.push_back(0);

  std::vector<std::uint8_t> results(RandomCommands::kResultBytes + machine->shape.accumulator_bytes);
  for (const auto& [address, byte] : model.global)
    if (address >= RandomCommands::kResults) results.at(address - RandomCommands::kResults) = byte;
  const std::string folder = std::string(argv[5]) + "/";
  write(folder + "commands.bin", sink.words.data(), 4 * sink.words.size());
  write(folder + "operands.bin", sink.operands.data(), sink.operands.size());
  write(folder + "shared.bin", sink.shared.data(), sink.shared.size());
  write(folder + "wanted_results.bin", results.data(), results.size());
  write(folder + "wanted_shared.bin", model.shared.data(), model.shared.size());
  return 0;
}
