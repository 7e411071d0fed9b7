# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The network of looptree's learned features, as it is trained.

A grey image becomes a score for every pixel (is it a keypoint?) and 64 numbers for every 8 x 8 pixels, from
which 256 bits are read off at the keypoints. What runs in C++ is this network in whole numbers: activations
0..127, weights -127..127. Training rounds in the same places, so that nothing is lost when it is exported;
docs/formats/network.md has the arithmetic.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

TOP = 4.0  # the activation that the highest level, 127, stands for
STEP = TOP / 127
INPUT_ZERO, INPUT_STEP = 64, 1 / 24
CELL = 32  # pixels; light is normalised over 3 x 3 cells
BITS = 256


class Rounded(torch.autograd.Function):
    """Rounds forward; backward it is not there."""

    @staticmethod
    def forward(_, x):
        return torch.round(x)

    @staticmethod
    def backward(_, slope):
        return slope


def normalize_light(grey):
    """Grey images of whole levels [n, 1, h, w], h and w multiples of CELL, to network input in steps of INPUT_STEP.

    Every pixel is compared with the mean and the deviation of its surroundings, so that a shadow's inside
    is as rich as what lies in the sun.
    """
    window = lambda t: F.avg_pool2d(t, 3, 1, 1, count_include_pad=False)
    mean = window(F.avg_pool2d(grey, CELL))
    deviation = (window(F.avg_pool2d(grey * grey, CELL)) - mean * mean).clamp(min=0).sqrt()
    spread = lambda t: F.interpolate(t, size=grey.shape[2:], mode="bilinear", align_corners=False)
    x = (grey - spread(mean)) * spread(24 / (deviation + 4))
    return torch.round(x).clamp(-INPUT_ZERO, 127 - INPUT_ZERO) * INPUT_STEP


class Layer(nn.Module):
    """Convolution, normalisation over the batch, and activations clipped and rounded to 128 levels.

    Once `frozen`, the normalisation is part of the weights, which are rounded to 255 levels, too.
    """

    def __init__(self, inputs, outputs, size=3, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.frozen = False

    def folded(self):
        gain = self.norm.weight / torch.sqrt(self.norm.running_var + self.norm.eps)
        return self.conv.weight * gain[:, None, None, None], self.norm.bias - self.norm.running_mean * gain

    def forward(self, x):
        if self.frozen:
            weight, bias = self.folded()
            x = F.conv2d(x, rounded_weights(weight)[0], bias, self.conv.stride, self.conv.padding)
        else:
            x = self.norm(self.conv(x))
        return Rounded.apply(x.float().clamp(0, TOP) / STEP) * STEP


def rounded_weights(weight, per_output=True):
    """Weights on a grid of 255 levels, and its step: one per output, or one for all."""
    dims = tuple(range(1, weight.dim())) if per_output else tuple(range(weight.dim()))
    step = (weight.detach().abs().amax(dims, keepdim=True) / 127).clamp(min=1e-12)
    return Rounded.apply(weight / step).clamp(-127, 127) * step, step


class Head(nn.Module):
    """A last layer, which gives sums, not activations."""

    def __init__(self, inputs, outputs, per_output):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) / inputs**0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.per_output = per_output
        self.frozen = False

    def forward(self, x):  # [..., inputs]
        weight = rounded_weights(self.weight, self.per_output)[0] if self.frozen else self.weight
        return F.linear(x, weight, self.bias)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.a1, self.a2, self.a3 = Layer(1, 16, stride=2), Layer(16, 32, stride=2), Layer(32, 32)
        self.b1, self.b2 = Layer(32, 64, stride=2), Layer(64, 64)
        self.c1, self.c2, self.cp = Layer(64, 96, stride=2), Layer(96, 96), Layer(96, 64, size=1)
        self.d1, self.d2, self.d3 = Layer(96, 128, stride=2), Layer(128, 128), Layer(128, 128)
        self.dp = Layer(128, 64, size=1)
        self.f = Layer(64, 64)
        self.k1a = Layer(192, 64, size=1)
        self.k1b = Head(64, 64, per_output=False)
        self.desc = Head(64, BITS, per_output=True)
        nn.init.constant_(self.k1b.bias, -4.0)  # keypoints are rare

    def average_slowly(self):
        """The averages over batches, which freeze() makes part of the weights, become those of many batches."""
        for part in self.modules():
            if isinstance(part, nn.BatchNorm2d):
                part.momentum = 0.01

    def freeze(self):
        for part in self.modules():
            if isinstance(part, (Layer, Head)):
                part.frozen = True
        return self

    def forward(self, grey):
        """Grey levels [n, 1, h, w] to scores [n, h, w] (log-odds) and the map of descriptors [n, 64, h/8, w/8]."""
        a = self.a3(self.a2(self.a1(normalize_light(grey))))
        b = self.b2(self.b1(a))
        c = self.c2(self.c1(b))
        d = self.d3(self.d2(self.d1(c)))
        up = lambda t: F.interpolate(t, size=b.shape[2:], mode="bilinear", align_corners=False)
        described = self.f((b + up(self.cp(c)) + up(self.dp(d))).clamp(max=TOP))
        fine = F.pixel_unshuffle(a, 2)  # channel, dy, dx; the exporter turns it into dy, dx, channel
        hidden = self.k1a(torch.cat([fine, described], 1))
        logits = self.k1b(hidden.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return F.pixel_shuffle(logits.float(), 8)[:, 0], described

    def describe(self, described, points, height, width):
        """256 numbers whose signs are the bits, at points [n, k, 2] (x, y in pixels)."""
        grid = torch.stack([2 * (points[..., 0] + 0.5) / width - 1, 2 * (points[..., 1] + 0.5) / height - 1], -1)
        at = F.grid_sample(described.float(), grid[:, :, None], align_corners=False, padding_mode="border")
        return self.desc(at[..., 0].transpose(1, 2))


def bits(numbers):
    """Plus or minus one by sign; backward as tanh. Scaled so that a product of two is a cosine."""
    soft = torch.tanh(numbers)
    hard = torch.where(numbers >= 0, 1.0, -1.0)
    return (hard + soft - soft.detach()) / numbers.shape[-1] ** 0.5


def local_maxima(scores, radius=2):
    """Scores where they are the highest of their surroundings, far below zero elsewhere."""
    highest = F.max_pool2d(scores[:, None], 2 * radius + 1, 1, radius)[:, 0]
    kept = torch.where(scores == highest, scores, torch.full_like(scores, -1e4))
    edge = 8
    inside = torch.zeros_like(kept, dtype=torch.bool)
    inside[:, edge:-edge, edge:-edge] = True
    return torch.where(inside, kept, torch.full_like(kept, -1e4))


def strongest(scores, count):
    """The `count` highest of [n, h, w] as points [n, count, 2] (x, y), and their scores."""
    value, index = scores.flatten(1).topk(count, 1)
    width = scores.shape[2]
    return torch.stack([index % width, index // width], -1).float(), value
