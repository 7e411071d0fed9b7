# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Judges a trained network on two drives through one place, quickly and on the GPU; `looptree eval sessions` has the last word.

    judge.py trained.pt drives.npz --vocabulary-images images.npz

drives.npz holds JPEG bytes of the reference and the query drive and the true reference of every query. Prints how often the
true place is the best by score of a bag of words and among the best 20, with a vocabulary of the place and one of the
training images, and how many correspondences true and wrong pairs share.
"""
import argparse
import io

import numpy as np
import torch
import torch.nn.functional as F

from network import Network, bits, local_maxima, strongest

WORDS = 10000


def images_of(packed, name):
    from PIL import Image

    data, offsets = packed[name + "bytes"], packed[name + "offsets"]
    for i in range(len(offsets) - 1):
        yield np.array(Image.open(io.BytesIO(data[offsets[i]:offsets[i + 1]].tobytes())).convert("L"))


@torch.no_grad()
def features(network, image, count, device):
    height, width = (s // 32 * 32 for s in image.shape)
    if min(height, width) < 128:
        return None
    scores, described = network(torch.from_numpy(image[:height, :width].copy()).float().to(device)[None, None])
    points, value = strongest(local_maxima(scores), count)
    return points[0], bits(network.describe(described, points, height, width))[0]


def cluster(rows, count, rounds=10):
    centres = rows[torch.randperm(len(rows), device=rows.device)[:count]].clone()
    for _ in range(rounds):
        nearest = torch.cat([(part @ centres.T).argmax(1) for part in rows.split(32768)])
        sums = torch.zeros_like(centres).index_add_(0, nearest, rows)
        filled = torch.bincount(nearest, minlength=count) > 0
        centres = torch.where(filled[:, None], torch.where(sums >= 0, 1.0, -1.0) / rows.shape[1] ** 0.5, centres)
    return centres


def histograms(frames, centres, idf=None):
    rows = torch.stack([torch.bincount((d @ centres.T).argmax(1), minlength=len(centres)).float() for _, d in frames])
    if idf is None:
        seen = (rows > 0).sum(0).float()
        idf = torch.where(seen > 0, torch.log(len(frames) / seen.clamp(min=1)), torch.zeros_like(seen))
    rows = rows * idf
    return rows / rows.sum(1, keepdim=True).clamp(min=1e-9), idf


def correspondences(a, b):
    """Mutual nearest neighbours that pass a ratio test of distances."""
    products = a @ b.T
    distance = (1 - products) / 2 * a.shape[1]
    two = distance.topk(2, 1, largest=False)
    back = distance.argmin(0)
    rows = torch.arange(len(a), device=a.device)
    kept = (back[two.indices[:, 0]] == rows) & (two.values[:, 0] < 0.85 * two.values[:, 1])
    return rows[kept], two.indices[kept, 0]


def inliers(a, b, samples=1000, error=2.0):
    """Of the best of many fundamental matrices from eight points."""
    if len(a) < 12:
        return 0
    scale = 320.0
    pa, pb = (torch.cat([(p - scale) / scale, torch.ones(len(p), 1, device=p.device)], 1).double() for p in (a, b))
    pick = torch.randint(0, len(a), (samples, 8), device=a.device)
    rows = (pb[pick][..., :, None] * pa[pick][..., None, :]).reshape(samples, 8, 9)
    _, vectors = torch.linalg.eigh(rows.transpose(1, 2) @ rows)
    u, s, v = torch.linalg.svd(vectors[:, :, 0].reshape(-1, 3, 3))
    s = s * torch.tensor([1.0, 1.0, 0.0], device=s.device, dtype=s.dtype)
    matrix = u @ torch.diag_embed(s) @ v
    la, lb = pa @ matrix.transpose(1, 2), pb @ matrix
    d = (pb * la).sum(-1) ** 2 / (la[..., :2].square().sum(-1) + lb[..., :2].square().sum(-1)).clamp(min=1e-15) * scale**2
    return int((d < error**2).sum(1).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("drives")
    parser.add_argument("--vocabulary-images")
    parser.add_argument("--features", type=int, default=1000)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = Network()
    network.load_state_dict(torch.load(args.network, map_location="cpu")["network"])
    network = network.to(device).eval().freeze()
    torch.manual_seed(0)
    packed = np.load(args.drives)
    drive = lambda name: [features(network, image, args.features, device) for image in images_of(packed, name)]
    reference, query, truth = drive("reference_"), drive("query_"), packed["truth"]  # query -> reference, in packed numbers
    vocabularies = {"of the place": cluster(torch.cat([d for _, d in reference]), WORDS)}
    elsewhere = None
    if args.vocabulary_images:
        elsewhere = [f for f in (features(network, image, 600, device) for image in images_of(np.load(args.vocabulary_images), "")) if f]
        vocabularies["of the training images"] = cluster(torch.cat([d for _, d in elsewhere])[:600000], WORDS)
    for name, centres in vocabularies.items():
        idf = None if elsewhere is None or name == "of the place" else histograms(elsewhere, centres)[1]
        known, idf = histograms(reference, centres, idf)
        asked, _ = histograms(query, centres, idf)
        order = torch.stack([torch.minimum(row[None], known).sum(1) for row in asked]).argsort(1, descending=True)[:, :20].cpu().numpy()
        within = [np.mean([np.any(abs(order[q, :k] - r) <= 3) for q, r in enumerate(truth)]) for k in (1, 5, 20)]
        print(f"vocabulary {name}: true place best {within[0]:.3f}, in the best 5 {within[1]:.3f}, 20 {within[2]:.3f}", flush=True)
    right, wrong, shared = [], [], []
    for q, r in enumerate(truth):
        count = {}
        for j in set(order[q, :10]) | {r}:
            i, m = correspondences(query[q][1], reference[j][1])
            count[j] = inliers(query[q][0][i], reference[j][0][m])
            if j == r:
                shared.append(len(i))
        right.append(max([c for j, c in count.items() if abs(j - r) <= 3], default=0))
        wrong.append(max([c for j, c in count.items() if abs(j - r) > 13], default=0))
    print(f"inliers of true pairs p5 p10 p50 p90 {np.percentile(right, [5, 10, 50, 90]).astype(int)} of {int(np.median(shared))} correspondences, of wrong "
          f"pairs p50 p99 max {np.percentile(wrong, [50, 99, 100]).astype(int)}; more than any wrong one: {np.mean(np.array(right) > max(wrong)):.3f}")


if __name__ == "__main__":
    main()
