#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
#
# What a newcomer does in the first hour, as far as one machine can say: first_hour.sh BUILD [--short] [FOLDER]
#
# BUILD is a build folder of looptree with the command line, the libraries, and perhaps the Python package. Each line says what
# is tried; the first that fails ends it. `--short` leaves out what compiles programs or makes packages: that part is in
# ./dev test.
set -euo pipefail
build=$(realpath "$1")
source=$(realpath "$(dirname "$0")/..")
short=no
[ "${2:-}" = --short ] && { short=yes; shift; }
work=${2:-$(mktemp -d)}
mkdir -p "$work"
work=$(realpath "$work")
cd "$work"
looptree=$build/looptree
python=/usr/bin/python3

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
# says FRAGMENT COMMAND...: the command succeeds, and says that.
says() { refused 0 "$@"; }
# detect ARGUMENTS...: quietly, where a tenth of the frames are too recent.
detect() { "$looptree" detect "$@" --exclude-recent 37 > detect.txt || fail "of detect $*: $(cat detect.txt)"; }
# pairs RUN: the closures of a run by their numbers, QUERY,MATCH.
pairs() { tail -n +2 "$1/closures.csv" | cut -d, -f1,2; }
same() { cmp "$1" "$2" || fail "expected $1 and $2 to be the same, found others"; }
sessions() { "$looptree" map info "$1" | grep -c '^session' || true; }

try "help fits a screen, and the essay of replay is in its own"
"$looptree" --help > help.txt
[ "$(wc -l < help.txt)" -le 40 ] || fail "expected at most 40 lines of --help, found $(wc -l < help.txt)"
"$looptree" replay --help > replay.txt
"$looptree" --version | grep -q '('

try "near misses are named, with the help of the command that was asked"
refused 2 "did you mean detect?" "$looptree" detetc images
refused 2 "did you mean info?" "$looptree" map inof street.map
refused 2 "did you mean --vocabulary?" "$looptree" detect images --vocabulery x
refused 2 'looptree detect --help' "$looptree" detect images --vocabulery x
refused 2 "a pattern in quotes" "$looptree" detect images/1.jpg images/2.jpg

try "bad options fail before the work, say what they found, and leave nothing behind"
refused 2 "Value 1 not in range" "$looptree" vocab train nothing -k 1 -o x
refused 2 "Value 1.5 not in range" "$looptree" detect demo --threshold 1.5 --output none
refused 1 "found 0" "$looptree" detect demo --calibration 0 1 2 3 --output none
refused 1 "found" "$looptree" detect demo --calibration nan 1 2 3 --output none
refused 1 "expected all, every:N" "$looptree" detect demo --keyframes sometimes --output none
refused 1 "expected features that a vocabulary comes with" "$looptree" detect demo --features sift --vocabulary box --output none
[ ! -e none ] || fail "expected no folder of a run that was refused, found one"

try "a folder of images, with six black ones in front: CSV and names"
"$looptree" world world --frames 150 --width 320 --height 200 > /dev/null
mkdir -p images
cp world/image_0/*.png images/
refused 1 "--keyframes motion:1,10, found none" "$looptree" detect images --keyframes motion:1,10 --output none
detect images --vocabulary train --output plain
refused 1 "as --features sift makes them" "$looptree" detect images --features sift --vocabulary plain/vocabulary.looptree --output none
[ ! -e none ] || fail "expected no folder of a run that was refused, found one"
grep -q "the camera is not calibrated" detect.txt
grep -q "# no edges" plain/closures.g2o
mkdir -p black
for i in 0 1 2 3 4 5; do
  { printf 'P5\n320 200\n255\n'; head -c 64000 /dev/zero; } > "black/00_$i.pgm"
done
for image in images/*.png; do cp "$image" "black/01_$(basename "$image")"; done
camera=(--calibration $(head -1 world/calib.txt | awk '{print $2, $7, $4, $8}'))
detect black --output black_run --vocabulary plain/vocabulary.looptree "${camera[@]}"
detect images --output calibrated --vocabulary plain/vocabulary.looptree "${camera[@]}"
pairs calibrated | awk -F, '{print $1 + 6 "," $2 + 6}' > expected.txt
pairs black_run > found.txt
[ -s found.txt ] || fail "expected closures, found none"
same expected.txt found.txt
awk -F, 'NR > 1 && $8 != sprintf("\"01_%06d.png\"", $1 - 6) {exit 1}' black_run/closures.csv ||
  fail "expected the names of images in closures.csv, found others"
try "... and g2o: edges between the same frames, six later"
awk '/^EDGE/ {print $2 + 6, $3 + 6}' calibrated/closures.g2o > expected.txt
awk '/^EDGE/ {print $2, $3}' black_run/closures.g2o > found.txt
[ -s found.txt ] || fail "expected edges in closures.g2o, found none"
same expected.txt found.txt

try "what is skipped is said: no images, damaged ones, and sizes that change"
cp -r images mixed
echo notes > mixed/notes.txt
echo broken > mixed/000050.png
cp "$source/docs/pictures/closure.jpg" mixed/000060_large.jpg
detect mixed --output mixed_run --vocabulary plain/vocabulary.looptree 2> mixed.txt
grep -q "1 files of the folder are no images: notes.txt" detect.txt
grep -q "1 images skipped, which could not be read" detect.txt
grep -q "1 images skipped, of another size than the first" detect.txt

try "live: pipes, raw and encoded, lists, patterns, a growing folder; lines of JSON"
pairs plain > expected.txt
cat images/*.png | "$looptree" detect - --vocabulary plain/vocabulary.looptree --exclude-recent 37 --output pipe --json \
  > closures.jsonl 2> pipe.txt
"$python" -c 'import json, sys
for line in sys.stdin: print(json.loads(line)["query"], json.loads(line)["match"], sep=",")' < closures.jsonl > found.txt
same expected.txt found.txt
ls -d "$PWD"/images/* > drive.txt
detect drive.txt --vocabulary plain/vocabulary.looptree --output list
detect 'images/*.png' --vocabulary plain/vocabulary.looptree --output pattern
for run in pipe list pattern; do
  pairs $run > found.txt
  same expected.txt found.txt
done
mkdir -p inbox
(for image in images/00001*.png; do cp "$image" inbox/; sleep 0.05; done) &
"$looptree" detect inbox --follow --idle 3 --output follow > follow.txt
[ "$(wc -l < follow/frames.csv)" = 11 ] || fail "expected 10 frames of the folder that grew, found $(wc -l < follow/frames.csv)"
for i in 0 1 2 3; do head -c 64000 /dev/zero; done | "$looptree" detect - --size 320x200 --output raw > raw.txt
[ "$(wc -l < raw/frames.csv)" = 5 ] || fail "expected 4 raw frames, found others"

if "$python" -c 'import rosbag, sensor_msgs' 2> /dev/null; then
  try "a bag of ROS 1, written by Debian's tools"
  mkdir -p for_bag
  for i in 00 01 02; do
    head -c 3072 /dev/zero | cat <(printf 'P5\n64 48\n255\n') - > "for_bag/$i.pgm"
    cp images/000000.png "for_bag/$i.png"
  done
  "$python" "$source/tests/dataset/write_bag.py" drive.bag lz4 for_bag
  refused 1 "--topic" "$looptree" detect drive.bag --output bag_none
  "$looptree" detect drive.bag --topic /cam/image_raw --output bag > bag.txt
  [ "$(wc -l < bag/frames.csv)" = 4 ] || fail "expected 3 frames of the bag, found others"
  grep -q '1403636579' bag/frames.csv || fail "expected the stamps of the messages in frames.csv, found others"
  head -c 5000 drive.bag > short.bag
  refused 1 "error: " "$looptree" detect short.bag --topic /cam/image_raw --output bag_none
fi

try "Ctrl-C ends a run, and recall counts what was seen"
status=0
timeout --preserve-status -s INT 4 "$looptree" detect demo --output stopped > stopped.txt 2>&1 || status=$?
[ "$status" = 130 ] || fail "expected exit code 130, found $status: $(cat stopped.txt)"
seen=$(($(wc -l < stopped/frames.csv) - 1))
grep -q "any direction: [0-9]* of [0-9]* frames" stopped.txt || fail "expected recall of what was seen, found $(cat stopped.txt)"
near=$(sed -n 's/^any direction: [0-9]* of \([0-9]*\) frames.*/\1/p' stopped.txt)
[ "$near" -le "$seen" ] || fail "expected recall of at most $seen frames, found $near"

try "a map, a second drive: map_closures.csv, also empty, and bounds"
detect images --map street.map --output one
[ "$(wc -l < one/map_closures.csv)" = 1 ] || fail "expected a header alone in map_closures.csv, found more or less"
detect images --map street.map --thumbnail-width 0 --output two
[ "$(wc -l < two/map_closures.csv)" -gt 50 ] || fail "expected closures with the first drive, found few"
head -1 two/map_closures.csv | grep -q 'query_name,match_number,tx,ty,tz,qx,qy,qz,qw'
detect images --map bounded.map --max-frames 40 --output bounded
"$looptree" map info bounded.map | grep -q '^frames  *40$' || fail "expected 40 frames, found $("$looptree" map info bounded.map)"
try "... a lost camera, and by which number a match was refused"
says "000040.png" "$looptree" query street.map images/000040.png --top-k 1
refused 1 "found the folder images" "$looptree" query street.map images
says "refused: " "$looptree" query street.map images/000040.png --min-inliers 1000
"$looptree" map import posed.map world > /dev/null
says "     taken at " "$looptree" query posed.map images/000040.png --top-k 1
try "... closures across sessions, drawn when the images are gone"
says " with earlier sessions, drawn to" "$looptree" show two
mv images away
says " of session 0: " "$looptree" show one 40 40 --map
refused 1 "a run with --map keeps small images" "$looptree" show two 40 40 --map
mv away images
says " of session 0: " "$looptree" show two 40 40 --map
try "... what fails leaves no session, and what erases nothing says so"
refused 1 "leave --vocabulary out" "$looptree" detect images --map street.map --vocabulary plain/vocabulary.looptree --output none
refused 1 "found nothing there" "$looptree" detect nowhere --map street.map --output none
[ ! -e none ] || fail "expected no folder of a run that was refused, found one"
[ "$(sessions street.map)" = 2 ] || fail "expected two sessions, found $(sessions street.map)"
refused 1 "expected frames to erase" "$looptree" map erase street.map --frame 99999
says "150 frames erased" "$looptree" map erase street.map --session 0

if [ "$(id -u)" = 0 ] && mkdir -p full && mount -t tmpfs -o size=1m tmpfs full 2> /dev/null; then
  try "a full disk: which file, and how much is free"
  status=0
  head -c 1020000 /dev/zero > full/ballast
  "$looptree" detect images --vocabulary plain/vocabulary.looptree --output full/run > full.txt 2>&1 || status=$?
  umount full
  [ "$status" = 1 ] || fail "expected exit code 1 on a full disk, found $status: $(cat full.txt)"
  grep -q "full/run/.*free there" full.txt || fail "expected the file and what is free, found: $(cat full.txt)"
fi

try "install, and leave"
cmake --install "$build" --prefix "$work/prefix" > install.txt
"$work/prefix/bin/looptree" --version > /dev/null
[ -s "$work/prefix/share/man/man1/looptree.1" ]
bash -n "$work/prefix/share/bash-completion/completions/looptree"
for file in share/zsh/site-functions/_looptree share/fish/vendor_completions.d/looptree.fish; do
  [ -s "$work/prefix/$file" ] || fail "expected $file, found none"
done
"$python" "$source/tests/check_packaging.py" > /dev/null

if [ -d "$build/python/looptree" ] && ls "$build"/python/looptree/_core*.so > /dev/null 2>&1; then
  try "Python: black frames, names, a folder that grows, empty answers, slices, pickles, tuples"
  pairs black_run > expected.txt
  PYTHONPATH=$build/python "$python" - ${camera[@]:1} <<'PYTHON'
import pickle
import sys
import numpy as np
import looptree
sequence = looptree.open_sequence("black")
vocabulary = looptree.Vocabulary.load("plain/vocabulary.looptree")
camera = tuple(float(number) for number in sys.argv[1:])
detector = looptree.LoopDetector(vocabulary, exclude_recent=37, calibration=camera)
found = []
for frame in looptree.open_live("black", idle_s=1):
    detection = detector.process(frame.image, name=frame.name)
    if detection.is_closure:
        found.append((detection.frame, detection.match))
        assert sequence.names[detection.match] == detection.match_name
expected = [tuple(map(int, line.split(","))) for line in open("expected.txt")]
assert found == expected, (found[:3], expected[:3])
assert detector.process(np.zeros((200, 320), np.uint8)).decision == "no features"
assert sequence[-1].name == sequence.names[-1] and len(sequence[6:9]) == 3
image = looptree.FeatureExtractor().extract(sequence[9].image)
histogram = vocabulary.histogram(image.descriptors)
assert pickle.loads(pickle.dumps(histogram)) == histogram
assert pickle.loads(pickle.dumps(vocabulary)) == vocabulary
index = looptree.PooledIndex(vocabulary)
index.insert_batch([histogram] * 5)
assert [match.frame for match in index.query(histogram)[1:3]] == [1, 2]
PYTHON
  PYTHONPATH=$build/python "$python" "$source/examples/python/detect_on_a_folder.py" images > /dev/null
fi

corridor=$source/../shared/data/rtabmap_corridor
if [ -d "$corridor" ]; then
  try "a folder of 84 JPEGs, without a flag"
  "$looptree" detect "$corridor" --output corridor > corridor.txt
  grep -Eq '(3[0-9]) of \1 closures right' corridor.txt || fail "expected 30 right closures and no wrong one, found $(cat corridor.txt)"
fi
[ $short = yes ] && { echo "the first hour went well, in $work"; exit; }

try "programs of one's own, a component each, by pkg-config and under every warning"
export PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name looptree.pc)")
strict=(-std=c++20 -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror)
for component in "" store evaluate graph vision; do
  name=looptree${component:+-$component}
  pkg-config --exists "$name" 2> /dev/null || continue
  g++ "${strict[@]}" "$source/tests/consumer/${component:-main}.cpp" -o "$name" $(pkg-config --cflags --libs "$name")
  "./$name" > /dev/null
done

try "an index alone, of Highway, zlib and xxHash"
cmake -S "$source" -B index_only -G Ninja -DCMAKE_PREFIX_PATH=/nowhere > /dev/null
begin=$(date +%s)
cmake --build index_only > /dev/null
echo "... in $(($(date +%s) - begin)) s on $(nproc) cores"

try "every CMake option of README's table is one"
for option in $(grep -o '`LOOPTREE_[A-Z_]*`' "$source/README.md" | tr -d '`' | sort -u); do
  grep -qr "option($option\|$option" "$source/CMakeLists.txt" "$source/looptree/CMakeLists.txt" || fail "expected an option $option, found none"
done

if command -v dpkg-shlibdeps > /dev/null && command -v cpack > /dev/null; then
  try "Debian packages, installed and removed"
  (cd "$build" && cpack -G DEB -B "$work/packages" > /dev/null)
  if [ "$(id -u)" = 0 ]; then
    mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates
    touch root/var/lib/dpkg/status
    dpkg --root="$work/root" --force-depends --log=dpkg.log -i packages/*.deb > /dev/null 2>&1
    root/usr/bin/looptree detect images --output packaged > /dev/null
    if [ -d root/usr/lib/python3/dist-packages/looptree ]; then
      PYTHONPATH=root/usr/lib/python3/dist-packages "$python" -c 'import looptree; looptree.LoopDetector()'
    fi
    for deb in packages/*.deb; do dpkg-deb -f "$deb" Package; done |
      xargs dpkg --root="$work/root" --force-depends --log=dpkg.log -P > /dev/null 2>&1
    left=$(find root -path 'root/usr/*' -type f | wc -l)
    [ "$left" = 0 ] || fail "expected nothing of the packages after they were removed, found $left files"
  fi
fi

try "a wheel, in an environment without a compiler"
(cd "$source" && ./dev wheel) > wheel.txt
wheel=$source/$(tail -1 wheel.txt)
"$python" -m venv --system-site-packages venv
PATH=$work/venv/bin pip install --no-index --no-deps "$wheel" > /dev/null
PATH=$work/venv/bin python -c 'import looptree; assert len(looptree.box_vocabulary("orb")) == 10000'
echo "the first hour went well, in $work"
