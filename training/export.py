# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Turns a trained network into the whole numbers that looptree runs.

    export.py trained.pt learned.ltnet --name NAME
"""
import argparse

import numpy as np
import torch

from network import INPUT_STEP, INPUT_ZERO, STEP, Head, Layer, Network, rounded_weights

SCORE_UNIT = 256  # scores are log-odds in units of 1/256


def whole(weight, bias, input_step, per_output=True):
    """Weights int8, biases in units of a product, and the value of that unit, per output."""
    on_grid, step = rounded_weights(weight, per_output)
    weights = torch.round(on_grid / step).to(torch.int32)
    unit = step.flatten().double() * input_step
    return weights, torch.round(bias.double() / unit).to(torch.int64), unit.expand(len(weights))


def layers_of(network):
    """Each layer's weights [out][ky][kx][in], biases [out] and scales [out], which heads have not; and the scale of scores."""
    layers = {}
    for name, part in network.named_children():
        if isinstance(part, Layer):
            weight, bias = part.folded()
            weights, bias, unit = whole(weight, bias, INPUT_STEP if name == "a1" else STEP)
            if name == "a1":  # its input counts from INPUT_ZERO, as does what surrounds the image
                bias = bias - INPUT_ZERO * weights.sum((1, 2, 3))
            if name == "k1a":  # of the fine map's four pixels: channel, dy, dx becomes dy, dx, channel
                fine = weights[:, :128].view(-1, 32, 4, 1, 1).transpose(1, 2).reshape(-1, 128, 1, 1)
                weights = torch.cat([fine, weights[:, 128:]], 1)
            scale = unit / STEP
        elif isinstance(part, Head):
            weights, bias, unit = whole(part.weight, part.bias, STEP, part.per_output)
            weights = weights[:, :, None, None]
            scale = None
            if name == "k1b":
                score_scale = float(unit[0] * SCORE_UNIT)
        layers[name] = (weights.permute(0, 2, 3, 1).numpy().astype(np.int8), bias.numpy().astype(np.int32),
                        None if scale is None else scale.numpy().astype(np.float32))
    return layers, score_scale


def main():
    from network_file import write_network

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trained")
    parser.add_argument("output")
    parser.add_argument("--name", default="looptree learned 1")
    parser.add_argument("--threshold", type=float, default=0.0, help="log-odds that a keypoint must reach")
    args = parser.parse_args()
    network = Network()
    network.load_state_dict(torch.load(args.trained, map_location="cpu")["network"])
    with torch.no_grad():
        layers, score_scale = layers_of(network)
    write_network(args.output, args.name, layers, score_scale, round(args.threshold * SCORE_UNIT))


if __name__ == "__main__":
    main()
