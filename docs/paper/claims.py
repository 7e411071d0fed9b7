# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The first page of RESULTS.md: the paper's claims one by one, and how each came out here."""
import results as tables

SIZES = {"10k": "10K words", "1m": "1M words"}
HEAD = ["claim", "found", "numbers", "why not", "picture"]


class Claims:
    def __init__(self, results, pictures):
        self.results = results
        self.pictures = pictures
        self.rows = []

    def get(self, run, variant, metric):
        return self.results.get(run, variant, metric)

    def row(self, text, verdict, shown="-", why="", picture=""):
        link = f"[{picture}](pictures/{picture}.svg)" if picture in self.pictures else ""
        self.rows.append([text, verdict, shown, why, link if shown != "-" else ""])

    def add(self, text, values, holds, shown, why="", picture=""):
        """Confirmed if `holds`, not measured if one of the values is missing. `why` says what a
        claim that does not hold fails on: data, feature, topology or implementation."""
        if any(value is None for value in values):
            self.row(text, "not measured")
            return
        holding = holds(*values)
        reason = "" if holding else why(*values) if callable(why) else why
        self.row(text, "**confirmed**" if holding else "not confirmed", shown(*values), reason,
                 picture)

    def add_cases(self, text, cases, holds, shown, why="", picture=""):
        """One claim of several sequences; `cases`: (title, values) pairs."""
        cases = [(title, values) for title, values in cases if None not in values]
        if not cases:
            self.row(text, "not measured")
            return
        held = sum(holds(*values) for _, values in cases)
        verdict = ("**confirmed**" if held == len(cases) else
                   f"on {held} of {len(cases)}" if held else "not confirmed")
        told = "; ".join(f"{title}: {shown(*values)}" for title, values in cases)
        self.row(text, verdict, told, "" if held == len(cases) else why, picture)


def exactness(claims):
    get = claims.get
    for pooling in ("sum", "max"):
        names = [(f"sweep_{size}", f"d2b{b}-{pooling}") for size in SIZES for b in (4, 8, 16)]
        claims.add(f"{pooling} pooling has exactly the baseline's precision and recall",
                   [get(run, variant, "same_answers") for run, variant in names],
                   lambda *a: min(a) == 1,
                   lambda *a: f"{100 * min(a):.2f}% of the answers are the same, worst of "
                   "six trees")
        claims.add(f"and keeps every match of KITTI 05's positive queries ({pooling})",
                   [get(f"table1_05_{size}", f"d2b16-{pooling}", "hits_kept") for size in SIZES],
                   lambda *a: min(a) == 1,
                   lambda *a: f"{100 * min(a):.2f}% of d1's matches, 10K and 1M words")


def mean_curves(claims):
    ap = lambda run, variant: claims.get(run, variant, "average_precision")
    against = lambda a, d: f"average precision {a:.3f} against {d:.3f}"
    for run, where in (("curves_10k", "KITTI 00"), ("curves_05_10k", "KITTI 05")):
        for b in (4, 8):
            claims.add(f"d2b{b}-mean: curve nearly identical (to 0.02), {where}, 10K words",
                       [ap(run, f"d2b{b}-mean"), ap(run, "d1")], lambda a, d: d - a < 0.02,
                       against, "topology: a mean of more frames scores less than the best of them",
                       run)
        claims.add(f"d2b16-mean is slightly worse (by less than 0.1), {where}, 10K words",
                   [ap(run, "d2b16-mean"), ap(run, "d1")], lambda a, d: 0 < d - a < 0.1, against,
                   lambda a, d: "topology: a mean of 16 scores less than the best of them"
                   if d > a else "data: it is no worse here", run)
    for run, base, where in (("curves_1m", "curves_10k", "KITTI 00"),
                             ("curves_05_1m", "curves_05_10k", "KITTI 05")):
        claims.add(f"mean pooling is not ideal with 1M words, {where} (d2b16: a loss of 0.05, and "
                   "more than at 10K)",
                   [ap(run, "d2b16-mean"), ap(run, "d1"), ap(base, "d2b16-mean"), ap(base, "d1")],
                   lambda a, d, c, e: d - a > max(0.05, e - c),
                   lambda a, d, c, e: f"{against(a, d)}, a loss of {d - a:.3f}; at 10K words "
                   f"{e - c:.3f}", "data: it loses less here than the paper draws", run)


def slack(claims):
    """Not the paper's: what its mean pooling would need to lose next to nothing."""
    for size, words in SIZES.items():
        found = claims.results.metrics(f"slack_{size}")
        enough = [(v["metrics"]["mean_ms"], v["metrics"]["hits_kept"], v["name"])
                  for v in (found or {"variants": []})["variants"]
                  if v["name"] != "d1" and v["metrics"].get("hits_kept", 0) >= 0.99]
        flat = claims.get(f"slack_{size}", "d1", "mean_ms")
        best = min(enough, default=(None, None, None))
        claims.add(f"(ours) mean pooling with slack keeps 99% of the matches in less time than d1, "
                   f"KITTI 00, {words}", [flat, *best] if found else [None],
                   lambda flat, ms, *_: ms < flat,
                   lambda flat, ms, kept, name: f"{name}: {100 * kept:.1f}% in "
                   f"{ms / flat:.2f} times d1's time",
                   "topology: that needs a slack at which most groups are opened", "slack")


def rates(claims):
    rate = lambda size, variant, end="": claims.get(f"table1_05_{size}", variant,
                                                    f"rate_ms_per_1k{end}")
    recall = lambda size, variant: claims.get(f"table1_05_{size}", variant, "recall")
    printed = {"10k": {"mean": 26.00, "sum": 1.25, "max": 1.63}, "1m": {"sum": 2.13, "max": 2.13}}
    for size, words in SIZES.items():
        for pooling, theirs in printed[size].items():
            name = f"d2b16-{pooling}"
            claims.add(f"Table 1, overall, {words}: {pooling} is {theirs:.2f} times as fast as an "
                       "inverted index",
                       [rate(size, "lists"), rate(size, "d1"), rate(size, name),
                        recall(size, name), recall(size, "d1")],
                       lambda lists, d1, own, *_: lists / own > theirs,
                       lambda lists, d1, own, found, flat:
                       f"{lists / own:.1f}x over lists, the paper's kind of index; "
                       f"**{d1 / own:.2f}x over our d1**; recall {found:.3f} of {flat:.3f}",
                       "implementation: the list structure is faster than the paper's", "table1")
        opened = claims.get(f"statistics_{size}", "KITTI 00", "max_b16_survive")
        claims.add(f"max is faster than sum, {words} (its slowest pass than the other's fastest)",
                   [rate(size, "d2b16-max"), rate(size, "d2b16-sum"),
                    rate(size, "d2b16-max", "_high"), rate(size, "d2b16-sum", "_low")],
                   lambda a, b, slowest, fastest: slowest < fastest,
                   lambda a, b, *_: f"{b / a:.2f}x: {a:.4f} against {b:.4f} ms per 1k",
                   "topology: either opens nearly every group of 16"
                   + (f" ({100 * opened:.0f}% with max)" if opened is not None else "")
                   + ", so neither can gain on the other", "table1")


def policy(claims):
    for size, words in SIZES.items():
        metrics = ("false_alarms", "positives", "recall", "recall_at_full_precision")
        claims.add(f"the threshold without false alarms on KITTI 00 has none on KITTI 05 either, "
                   f"{words} (the paper: it need not hold)",
                   [claims.get(f"threshold_{size}", f"left_{size}", key) for key in metrics],
                   lambda alarms, *_: alarms == 0,
                   lambda alarms, revisits, recall, best:
                   f"{alarms:.0f} false alarms on 2,761 frames; recall {recall:.3f} of "
                   f"{revisits:.0f} revisits, {best:.3f} at the best threshold of its own",
                   "data: another drive, other wrong pairs")


def scaling(claims):
    """Figure 3a: is a query twice as dear in twice the map, and does a tree keep its place?"""
    for run, size, variant in (("joined", "10k", "lists"), ("joined", "1m", "lists"),
                               ("scale", "10k", "d1"), ("scale", "1m", "d1")):
        sizes = claims.results.by_size(f"{run}_{size}", variant)
        usable = len(sizes) > 1
        first, last = (sizes[0], sizes[-1]) if usable else ((None, None), (None, None))
        claims.add(f"figure 3a: time grows linearly with the map (to a third), {variant}, "
                   f"{SIZES[size]}", [*first, *last],
                   lambda a, x, b, y: 2 / 3 < (y / b) / (x / a) < 4 / 3,
                   lambda a, x, b, y: f"{1000 * x / a:.3g} ms per 1k of {a:,} frames, "
                   f"{1000 * y / b:.3g} of {b:,}",
                   lambda a, x, b, y: "implementation: a small map lies in the caches"
                   if y / b > x / a else "implementation: a small map shows a query's fixed cost",
                   "scaling")
    for size, words in SIZES.items():
        gain = [tables.ratio(claims.get(f"joined_{size}", base, "rate_ms_per_1k"),
                             claims.get(f"joined_{size}", "d2b16-max", "rate_ms_per_1k"))
                for base in ("lists", "d1")]
        claims.add(f"figure 3a: max pooling is faster on the joined drive, {words}", gain,
                   lambda lists, _: lists > 1,
                   lambda lists, d1: f"{lists:.1f}x over lists, **{d1:.2f}x over our d1**",
                   "implementation", "scaling")


def worth(claims):
    """Is a pooled tree of max or sum worth having beside our own d1?"""
    tried = []
    for run in claims.results.names():
        if not run.startswith(("pays_", "table1_", "joined_", "scale_", "sweep_", "in_the_loop")):
            continue
        flat = claims.get(run, "d1", "mean_ms")
        for entry in claims.results.metrics(run)["variants"]:
            own = entry["metrics"].get("mean_ms")
            if flat and own and entry["name"].endswith(("-max", "-sum")):
                tried.append((flat / own, entry["name"], run))
    best = max(tried, default=(None, None, None))
    claims.add("(ours) a tree of max or sum pooling beats our d1 somewhere",
               [*best, len(tried)] if tried else [None],
               lambda gain, *_: gain > 1.05,
               lambda gain, name, run, count: f"the best of {count} (sizes, vocabularies, "
               f"thresholds, depths): {gain:.2f}x, {name} in `{run}`",
               "implementation: d1 bounds 512 frames at once by the threshold, and reads less to "
               "do it than a tree of the same frames; where a tree skips much, d1 does")


DRIVING = (("KITTI 00", "adaptive_kitti00"), ("before its first loop", "adaptive_once"))


def grouping(claims, exciting):
    moving = tuple((f"fr1_{name}", f"adaptive_tum_{name}") for name in exciting)

    def values(run, kind):
        return [claims.get(run, name, metric) for name in ("regular", kind)
                for metric in ("mean_ms", "recall")]

    def compare(text, kind, runs, holds, why, more=()):
        def shown(t, r, a, b, *rest):
            told = f"{b:.3f} against {r:.3f} at {t / a:.2f}x the speed"
            if rest:
                built, largest, alone = rest
                told += (f", built in {built:.2g} s, largest group {largest:.0f}, "
                         f"{alone:.0f} of one frame")
            return told

        cases = [(title, values(run, kind) + [claims.get(run, kind, key) for key in more])
                 for title, run in runs]
        claims.add_cases(text, cases, lambda *v: holds(*v[:4]), shown, why, "groups_recall")

    marginal = lambda t, r, a, b: t / a < 1.2 and b - r < 0.05
    passes = ("data: a route driven twice; groups by pose hold both passes together, so they must "
              "know the loop beforehand. Before the first loop the gain is marginal")
    compare("adaptive groups bring marginal gains on driving (below 1.2x, 0.05 of recall)",
            "adaptive", DRIVING, marginal, passes)
    compare("so do groups by parallax", "parallax", DRIVING, marginal, passes)
    compare("adaptive groups win with exciting motion (in this order)", "adaptive", moving,
            lambda t, r, a, b: b - r > 0.01 or t / a > 1.05,
            "data: fr1_xyz hardly moves, every group finds everything")
    for kind, title in (("bottleneck", "information bottleneck"), ("ward", "Ward")):
        compare("abstract: regular groups work as well (to 0.05 of recall) as agglomerative ones, "
                f"at a fraction of the cost: {title}", kind, DRIVING + moving,
                lambda t, r, a, b: b - r < 0.05,
                "topology: groups of unequal size; what is a group of its own is always found. The "
                "fraction of the cost holds: regular groups cost nothing to make",
                ("build_s", "largest_group", "groups_of_one"))


def rivals(claims):
    get = claims.get
    for run, title in (("fabmap_kitti00", "KITTI 00"), ("corridor", "corridor")):
        metrics = ("average_precision", "recall_at_full_precision", "mean_ms")
        claims.add("bags of binary words are comparable to FAB-MAP 2.0 (to 0.05) and ten times "
                   f"faster: {title}",
                   [get(run, v, metric) for v in ("d1", "fabmap") for metric in metrics],
                   lambda a, _, t, f, __, u: f - a < 0.05 and u / t > 10,
                   lambda a, r, t, f, s, u: f"average precision {a:.3f} against {f:.3f}, recall "
                   f"without a false alarm {r:.3f} against {s:.3f}; {u / t:.0f}x the speed",
                   "feature: FAB-MAP's model of which words come together finds more", "fabmap")
    whole = get("curves_10k", "d1", "average_precision")
    fewer = [get(f"reduced_{n}", "d1", "average_precision") for n in (5000, 1000)]
    claims.add("fewer words by the information bottleneck are counter-productive (a loss of 0.02), "
               "KITTI 00", [whole, *fewer], lambda all_, a, b: all_ - min(a, b) > 0.02,
               lambda all_, a, b: f"average precision {a:.3f} with 5,000, {b:.3f} with 1,000 of "
               f"10,000 words ({all_:.3f})",
               "feature: words that hardly tell places apart are what is merged")


def running(claims):
    get = claims.get
    for name in ("d2b4-max", "d2b16-max"):
        claims.add(f"in the loop, {name}: no closure is missed", [get("in_the_loop", name,
                                                                      "same_answers")],
                   lambda same: same == 1, lambda same: f"{100 * same:.2f}% of the answers are the "
                   "same on ORB-SLAM2's keyframes of KITTI 00")
    claims.add("in the loop: max pooling takes 65% off the mean query",
               [get("in_the_loop", name, "mean_ms") for name in ("lists", "d1", "d2b4-max")],
               lambda lists, d1, own: 1 - own / lists >= 0.65,
               lambda lists, d1, own: f"{100 * (1 - own / lists):.0f}% off lists ({lists:.2f} to "
               f"{own:.3f} ms); **d1 alone takes {100 * (1 - d1 / lists):.1f}% off**",
               "implementation: of the lists that it is compared with")
    rate = lambda variant: get("keyframes", variant, "rate_ms_per_1k")
    claims.add("Table 2: a tree of all frames beats an inverted index of keyframes (ms per 1k)",
               [rate("keyframes d1"), rate("d2b16-mean")], lambda flat, tree: tree < flat,
               lambda flat, tree: f"{tree:.4f} for d2b16-mean of all frames, {flat:.4f} for d1 of "
               "keyframes", "implementation: d1 bounds blocks of frames, the paper's index none")


def retrieval(claims):
    get = claims.get
    cost = lambda variant: get("ukbench", variant, "mean_ms")
    for baseline, text in (("lists", "the paper's kind of index"), ("d1", "our d1")):
        poolings = [f"random-{pooling}" for pooling in ("mean", "sum", "max")]
        claims.add(f"Table 3, ukbench: random grouping still speeds retrieval up, over {text}",
                   [cost(baseline), *map(cost, poolings),
                    *(get("ukbench", name, "score") for name in (*poolings, baseline))],
                   lambda base, a, b, c, *_: base / max(a, b, c) > 1,
                   lambda base, a, b, c, x, y, z, s: f"mean {base / a:.2f}x, sum {base / b:.2f}x, "
                   f"max {base / c:.2f}x; scores {x:.2f}, {y:.2f}, {z:.2f} against {s:.2f}",
                   "data: 1,000 images are 63 groups, and a beam of 10 in each of two layers opens "
                   "160 frames; d1 scores all 1,000 in less")


def rows(results, pictures, exciting):
    claims = Claims(results, pictures)
    for part in (exactness, mean_curves, slack, rates, policy, scaling, worth):
        part(claims)
    grouping(claims, exciting)
    for part in (rivals, running, retrieval):
        part(claims)
    return claims.rows
