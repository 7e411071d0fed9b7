#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
#
# What a newcomer does in the first hour, as far as one machine can say: first_hour.sh BUILD [FOLDER]
#
# BUILD is a build folder of looptree with the command line, the libraries, and perhaps the Python package. Each line says what
# is tried; the first that fails ends it. `--short` leaves out what compiles programs: that part is in ./dev test.
set -euo pipefail
build=$(realpath "$1")
source=$(realpath "$(dirname "$0")/..")
short=no
[ "${2:-}" = --short ] && { short=yes; shift; }
work=${2:-$(mktemp -d)}
mkdir -p "$work"
cd "$work"
looptree=$build/looptree

try() { printf '%s\n' "$*"; }
fail() { echo "error: $*" >&2; exit 1; }
# refused CODE FRAGMENT COMMAND...: the command fails so, and says that.
refused() {
  local code=$1 fragment=$2 output status=0
  shift 2
  output=$("$@" 2>&1) || status=$?
  [ "$status" = "$code" ] || fail "expected exit code $code of: $*, found $status: $output"
  [[ $output == *"$fragment"* ]] || fail "expected \"$fragment\" of: $*, found: $output"
}

try "help fits a screen"
"$looptree" --help > help.txt
[ "$(wc -l < help.txt)" -le 40 ] || fail "expected at most 40 lines of --help, found $(wc -l < help.txt)"
"$looptree" --version | grep -q '('

try "near misses are named, with the help of the command that was asked"
refused 2 "did you mean detect?" "$looptree" detetc images
refused 2 "did you mean --vocabulary?" "$looptree" detect images --vocabulery x
refused 2 'looptree detect --help' "$looptree" detect images --vocabulery x
refused 2 "" "$looptree" vocab train nothing -k 1 -o x
refused 1 "found 0" "$looptree" detect demo --calibration 0 1 2 3 --output none
[ ! -e none ] || fail "expected no folder of a run that was refused, found one"

try "a folder of images, with six black ones in front"
"$looptree" world world --frames 150 --width 320 --height 200 > /dev/null
mkdir -p images
cp world/image_0/*.png images/
"$looptree" detect images --vocabulary train --output plain --exclude-recent 37 > plain.txt
grep -q "the camera is not calibrated" plain.txt
mkdir -p black
for i in 0 1 2 3 4 5; do
  { printf 'P5\n320 200\n255\n'; head -c 64000 /dev/zero; } > "black/00_$i.pgm"
done
for image in images/*.png; do cp "$image" "black/01_$(basename "$image")"; done
"$looptree" detect black --output black_run --exclude-recent 37 --vocabulary plain/vocabulary.looptree > /dev/null
cut -d, -f1,2 plain/closures.csv | awk -F, 'NR > 1 {print $1 + 6 "," $2 + 6}' > expected.txt
cut -d, -f1,2 black_run/closures.csv | tail -n +2 > found.txt
cmp expected.txt found.txt || fail "expected every number to be six more, found others"
[ -s found.txt ] || fail "expected closures, found none"

try "live: a pipe, lines of JSON"
cat images/*.png | "$looptree" detect - --vocabulary plain/vocabulary.looptree --exclude-recent 37 --output pipe --json \
  > closures.jsonl 2> pipe.txt
[ "$(wc -l < closures.jsonl)" = "$(wc -l < found.txt)" ] || fail "expected the closures of the folder, found others"
head -1 closures.jsonl | python3 -c 'import json, sys; json.load(sys.stdin)["query"]'

try "a map, a second drive, and a lost camera"
"$looptree" detect images --map street.map --output one --exclude-recent 37 > /dev/null
"$looptree" detect images --map street.map --output two --exclude-recent 37 > /dev/null
[ "$(wc -l < two/map_closures.csv)" -gt 50 ] || fail "expected closures with the first drive, found few"
"$looptree" query street.map images/000040.png --top-k 1 | grep -q 000040.png
refused 1 "expected frames to erase" "$looptree" map erase street.map --frame 99999

try "install, and leave"
cmake --install "$build" --prefix "$work/prefix" > /dev/null
"$work/prefix/bin/looptree" --version > /dev/null
[ -s "$work/prefix/share/man/man1/looptree.1" ]
bash -n "$work/prefix/share/bash-completion/completions/looptree"
if [ $short = no ]; then
  try "a program of one's own, by pkg-config"
  export PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name looptree.pc)")
  g++ -std=c++20 -Wall -Wextra -Wconversion -Wsign-conversion "$source/tests/consumer/main.cpp" -o consumer \
    $(pkg-config --cflags --libs looptree)
  ./consumer > /dev/null
fi

if [ -d "$build/python/looptree" ] && ls "$build"/python/looptree/_core*.so > /dev/null 2>&1; then
  try "Python: black frames, names, a folder that grows"
  PYTHONPATH=$build/python /usr/bin/python3 - <<'PYTHON'
import looptree
sequence = looptree.open_sequence("black")
detector = looptree.LoopDetector(looptree.Vocabulary.load("plain/vocabulary.looptree"), exclude_recent=37)
found = []
for frame in looptree.open_live("black", idle_s=1):
    detection = detector.process(frame.image, name=frame.name)
    if detection.is_closure:
        found.append((detection.frame, detection.match))
        assert sequence.names[detection.match] == detection.match_name
expected = [tuple(map(int, line.split(","))) for line in open("found.txt")]
assert found == expected, (found[:3], expected[:3])
PYTHON
fi
echo "the first hour went well, in $work"
