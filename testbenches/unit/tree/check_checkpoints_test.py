#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A member that is left out of a checkpoint is reported, and nothing else."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[3] / "platform/tools/check_checkpoints.py"
BLOCK = """
class Block final : public base::Component {
 public:
  explicit Block(unsigned lanes) : lanes_(lanes) {}
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  struct Item {
    unsigned slot = 0;  // saved field by field
  };
  class Part {
   public:
    template <class Archive>
    void serialize(Archive& archive) {
      archive(PART);
    }

   private:
    unsigned first_ = 0, second_ = 0;
  };
  const unsigned lanes_;
  base::Clock& clock_;
  protocol::ResponseHandler* handler_ = nullptr;
  base::BoundedQueue<Item> queue_;
  std::array<std::pair<unsigned, Item>, 4> items_{};
  // Not saved: cache_, which is filled again.
  std::vector<unsigned> cache_;
  Part part_;
};
"""
TIMING = "bool Block::timing(base::Checkpoint& checkpoint) {\n  checkpoint(BLOCK);\n  return true;\n}\n"


class Check(unittest.TestCase):
    def found(self, block, part):
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root, "models", "block")
            folder.mkdir(parents=True)
            (folder / "block.h").write_text(BLOCK.replace("PART", part))
            (folder / "block.cpp").write_text(TIMING.replace("BLOCK", block))
            result = subprocess.run([sys.executable, "-B", TOOL, root], capture_output=True, text=True)
            self.assertEqual(result.returncode, 1 if result.stdout else 0, result.stderr)
            return [line.split()[1] for line in result.stdout.splitlines()]

    def test_nothing_is_missing(self):
        self.assertEqual(self.found("queue_, items_, part_", "first_, second_"), [])

    def test_each_missing_member_is_named(self):
        self.assertEqual(self.found("items_, part_", "first_, second_"), ["Block::queue_"])
        self.assertEqual(self.found("queue_, part_", "first_, second_"), ["Block::items_"])
        self.assertEqual(self.found("queue_, items_, part_", "first_"), ["Part::second_"])


if __name__ == "__main__":
    unittest.main()
