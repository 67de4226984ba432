#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# clang-tidy 19 with the rules of .clang-tidy: on all C++ files, or on those that a commit and its successors changed.
#
#   platform/tools/tidy.sh [--since COMMIT | FILE...] [--seconds N] [--jobs N]
#
# --seconds N: begins no file after N seconds, and lists those that are left. Headers are checked with the files that include
# them, so of a header its source or its test is taken. A file is read with up to seven others of its folder, and so are their
# findings. Configures build/tidy.
# Exit codes: 0 no findings, 1 findings, 2 a wrong argument or something missing.
set -euo pipefail
cd "$(dirname "$0")/../.."

since="" seconds=0 jobs=$(nproc) files=()
while [ $# -gt 0 ]; do
  case $1 in
    --since | --seconds | --jobs)
      [ $# -gt 1 ] || { echo "tidy: $1 takes a value" >&2; exit 2; }
      declare "${1#--}=$2"
      shift
      ;;
    -*) echo "tidy: unknown option $1" >&2; exit 2 ;;
    *) files+=("$1") ;;
  esac
  shift
done
command -v clang-tidy-19 >/dev/null || { echo 'tidy: clang-tidy-19 is missing' >&2; exit 2; }

cmake --preset tidy >/dev/null
# What is compiled, and each source beside it: most are read several at a time, because headers are most of the work.
units=$(python3 -c '
import json, os, re
for entry in json.load(open("build/tidy/compile_commands.json")):
    united = re.findall("#include \"(.*)\"", open(entry["file"]).read()) if "/Unity/" in entry["file"] else [entry["file"]]
    for source in united:
        print(os.path.relpath(entry["file"]), os.path.relpath(source))' | grep -v ' build/' | sort -u)
compiled=$(cut -d ' ' -f 2 <<<"$units" | sort -u)
if [ ${#files[@]} -gt 0 ]; then
  wanted=$(printf '%s\n' "${files[@]}")
elif [ -n "$since" ]; then
  wanted=$(git diff --name-only --diff-filter=d "$since" -- '*.cpp' '*.h')
else
  wanted=$compiled
fi
# Of a header x.h: x.cpp, else a test x_test.cpp, else the first file that includes it.
wanted=$(for file in $wanted; do
  case $file in
    *.h)
      stem=$(basename "$file" .h)
      { printf '%s\n' "$compiled" | grep -x "${file%.h}.cpp" ||
        printf '%s\n' "$compiled" | grep -m 1 "/${stem}_test.cpp$" ||
        git grep -l "\"$file\"" -- '*.cpp' | grep -m 1 -xF "$compiled"; } || true
      ;;
    *) echo "$file" ;;
  esac
done | grep -xF "$compiled" | sort -u) || true
[ -n "$wanted" ] || { echo 'tidy: no files'; exit 0; }

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
export results seconds
# shellcheck disable=SC2016  # expanded by the shell of each file
awk 'NR == FNR { wanted[$1]; next } $2 in wanted { print $1 }' - <(printf '%s\n' "$units") <<<"$wanted" | uniq | xargs -P "$jobs" -I FILE bash -c '
  file=FILE
  if [ "$seconds" -gt 0 ] && [ $(($(date +%s) - '"$(date +%s)"')) -ge "$seconds" ]; then
    echo "$file" >>"$results/left"
  elif clang-tidy-19 -p build/tidy --quiet "--warnings-as-errors=*" "$file" >"$results/$$" 2>"$results/$$.log"; then
    echo "$file" >>"$results/clean"
  else
    echo "$file" >>"$results/found"
    cat "$results/$$"
    # Without a finding, it is clang-tidy that could not read the file.
    grep -q "error:" "$results/$$" || cat "$results/$$.log"
  fi
  rm -f "$results/$$" "$results/$$.log"'
sources() { if [ -f "$results/$1" ]; then awk 'NR == FNR { unit[$1]; next } $1 in unit { print $2 }' "$results/$1" - <<<"$units"; fi | sort -u; }
count() { sources "$1" | wc -l; }
echo "tidy: $(count clean) files without findings, $(count found) with, $(count left) left for want of time"
sources left | sed 's/^/  left: /'
[ ! -f "$results/found" ]
