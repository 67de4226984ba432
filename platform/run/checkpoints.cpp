// SPDX-License-Identifier: Apache-2.0
#include "platform/run/checkpoints.h"

#include <fmt/format.h>
#include <zstd.h>

#include <map>
#include <sstream>
#include <utility>

#include "models/base/checkpoint.h"
#include "platform/base/digest/digest.h"
#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/session/session.h"
#include "platform/machine/soc/machine.h"
#include "platform/observe/report/provenance.h"
#include "platform/run/files.h"

namespace spica::job {

namespace {

// The first bytes of a file; the last one is the version of the format.
constexpr std::string_view kMagic = "spica checkpoint";
constexpr unsigned char kFormat = 7;
constexpr int kLevel = 1;  // memory of zeros and small numbers gets little smaller with more
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;  // of a file

/// What comes before the state.
struct Head {
  struct Parameter {
    std::string key, text;
    bool timing = false;
  };
  std::string version;  // of Spica: other ones have other blocks
  std::string program;
  bool fast = false;  // the mode that wrote it
  std::string inputs;
  std::vector<Parameter> machine;
  std::string work;
};

/// How a run goes, not what is run.
bool is_of_the_run(const std::string& key) {
  return key.rfind("run.", 0) == 0 || key.rfind("power.", 0) == 0;
}

std::string packed(const std::string& body) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string bytes(ZSTD_compressBound(body.size()), '\0');
  bytes.resize(ZSTD_compress2(context.get(), bytes.data(), bytes.size(), body.data(), body.size()));
  return bytes;
}

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw input::UserError(fmt::format("{}: {}", input::printable(path), what));
}

/// As much memory as there is of it, whatever a damaged file says of its length.
std::string unpacked(const std::string& path, const unsigned char* bytes, std::size_t size) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  std::string body, part(std::size_t{1} << 20, '\0');
  ZSTD_inBuffer in{bytes, size, 0};
  for (std::size_t left = 1; left != 0;) {
    ZSTD_outBuffer out{part.data(), part.size(), 0};
    const std::size_t before = in.pos;
    left = ZSTD_decompressStream(context.get(), &out, &in);
    const bool stands = in.pos == before && out.pos == 0;
    if (ZSTD_isError(left) != 0 || (left != 0 && stands)) refuse(path, "the file is damaged");
    body.append(part, 0, out.pos);
  }
  if (in.pos != size) refuse(path, "the file is damaged");
  return body;
}

/// What is different in this run, a line each.
std::string differences(const Head& head, const RunIdentity& run) {
  std::string text;
  if (head.program != run.program) text += "\n  it is of another program";
  if (head.work != run.work) text += "\n  it is of other input files or other options of the work";
  std::map<std::string, const Head::Parameter*> saved;
  for (const Head::Parameter& parameter : head.machine) saved[parameter.key] = &parameter;
  for (const config::EffectiveValue& here : run.machine) {
    if (is_of_the_run(here.key)) continue;
    const auto found = saved.find(here.key);
    const Head::Parameter* const there = found == saved.end() ? nullptr : found->second;
    if (found != saved.end()) saved.erase(found);
    if (here.timing && head.fast)
      continue;  // no program sees it, and the fast mode, which wrote the state, has none of it
    if (there == nullptr)
      text += fmt::format("\n  {} is {} here and missing in the checkpoint", here.key, here.text);
    else if (there->text != here.text)
      text += fmt::format("\n  {0} is {1} in the checkpoint and {2} here: --set {0}={1}", here.key,
                          there->text, here.text);
  }
  for (const auto& [key, parameter] : saved)
    if (!is_of_the_run(key) && !(parameter->timing && head.fast))
      text += fmt::format("\n  {} is {} in the checkpoint and missing here", key, parameter->text);
  return text;
}

}  // namespace

RunIdentity run_identity(const loader::Program& program, std::vector<config::EffectiveValue> machine,
                         std::string work) {
  return {program.sha1(), std::move(machine), std::move(work), ""};
}

void InputDigest::add(std::uint64_t address, const void* from, std::uint64_t bytes) {
  const std::string content = digest::sha1_text({static_cast<const char*>(from), bytes});
  text_ = digest::sha1_text(fmt::format("{} {} {} {}", text_, address, bytes, content));
}

void write_checkpoint(const std::filesystem::path& path, const RunIdentity& run, session::Session& session) {
  Head head{report::version_text(), run.program, session.fast(), run.inputs, {}, run.work};
  for (const config::EffectiveValue& value : run.machine)
    head.machine.push_back({value.key, value.text, value.timing});
  std::string state = session.save();
  std::ostringstream out;
  base::Checkpoint checkpoint(out);
  checkpoint(head, state);
  std::string file(kMagic);
  file += static_cast<char>(kFormat);
  file += packed(out.str());
  input::write_text(path.string(), file);
}

SavedRun read_checkpoint(const std::string& path, const RunIdentity& run, session::Session& session) {
  const std::vector<unsigned char> file = input::read_file(path, kMostBytes);
  const std::size_t begin = kMagic.size() + 1;
  if (file.size() < begin || !std::equal(kMagic.begin(), kMagic.end(), file.begin()))
    refuse(path, "this is not a checkpoint; --checkpoint writes them");
  if (file[kMagic.size()] != kFormat)
    refuse(path, fmt::format("a checkpoint in format {}; this program reads format {}", file[kMagic.size()],
                             kFormat));
  std::istringstream in(unpacked(path, file.data() + begin, file.size() - begin));
  base::Checkpoint checkpoint(in);
  try {
    Head head;
    std::string state;
    checkpoint(head);
    if (head.version != report::version_text())
      refuse(path, fmt::format("a checkpoint of Spica {}; this is {}, whose blocks may have another state",
                               head.version, report::version_text()));
    if (!head.fast && session.fast())
      refuse(path, "a checkpoint of the cycle mode, which resumes in the cycle mode: leave out --mode fast");
    if (const std::string text = differences(head, run); !text.empty())
      refuse(path, "the checkpoint is of another run:" + text);
    checkpoint(state);
    session.restore(state);
    return {head.fast, head.inputs};
  } catch (const cereal::Exception& error) {
    refuse(path, fmt::format("the file is damaged ({})", error.what()));
  }
}

void check_inputs(const std::string& path, const SavedRun& saved, const InputDigest& inputs) {
  if (saved.inputs == inputs.text()) return;
  refuse(
      path,
      "the checkpoint is of another run: its operands, arguments or launches are not those of this command; give the "
      "same size, seed and input files");
}

Checkpoints::Checkpoints(std::uint64_t every, std::filesystem::path folder, RunIdentity run,
                         session::Session& session)
    : every_(every), folder_(std::move(folder)), run_(std::move(run)), session_(session) {
  session_.save();  // refused before the run, not in it
  make_folder(folder_.string());
  plan(session_.fast() ? session_.machine().warp_instructions() : session_.machine().now());
  if (!session_.fast()) session_.observe(*this);
}

void Checkpoints::plan(std::uint64_t now) {
  next_ = (now / every_ + 1) * every_;
  if (session_.fast()) session_.machine().stop_after(next_ - now);
}

void Checkpoints::write(std::uint64_t now) const {
  write_checkpoint(folder_ / fmt::format("checkpoint-{}.spica", now), run_, session_);
}

void Checkpoints::save_if_due() {
  const std::uint64_t instructions = session_.machine().warp_instructions();
  if (!session_.fast() || instructions < next_) return;
  plan(instructions);
  write(instructions);
}

base::Cycle Checkpoints::next_edge() const { return session_.fast() ? base::kNever : next_; }

void Checkpoints::at_edge(base::Cycle cycle) {
  plan(cycle);
  write(cycle);
}

}  // namespace spica::job
