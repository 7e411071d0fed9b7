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
        link = f"[picture](pictures/{picture}.svg)" if known and picture in self.pictures else ""
        self.rows.append([text, verdict, shown(*values) if known else "-", link])

    def get(self, run, variant, metric):
        return self.results.get(run, variant, metric)


def curves(claims):
    get = claims.get
    for pooling in ("sum", "max"):
        names = [(f"sweep_{size}", f"d2b{b}-{pooling}") for size in ("10k", "1m") for b in (4, 8, 16)]
        claims.add(f"{pooling} pooling has exactly the baseline's precision and recall", [get(run, variant, "same_answers") for run, variant in names],
                   lambda *a: min(a) == 1, lambda *a: f"{100 * min(a):.2f}% of the answers are the same, worst of six trees")
        found = [get(f"table1_05_{size}", f"d2b16-{pooling}", "hits_kept") for size in ("10k", "1m")]
        claims.add(f"and keeps every match of KITTI 05's positive queries ({pooling})", found, lambda *a: min(a) == 1,
                   lambda *a: f"{100 * min(a):.2f}% of d1's matches, 10K and 1M words")
    against = lambda a, d: f"average precision {a:.3f} against {d:.3f}"
    ap = lambda run, variant: get(run, variant, "average_precision")
    for run, where in (("curves_10k", "KITTI 00"), ("curves_05_10k", "KITTI 05")):
        for b in (4, 8):
            claims.add(f"d2b{b}-mean: curve nearly identical (to 0.02), {where}, 10K words", [ap(run, f"d2b{b}-mean"), ap(run, "d1")],
                       lambda a, d: d - a < 0.02, against, "curves_10k")
        claims.add(f"d2b16-mean is slightly worse (by less than 0.1), {where}", [ap(run, "d2b16-mean"), ap(run, "d1")],
                   lambda a, d: 0 < d - a < 0.1, against, "curves_10k")
    claims.add("mean pooling is not ideal with 1M words (a loss of 0.05, and more than at 10K)",
               [ap("curves_1m", "d2b16-mean"), ap("curves_1m", "d1"), ap("curves_10k", "d2b16-mean"), ap("curves_10k", "d1")],
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


DRIVING = (("KITTI 00", "adaptive_kitti00"), ("before its first loop", "adaptive_once"))
EXCITING = tuple((f"fr1_{name}", f"adaptive_tum_{name}") for name in experiments.EXCITING)


def grouping(claims):
    """Each claim on several sequences: regular groups beside another kind."""
    def compare(text, other, runs, holds, more=lambda run: ""):
        cases = [(title, run, [claims.get(run, v, m) for v in ("regular", other) for m in ("mean_ms", "recall")]) for title, run in runs]
        cases = [(title, run, values) for title, run, values in cases if None not in values]
        held = sum(holds(*values) for _, _, values in cases)
        verdict = "not measured" if not cases else "**confirmed**" if held == len(cases) else f"on {held} of {len(cases)}" if held else "not confirmed"
        shown = "; ".join(f"{title}: {b:.3f} against {r:.3f} at {t / a:.2f}x the speed{more(run)}" for title, run, (t, r, a, b) in cases)
        link = "[picture](pictures/groups_recall.svg)" if cases and "groups_recall" in claims.pictures else ""
        claims.rows.append([text, verdict, f"recall against regular groups': {shown}" if cases else "-", link])

    marginal = lambda t, r, a, b: t / a < 1.2 and b - r < 0.05
    compare("adaptive groups bring marginal gains on driving (below 1.2x, 0.05 of recall)", "adaptive", DRIVING, marginal)
    compare("so do groups by parallax", "parallax", DRIVING, marginal)
    compare("adaptive groups win with exciting motion (in this order)", "adaptive", EXCITING, lambda t, r, a, b: b - r > 0.01 or t / a > 1.05)
    for name, title in (("bottleneck", "information bottleneck"), ("ward", "Ward")):
        cost = lambda run: (f", built in {claims.get(run, name, 'build_s'):.2g} s, the largest of {claims.get(run, name, 'largest_group'):.0f} frames"
                            if claims.get(run, name, "build_s") is not None else "")
        compare(f"abstract: regular groups work as well (to 0.05 of recall) as agglomerative ones, at a fraction of the cost: {title}", name,
                DRIVING + EXCITING, lambda t, r, a, b: b - r < 0.05, cost)


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
