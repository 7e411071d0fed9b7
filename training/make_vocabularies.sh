#!/bin/sh
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
# Makes the vocabularies in the box of the images that collect_images.py packed:
#   training/make_vocabularies.sh images.npz [LOOPTREE]
# Run it from the root of the repository, again whenever the weights of the learned features change. The same images, weights and
# binary give the same files.
set -e
looptree=${2:-build/release/looptree}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 training/unpack_images.py "$1" "$folder"
train() {
  "$looptree" vocab train "$folder"/* --max-features 1000 --max-images 2000 "$@"
}
train --features orb -k 10 -L 4 -o looptree/vocabulary/box/orb.looptree
train --features learned -k 100 -L 2 -o looptree/vocabulary/box/learned.looptree
