// SPDX-License-Identifier: Apache-2.0
// Records in packed files: nothing is lost, whoever reads meanwhile.
#include "platform/studies/sweep/clean.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "platform/base/input/user_error.h"
#include "platform/studies/sweep/store.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using namespace spica::sweep;
using Catch::Contains;

namespace {

/// The number of a process that has ended.
int ended_process() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

Record record(unsigned number, const std::string& model = "m1") {
  Record record;
  record.key = fmt::format("{:032x}", number);
  record.index = number;
  record.model = model;
  record.state = State::kOk;
  record.columns = "c";
  record.values = fmt::format("[{}]", number * 7);
  return record;
}

class Folder {
 public:
  Folder() { std::filesystem::create_directories(records()); }
  std::filesystem::path records() const { return folder_.root() / std::filesystem::path("records"); }
  /// A file of that process, with these lines.
  void put(const std::string& host, int process, const std::string& lines, unsigned number = 0) const {
    std::ofstream(records() / fmt::format("0of1-{}-{}-1700000000000-{:08x}.jsonl", host, process, number))
        << lines;
  }
  std::size_t files() const { return record_files(folder_.root()).size(); }
  std::filesystem::path root() const { return folder_.root(); }

 private:
  testbench::TemporaryFolder folder_;
};

std::string lines(unsigned first, unsigned end, const std::string& model = "m1") {
  std::string text;
  for (unsigned i = first; i < end; ++i) text += line_of(record(i, model)) + "\n";
  return text;
}

}  // namespace

TEST_CASE("records of ended processes become one packed file with all of them") {
  const Folder folder;
  const int ended = ended_process();
  folder.put(host_name(), ended, lines(2'000, 4'000) + "rubbish\n", 1);
  folder.put(host_name(), ended, lines(0, 2'001) + lines(5, 6, "m0") + "{\"v\":1", 2);
  const Cleaned cleaned = clean(folder.root(), false);
  CHECK(cleaned.files == 2);
  CHECK(cleaned.records == 4'001);
  CHECK(cleaned.doubles == 1);
  CHECK(cleaned.damaged == 2);
  CHECK(cleaned.running == 0);
  CHECK(cleaned.bytes_after < cleaned.bytes_before / 3);
  CHECK(folder.files() == 1);

  const Records records(folder.root(), "m1");
  CHECK(records.size() == 4'000);
  CHECK(records.damaged() == 0);
  CHECK(records.of_other_models().at("m0") == 1);
  for (unsigned i = 0; i < 4'000; i += 37) CHECK(records.find(record(i).key)->values == record(i).values);
  for (unsigned i = 3'999; i > 3'000; i -= 101)
    CHECK(records.find(record(i).key)->values == record(i).values);
  CHECK(clean(folder.root(), false).bytes_after == 0);  // nothing to do
  CHECK(folder.files() == 1);
}

TEST_CASE("a packed file is merged with what came later") {
  const Folder folder;
  folder.put(host_name(), ended_process(), lines(0, 10));
  clean(folder.root(), false);
  folder.put(host_name(), ended_process(), lines(10, 20));
  CHECK(clean(folder.root(), false).records == 20);
  CHECK(Records(folder.root(), "m1").size() == 20);
  CHECK(folder.files() == 1);
}

TEST_CASE("files of processes that may still write stay as they are") {
  const Folder folder;
  folder.put(host_name(), getpid(), lines(0, 1), 1);
  folder.put("elsewhere-2", 5, lines(1, 2), 2);
  folder.put(host_name(), ended_process(), lines(2, 3), 3);
  CHECK(clean(folder.root(), false).running == 2);
  CHECK(folder.files() == 3);
  CHECK(Records(folder.root(), "m1").size() == 3);
  CHECK(clean(folder.root(), true).records == 3);
  CHECK(folder.files() == 1);
}

TEST_CASE("a packed file that is cut or changed gives the records before that, and no wrong one") {
  const Folder folder;
  folder.put(host_name(), ended_process(), lines(0, 9'000));
  clean(folder.root(), false);
  const std::filesystem::path file = record_files(folder.root()).front();
  const auto size = std::filesystem::file_size(file);
  for (const auto at : {size / 3, size - 1}) {
    std::filesystem::resize_file(file, at);
    const Records records(folder.root(), "m1");
    CHECK(records.size() < 9'000);
    CHECK(records.damaged() == 1);
  }
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).write("?", 1);
  CHECK(Records(folder.root(), "m1").size() == 0);
}

TEST_CASE("records that are merged while somebody has them open say so") {
  const Folder folder;
  folder.put(host_name(), ended_process(), lines(0, 10));
  const Records before(folder.root(), "m1");
  clean(folder.root(), false);
  CHECK_THROWS_WITH(before.find(record(3).key), Contains("repeat the command"));
  CHECK(Records(folder.root(), "m1").find(record(3).key)->index == 3);
}

TEST_CASE("records of an accepted model count where there are none of the one at hand") {
  const Folder folder;
  Record other = record(1, "m0");
  other.values = "[1]";
  folder.put(host_name(), 1, lines(1, 2) + line_of(other) + "\n" + lines(2, 3, "m0") + lines(3, 4, "m2"));
  CHECK(Records(folder.root(), "m1").size() == 1);
  AcceptedModels(folder.root()).add("m0");
  AcceptedModels(folder.root()).add("m0");
  CHECK(AcceptedModels(folder.root()).names() == std::vector<std::string>{"m0"});
  const Records records(folder.root(), "m1");
  CHECK(records.size() == 2);
  CHECK(records.find(record(1).key)->model == "m1");
  CHECK(records.find(record(2).key)->model == "m0");
  CHECK(records.of_other_models().at("m2") == 1);
  CHECK_THROWS_WITH(AcceptedModels(folder.root()).add("m9"),
                    Contains("no record is of this model") && Contains("m2 (1 record)"));
}
