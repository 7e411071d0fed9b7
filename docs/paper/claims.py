# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The first page of RESULTS.md: the paper's claims one by one, and how each came out here."""
import run as experiments


class Claims:
    def __init__(self, results, pictures):
        self.results = results
        self.pictures = pictures
        self.rows = []

    def add(self, text, values, holds, shown, picture=""):
        """A row: confirmed if `holds`, not measured if one of the values is missing."""
        known = all(value is not None for value in values)
        verdict = ("**confirmed**" if holds(*values) else "not confirmed") if known else "not measured"
        link = f"[picture](pictures/{picture}.svg)" if picture in self.pictures else ""
        self.rows.append([text, verdict, shown(*values) if known else "-", link])

    def get(self, run, variant, metric):
        return self.results.get(run, variant, metric)


def curves(claims):
    get = claims.get
    for pooling in ("sum", "max"):
        names = [(f"sweep_{size}", f"d2b{b}-{pooling}") for size in ("10k", "1m") for b in (4, 8, 16)]
        claims.add(f"{pooling} pooling has exactly the baseline's precision and recall", [get(run, variant, "same_answers") for run, variant in names],
                   lambda *a: min(a) == 1, lambda *a: f"{100 * min(a):.2f}% of the answers are the same, worst of six trees")
    against = lambda a, d: f"average precision {a:.3f} against {d:.3f}"
    ap = lambda run, variant: get(run, variant, "average_precision")
    for run, where in (("sweep_10k", "KITTI 00"), ("sweep_05_10k", "KITTI 05")):
        for b in (4, 8):
            claims.add(f"d2b{b}-mean: curve nearly identical (to 0.02), {where}, 10K words", [ap(run, f"d2b{b}-mean"), ap(run, "d1")],
                       lambda a, d: d - a < 0.02, against, "curves_10k")
        claims.add(f"d2b16-mean is slightly worse (by less than 0.1), {where}", [ap(run, "d2b16-mean"), ap(run, "d1")],
                   lambda a, d: 0 < d - a < 0.1, against, "curves_10k")
    claims.add("mean pooling is not ideal with 1M words (a loss of 0.05, and more than at 10K)",
               [ap("sweep_1m", "d2b16-mean"), ap("sweep_1m", "d1"), ap("sweep_10k", "d2b16-mean"), ap("sweep_10k", "d1")],
               lambda a, d, c, e: d - a > max(0.05, e - c),
               lambda a, d, c, e: f"average precision {a:.3f} against {d:.3f}, a loss of {d - a:.3f}; at 10K words {e - c:.3f}", "curves_1m")


def rates(claims):
    get = claims.get
    rate = lambda size, variant, key="rate_ms_per_1k": get(f"table1_05_{size}", variant, key)
    printed = {"10k": {"mean": 26.00, "sum": 1.25, "max": 1.63}, "1m": {"sum": 2.13, "max": 2.13}}
    for size, words in (("10k", "10K"), ("1m", "1M")):
        for pooling, theirs in printed[size].items():
            claims.add(f"Table 1, overall, {words} words: {pooling} is {theirs} times as fast as an inverted index",
                       [rate(size, "lists"), rate(size, "d1"), rate(size, f"d2b16-{pooling}"), get(f"table1_05_{size}", f"d2b16-{pooling}", "recall"),
                        get(f"table1_05_{size}", "d1", "recall")],
                       lambda lists, d1, own, *_: lists / own > theirs,
                       lambda lists, d1, own, recall, flat: f"{lists / own:.1f}x over lists, the paper's kind of index; **{d1 / own:.2f}x over our d1**; "
                       f"recall {recall:.3f} of {flat:.3f}", "table1")
        claims.add(f"max is faster than sum ({words} words; its slowest pass than the other's fastest)",
                   [rate(size, f"d2b16-{p}", f"rate_ms_per_1k{end}") for p, end in (("max", ""), ("sum", ""), ("max", "_high"), ("sum", "_low"))],
                   lambda a, b, slowest, fastest: slowest < fastest, lambda a, b, *_: f"{b / a:.2f}x: {a:.4f} against {b:.4f} ms per 1k", "table1")
    for size, words in (("10k", "10K"), ("1m", "1M")):
        claims.add(f"the threshold without false alarms on KITTI 00 has none on KITTI 05 either ({words} words; the paper: it need not hold)",
                   [get(f"threshold_{size}", f"left_{size}", key) for key in ("false_alarms", "positives", "recall", "recall_at_full_precision")],
                   lambda alarms, *_: alarms == 0,
                   lambda alarms, revisits, recall, best: f"{alarms:.0f} false alarms on 2,761 frames; recall {recall:.3f} of {revisits:.0f} revisits, {best:.3f} at the "
                   "best threshold of its own")


def grouping(claims):
    get = claims.get
    rows = [("KITTI 00", "adaptive_kitti00"), *((f"TUM fr1_{name}", f"adaptive_tum_{name}") for name in experiments.EXCITING)]
    pair = lambda run, other: [get(run, v, m) for v in ("regular", other) for m in ("mean_ms", "recall")]
    for title, run in rows:
        driving = title == "KITTI 00"
        claims.add("adaptive groups bring marginal gains on driving (below 1.2x, 0.05 of recall)" if driving
                   else f"adaptive groups win where motion is exciting: {title}", pair(run, "adaptive"),
                   (lambda t, r, a, b: t / a < 1.2 and b - r < 0.05) if driving else (lambda t, r, a, b: b - r > 0.01 or t / a > 1.05),
                   lambda t, r, a, b: f"recall {b:.3f} against {r:.3f} of regular groups, at {t / a:.2f}x their speed", "groups_recall")
    for name in ("bottleneck", "ward"):
        for title, run in rows:
            claims.add(f"abstract: regular mean pooling works as well (to 0.05 of recall) as agglomerative groups: {name}, {title}",
                       [*pair(run, name), get(run, name, "build_s"), get(run, name, "largest_group")],
                       lambda t, r, a, b, *_: b - r < 0.05,
                       lambda t, r, a, b, s, most: f"recall {r:.3f} against {b:.3f} in {t / a:.2f}x the time of theirs; building them takes {s:.1f} s, ours none; "
                       f"their largest group has {most:.0f}", "groups_recall")


def rivals(claims):
    get = claims.get
    for run, title in (("fabmap_kitti00", "KITTI 00"), ("corridor", "corridor")):
        claims.add(f"bags of binary words are comparable to FAB-MAP 2.0 (to 0.05) and ten times faster: {title}",
                   [get(run, v, m) for v in ("d1", "fabmap") for m in ("average_precision", "recall_at_full_precision", "mean_ms")],
                   lambda a, _, t, f, __, u: f - a < 0.05 and u / t > 10,
                   lambda a, r, t, f, s, u: f"average precision {a:.3f} against {f:.3f}, recall without a false alarm {r:.3f} against {s:.3f}; {u / t:.0f}x the speed", "fabmap")
    cost = lambda variant: get("ukbench", variant, "mean_ms")
    for baseline, text in (("lists", "the paper's kind of index"), ("d1", "our d1")):
        claims.add(f"random grouping still speeds retrieval up, over {text}",
                   [cost(baseline), *(cost(f"random-{p}") for p in ("mean", "sum", "max")),
                    *(get("ukbench", f"random-{p}", "score") for p in ("mean", "sum", "max")), get("ukbench", baseline, "score")],
                   lambda base, a, b, c, *_: base / max(a, b, c) > 1,
                   lambda base, a, b, c, x, y, z, s: f"mean {base / a:.2f}x, sum {base / b:.2f}x, max {base / c:.2f}x; scores {x:.2f}, {y:.2f}, {z:.2f} against {s:.2f}")


def rows(results, pictures):
    claims = Claims(results, pictures)
    for part in (curves, rates, grouping, rivals):
        part(claims)
    return claims.rows
