# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Writes the weights of the network of learned features: docs/formats/network.md.

    write_network(path, name, layers, score_scale, threshold)
    random_network(path, seed=1, widths={...})      weights without a meaning, for tests
"""

import struct
import sys
import zlib

import numpy as np

MAGIC = b"\x89LTN\r\n\x1a\n"
VERSION = 1
# name, kernel, stride, whether a factor per channel makes bytes of its sums
LAYERS = [
    ("a1", 3, 2, True), ("a2", 3, 2, True), ("a3", 3, 1, True),
    ("b1", 3, 2, True), ("b2", 3, 1, True),
    ("c1", 3, 2, True), ("c2", 3, 1, True), ("cp", 1, 1, True),
    ("d1", 3, 2, True), ("d2", 3, 1, True), ("d3", 3, 1, True), ("dp", 1, 1, True),
    ("f", 3, 1, True),
    ("k1a", 1, 1, True), ("k1b", 1, 1, False), ("desc", 1, 1, False),
]
WIDTHS = {"a1": 16, "a2": 32, "a3": 32, "b1": 64, "b2": 64, "c1": 96, "c2": 96, "cp": 64,
          "d1": 128, "d2": 128, "d3": 128, "dp": 64, "f": 64, "k1a": 64, "k1b": 64, "desc": 256}


def inputs_of(out):
    """Channels into each layer, from the channels out of each."""
    return {"a1": 1, "a2": out["a1"], "a3": out["a2"], "b1": out["a3"], "b2": out["b1"],
            "c1": out["b2"], "c2": out["c1"], "cp": out["c2"], "d1": out["c2"], "d2": out["d1"],
            "d3": out["d2"], "dp": out["d3"], "f": out["b2"], "k1a": 4 * out["a3"] + out["f"],
            "k1b": out["k1a"], "desc": out["f"]}


def check_layer(name, kernel, scaled, inputs, weights, bias, scale):
    """What the reader would refuse is refused here, with the layer's name."""
    out = weights.shape[0]
    assert weights.dtype == np.int8 and weights.shape == (out, kernel, kernel, inputs), (
        f"{name}: expected int8 weights [{out}][{kernel}][{kernel}][{inputs}], "
        f"found {weights.dtype} {weights.shape}")
    assert out % 16 == 0 and 16 <= out <= 256, f"{name}: {out} channels"
    assert weights.min() >= -127, f"{name}: a weight of -128"
    assert bias.dtype == np.int32 and bias.shape == (out,), f"{name}: bias {bias.shape}"
    assert np.abs(bias.astype(np.int64)).max() <= 1 << 30, f"{name}: a bias above 2^30"
    assert (scale is not None) == scaled, f"{name}: scale"
    if scaled:
        assert scale.dtype == np.float32 and scale.shape == (out,), f"{name}: scale {scale.shape}"
        assert np.isfinite(scale).all() and (scale >= 0).all() and (scale < 65536).all(), name


def write_network(path, name, layers, score_scale, threshold):
    """layers[name] = (weights int8 [out][ky][kx][in], bias int32 [out], scale float32 [out] or
    None for k1b and desc). score_scale: from sums of k1b to scores of 1/256 logit. threshold: an
    int, the score that a keypoint must exceed."""
    encoded_name = name.encode()
    assert len(encoded_name) <= 96, "a name of at most 96 bytes"
    assert layers["cp"][0].shape[0] == layers["dp"][0].shape[0] == layers["b2"][0].shape[0]
    assert layers["k1b"][0].shape[0] == 64 and layers["desc"][0].shape[0] == 256
    inputs = inputs_of({key: value[0].shape[0] for key, value in layers.items()})
    body = b""
    for key, kernel, stride, scaled in LAYERS:
        weights, bias, scale = layers[key]
        check_layer(key, kernel, scaled, inputs[key], weights, bias, scale)
        body += struct.pack("<8sBBHHH", key.encode(), kernel, stride, inputs[key],
                            weights.shape[0], 1 if scaled else 0)
        body += np.ascontiguousarray(weights).tobytes() + bias.astype("<i4").tobytes()
        if scaled:
            body += scale.astype("<f4").tobytes()
    head_size = 8 + 4 * 5 + 96
    head = MAGIC + struct.pack("<IIIfi96s", VERSION, head_size + len(body) + 4, len(LAYERS),
                               score_scale, threshold, encoded_name)
    data = head + body
    with open(path, "wb") as file:
        file.write(data + struct.pack("<I", zlib.crc32(data)))


def random_network(path, seed=1, widths=None, name="random", threshold=0):
    """Weights without a meaning that keep the activations of every layer lively."""
    random = np.random.default_rng(seed)
    out = dict(WIDTHS, **(widths or {}))
    inputs = inputs_of(out)
    layers = {}
    for key, kernel, _, scaled in LAYERS:
        count = kernel * kernel * inputs[key]
        weights = random.integers(-127, 128, (out[key], kernel, kernel, inputs[key])).astype(np.int8)
        # The mean of a kernel is taken away, or the sum of all would drown what differs.
        mean = weights.reshape(out[key], -1).mean(axis=1).round().astype(np.int32)
        weights = np.clip(weights.astype(np.int32) - mean[:, None, None, None], -127, 127)
        spread = 73 * 30 * np.sqrt(count)
        bias = random.integers(-int(spread / 2), int(spread / 2) + 1, out[key]).astype(np.int32)
        scale = (random.uniform(30, 60, out[key]) / spread).astype(np.float32) if scaled else None
        layers[key] = (weights.astype(np.int8), bias, scale)
    write_network(path, name, layers, 500 / (73 * 30 * np.sqrt(inputs["k1b"])), threshold)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit("usage: network_file.py FILE [WIDTH]\nA network of random weights; WIDTH channels "
                 "out of every layer that leaves the choice.")
    narrow = {key: int(sys.argv[2]) for key in WIDTHS if key not in ("k1b", "desc")} \
        if len(sys.argv) == 3 else {}
    random_network(sys.argv[1], widths=narrow)
