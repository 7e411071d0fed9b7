# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Trains the network of looptree's learned features from nothing.

    train.py images.npz --steps 16000 --output trained.pt          # resumes if trained.pt is there

Each step draws pairs of views (views.py), looks for keypoints in the second, and asks two things of the network: that
the bits of a keypoint be nearer to those of the same point in the first view than to any other's (descriptors), and that it
tell beforehand which points will be found again and matched right (scores). The last part of the training rounds
weights as the C++ code does.
"""
import argparse
import math
import os
import time

import torch
import torch.nn.functional as F

from network import Network, bits, local_maxima, strongest
from views import Pairs, Photographs, relight

SIZE = 320  # of a view, in pixels
CORNERS = OWN = 256  # points per view: hand-made corners, and what the network proposes
FREEZE_AT = 0.7  # of the training: from here on weights are rounded
HARD_AT = 0.35  # until here views become harder and harder
SOFT_UNTIL = 0.3  # descriptors are compared as directions first, by their signs from here on
PROPOSE_AT = 0.08  # from here on the network proposes points, and must have matched what it is rewarded for


def corner_strength(clean):
    """Shi and Tomasi's corners [n, h, w], against their surroundings, so that shade has corners too."""
    x = F.avg_pool2d(clean / 255, 3, 1, 1)
    dx = F.pad(x[..., :, 2:] - x[..., :, :-2], (1, 1))
    dy = F.pad(x[..., 2:, :] - x[..., :-2, :], (0, 0, 1, 1))
    a, b, c = (F.avg_pool2d(t, 5, 1, 2) for t in (dx * dx, dx * dy, dy * dy))
    strength = (a + c) / 2 - torch.sqrt(((a - c) / 2) ** 2 + b * b + 1e-12)
    around = F.avg_pool2d(strength, 41, 1, 20)
    return (strength / (around + 2e-5) * (strength > 1e-5))[:, 0]


def at_points(maps, points):
    """Values of [n, h, w] at the pixels nearest to points [n, k, 2]."""
    n, height, width = maps.shape
    x = points[..., 0].round().clamp(0, width - 1).long()
    y = points[..., 1].round().clamp(0, height - 1).long()
    return maps.flatten(1).gather(1, y * width + x)


def marked(points, value, like):
    """A map that holds, at each point's pixel, the largest of its values."""
    n, height, width = like.shape
    x = points[..., 0].round().clamp(0, width - 1).long()
    y = points[..., 1].round().clamp(0, height - 1).long()
    return torch.zeros(n, height * width, device=like.device).scatter_reduce(
        1, y * width + x, value.float(), "amax").view_as(like)


def widened(maps, radius):
    return F.max_pool2d(maps[:, None], 2 * radius + 1, 1, radius)[:, 0]


def propose(corners, scores, progress):
    """Points of the second view to learn from: corners, and the network's own keypoints, a little at random."""
    noisy = local_maxima(corners * torch.exp(0.5 * torch.randn_like(corners)))
    if progress < PROPOSE_AT:
        return strongest(noisy, CORNERS + OWN)[0]
    own = local_maxima(scores + torch.randn_like(scores) * 0.3)
    return torch.cat([strongest(noisy, CORNERS)[0], strongest(own, OWN)[0]], 1)


def descriptor_loss(ours, theirs, points, valid, heat):
    """InfoNCE in both directions; other points of the pair and of another one are the negatives. Also says which
    points were matched right both ways."""
    n, count, _ = ours.shape
    near = torch.cdist(points, points) < 8  # neighbours are no negatives
    near &= ~torch.eye(count, dtype=torch.bool, device=points.device)
    index = torch.arange(count, device=points.device).expand(n, count)
    total, right = 0.0, valid.clone()
    for a, b in ((ours, theirs), (theirs, ours)):
        same = (a @ b.transpose(1, 2) * heat).masked_fill(near | ~valid[:, None, :], -1e4)
        other = a @ b.roll(1, 0).transpose(1, 2) * heat
        logits = torch.cat([same, other], 2)
        total = total + F.cross_entropy(logits[valid], index[valid])
        right &= logits.argmax(2) == index
    return total, right


def score_loss(scores, points, good, bad):
    """Log-odds of being a good keypoint, and within a cell of 8 x 8 the right pixel."""
    positive = marked(points, good, scores)
    failed = marked(points, bad, scores) * (1 - positive)
    beside = widened(positive, 1)
    weight = torch.where(widened(positive, 3) > 0, 4.0, 1.0) * (1 - beside)
    weight[:, :8], weight[:, -8:], weight[:, :, :8], weight[:, :, -8:] = 0, 0, 0, 0
    loss = F.softplus(-scores) * positive, F.softplus(scores) * failed, F.softplus(scores) * weight * (1 - failed)
    over = positive, failed, weight * (1 - failed)
    total = sum(share * part.sum() / amount.sum().clamp(min=1) for share, part, amount in zip((1, 0.5, 1), loss, over))
    cells = F.pixel_unshuffle(positive[:, None], 8).permute(0, 2, 3, 1).reshape(-1, 64)
    logits = F.pixel_unshuffle(scores[:, None], 8).permute(0, 2, 3, 1).reshape(-1, 64)
    alone = cells.sum(1) == 1
    return total + 0.5 * F.cross_entropy(logits[alone], cells[alone].argmax(1)) if alone.any() else total


def step_losses(network, heat, first, second, to_first, progress):
    n = len(first)
    hardness = min(1.0, 0.1 + progress / HARD_AT)
    mixed = torch.cat([relight(first, first.roll(1, 0), hardness), relight(second, second.roll(1, 0), hardness)])
    with torch.autocast(first.device.type, dtype=torch.bfloat16, enabled=first.is_cuda and progress < FREEZE_AT):
        scores, described = network(mixed)
    described = described.float()
    strength = corner_strength(torch.cat([first, second]))
    corners = local_maxima(strength)
    with torch.no_grad():
        points = propose(strength[n:], scores[n:].detach(), progress)
        partner = torch.stack([at_points(to_first[..., i], points) for i in (0, 1)], -1)
        valid = ((partner > 8) & (partner < SIZE - 9)).all(-1)
        # Found again: where it should be in the first view, there is a corner, or a keypoint of the network's.
        has_corner = at_points(widened((corners[:n] > 0.5).float(), 1), partner) > 0
        own = local_maxima(scores[:n].detach())
        level = strongest(own, OWN)[1][:, -1]
        has_own = at_points(widened((own >= level[:, None, None]).float(), 2), partner) > 0
        again = torch.cat([has_corner[:, :CORNERS], (has_own | has_corner)[:, CORNERS:]], 1)
    code = bits if progress >= SOFT_UNTIL else lambda numbers: F.normalize(numbers, dim=-1)
    ours = code(network.describe(described[:n], partner, SIZE, SIZE))
    theirs = code(network.describe(described[n:], points, SIZE, SIZE))
    matching, right = descriptor_loss(ours, theirs, points, valid, heat)
    good = valid & again & (right if progress > PROPOSE_AT else True)
    bad = valid & ~good
    finding = score_loss(scores[:n], partner, good, bad) + score_loss(scores[n:], points, good, bad)
    share = right.float().sum(0) / valid.float().sum(0).clamp(min=1)
    return matching, finding, (share[:CORNERS].mean(), share[CORNERS:].mean(), has_own[:, CORNERS:].float().mean())


def rate(progress):
    return 1.5e-3 * min(1.0, progress / 0.03) * (0.5 + 0.5 * math.cos(math.pi * progress)) + 2e-6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", help="what collect_images.py packed")
    parser.add_argument("--steps", type=int, default=16000)
    parser.add_argument("--batch", type=int, default=32, help="pairs per step")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long; the next run goes on")
    parser.add_argument("--output", default="trained.pt")
    args = parser.parse_args()

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(args.seed)
    pairs = Pairs(Photographs(args.images, device), SIZE)
    network = Network().to(device).to(memory_format=torch.channels_last)
    heat = torch.tensor(math.log(20.0), device=device, requires_grad=True)
    optimizer = torch.optim.AdamW([{"params": network.parameters(), "weight_decay": 1e-4},
                                   {"params": [heat], "weight_decay": 0.0}], lr=1e-3)
    step = 0
    if os.path.exists(args.output):
        saved = torch.load(args.output, map_location=device)
        network.load_state_dict(saved["network"])
        optimizer.load_state_dict(saved["optimizer"])
        heat.data.fill_(saved["heat"])
        step = saved["step"]
        torch.manual_seed(args.seed + step)
    started = time.time()
    while step < args.steps and time.time() - started < args.seconds:
        progress = step / args.steps
        if progress >= FREEZE_AT:
            network.freeze()
        elif progress >= FREEZE_AT - 0.2:
            network.average_slowly()
        for group in optimizer.param_groups:
            group["lr"] = rate(progress)
        first, second, to_first = pairs.draw(args.batch, min(1.0, 0.2 + progress / HARD_AT))
        matching, finding, shares = step_losses(network, heat.exp(), first, second, to_first, progress)
        optimizer.zero_grad(set_to_none=True)
        (matching + finding).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 20.0)
        optimizer.step()
        step += 1
        if step % 500 == 0 or step in (2, 50):
            print(f"step {step}: matching {matching.item():.3f}, finding {finding.item():.3f}, matched right: corners {shares[0].item():.3f}, "
                  f"own {shares[1].item():.3f}; own found again {shares[2].item():.3f}; {(time.time() - started):.0f} s", flush=True)
    torch.save({"network": network.state_dict(), "optimizer": optimizer.state_dict(), "heat": heat.item(), "step": step,
                "steps": args.steps}, args.output)


if __name__ == "__main__":
    main()
