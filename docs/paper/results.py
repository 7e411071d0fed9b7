# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""RESULTS.md, out of the folders that run.py's experiments left; nothing else goes into it."""
import json

import published


class Results:
    def __init__(self, folder):
        self.folder = folder

    def metrics(self, name):
        path = self.folder / name / "metrics.json"
        return json.loads(path.read_text()) if path.exists() else None

    def config(self, name):
        return json.loads((self.folder / name / "config.json").read_text())

    def get(self, name, variant, metric):
        """A metric, or None where there is none."""
        found = self.metrics(name)
        for entry in (found or {"variants": []})["variants"]:
            if entry["name"] == variant:
                return entry["metrics"].get(metric)
        return None

    def fact(self, name, fact):
        found = self.metrics(name)
        return found["facts"].get(fact) if found else None


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def number(value, digits=4):
    if value is None:
        return "-"
    return str(int(value)) if value == int(value) else f"{value:.{digits}g}"


def times(value):
    return "-" if value is None else f"{value:.2f}x"


def ratio(above, below):
    return above / below if above is not None and below else None


QUALITIES = [("recall", "recall"), ("precision", "precision"), ("average_precision", "AP"), ("score", "score"),
             ("map", "mAP"), ("hits_kept", "hits kept"), ("same_answers", "same answers")]


def ours(results, name):
    """The table of one experiment: quality, then time, then speed-ups against d1 and against lists."""
    variants = results.metrics(name)["variants"]
    has = lambda key: any(key in variant["metrics"] for variant in variants)
    qualities = [pair for pair in QUALITIES if has(pair[0])]
    by_rate = has("rate_ms_per_1k")
    cost = "rate_ms_per_1k" if by_rate else "mean_ms"
    first, lists = results.get(name, "d1", cost), results.get(name, "lists", cost)
    head = ["variant", *(title for _, title in qualities), "mean ms (slowest, fastest pass)"]
    head += ["ms per 1k"] if by_rate else []
    head += ["positive / negative ms per 1k"] if has("positive_rate_ms_per_1k") else []
    head += ["against d1"] + (["against lists"] if lists else [])
    rows = []
    for variant in variants:
        m = variant["metrics"]
        row = [variant["name"], *(number(m.get(key)) for key, _ in qualities)]
        row.append(f"{number(m.get('mean_ms'))} ({number(m.get('mean_ms_high'))}, {number(m.get('mean_ms_low'))})")
        row += [number(m.get("rate_ms_per_1k"))] if by_rate else []
        if has("positive_rate_ms_per_1k"):
            row.append(f"{number(m.get('positive_rate_ms_per_1k'))} / {number(m.get('negative_rate_ms_per_1k'))}")
        row.append(times(ratio(first, m.get(cost))))
        row += [times(ratio(lists, m.get(cost)))] if lists else []
        rows.append(row)
    return table(head, rows)


def policy(results, name):
    """The threshold's table: what it does on every sequence."""
    rows = [[v["name"], *(number(v["metrics"].get(key)) for key in ("positives", "recall", "recall_at_full_precision",
                                                                    "false_alarms"))] for v in results.metrics(name)["variants"]]
    return table(["sequence", "revisits", "recall at the threshold", "most recall without a false alarm", "false alarms"], rows)


def experiment(results, name, title):
    """Its command, facts and table."""
    config, facts = results.config(name), results.metrics(name)["facts"]
    load = results.folder / name / "load.txt"
    known = ", ".join(f"{key.replace('_', ' ')} {number(value)}" for key, value in facts.items())
    if load.exists():
        known += f"; load of the machine when it began {load.read_text().strip()}"
    shown = policy(results, name) if name.startswith("threshold") else ours(results, name)
    return "\n".join([f"**{title}**", "", "```", config["command"], "```", "", known.strip("; ") + ".", "", shown])


def section(results, title, papers, runs, remark, layout, needs, failed):
    """One table or figure: the paper's numbers, ours with their commands, and what to make of it."""
    lines = [f"## {title}", "", "The paper:", ""]
    lines += [paper if isinstance(paper, str) else table(*paper) for paper in papers] + [""]
    done = [(name, text) for name, text in runs if results.metrics(name)]
    for name, text in done:
        lines += [experiment(results, name, text)]
    for name, text in runs:
        if name in failed:
            lines += [f"{text}: failed, {' '.join(failed[name])}", ""]
    if done:
        lines += ["**Where and why they differ.** " + remark, ""]
    missing = ", ".join(text for name, text in runs if not results.metrics(name) and name not in failed)
    if needs is None or needs.exists():
        lines += [f"Not run yet: {missing}; `./dev paper` does.", ""] if missing else []
        lines += [layout, ""] if layout else []
    else:
        lines += [f"Not run: dataset not present. {layout}", ""]
    return "\n".join(lines)


def statistics_section(results):
    lines = ["## The made-up drive beside KITTI 00", "",
             "*Reference*: KITTI 00 as it was measured when the generator was fitted (ORB, a vocabulary of its own).",
             "*KITTI 00*: the same sequence through the vocabulary of this page. *Made up*: the generator.", ""]
    for size, words in (("10k", "10,000 words"), ("1m", "a million words")):
        found = results.metrics(f"statistics_{size}")
        if not found:
            continue
        real, made = (entry["metrics"] for entry in found["variants"][:2])
        rows = [[key.replace("_", " "), number(published.REFERENCE[size].get(key), 3), number(real[key], 3),
                 number(made[key], 3)] for key in real if key != "frames"]
        lines += [f"`{results.config(f'statistics_{size}')['command']}`", "",
                  table([words, "reference", "KITTI 00", "made up"], rows)]
    lines += ["A wrong pair is one farther apart than 15 m and more than 300 frames; postings per frame are words that a "
              "query shares with a frame of the database; the last rows are shares of groups that reach the threshold. "
              "Fitted are words per frame, repetitions, scores of wrong pairs, threshold, recall and postings, as well as one set of "
              "parameters can have them at once: at 10,000 words wrong pairs score a little lower on average than on the real drive, at a "
              "million they share more words of less weight, so that pooled nodes of max prune more. A vocabulary trained on other streets, "
              "as on this page, makes wrong pairs score higher than the reference has them.", ""]
    return "\n".join(lines)


def claim_rows(results):
    rows = []

    def claim(text, values, holds, shown):
        known = all(value is not None for value in values)
        verdict = ("confirmed" if holds(*values) else "not confirmed") if known else "not measured"
        rows.append([text, verdict, shown(*values) if known else "-"])

    get = results.get
    for pooling in ("sum", "max"):
        names = [(f"sweep_{size}", f"d2b{b}-{pooling}") for size in ("10k", "1m") for b in (4, 8, 16)]
        claim(f"{pooling} pooling loses nothing", [get(run, variant, "same_answers") for run, variant in names],
              lambda *a: min(a) == 1, lambda *a: f"{100 * min(a):.2f}% of the answers are the same, worst of six topologies")
    against = lambda a, b: f"average precision {a:.3f} against {b:.3f}"
    ap = lambda size, variant: get(f"sweep_{size}", variant, "average_precision")
    for b in (4, 8):
        claim(f"d2b{b}-mean nearly matches the baseline's curve (to 0.02)", [ap("10k", f"d2b{b}-mean"), ap("10k", "d1")],
              lambda a, d: d - a < 0.02, against)
    claim("d2b16-mean is a little worse (by less than 0.1)", [ap("10k", "d2b16-mean"), ap("10k", "d1")],
          lambda a, d: 0 < d - a < 0.1, against)
    claim("mean pooling suffers at 1M words (by 0.05, and more than at 10K)",
          [ap("1m", "d2b16-mean"), ap("1m", "d1"), ap("10k", "d2b16-mean"), ap("10k", "d1")],
          lambda a, d, c, e: d - a > max(0.05, e - c),
          lambda a, d, c, e: f"average precision {a:.3f} against {d:.3f}, a loss of {d - a:.3f}; at 10K words {e - c:.3f}")
    for size in ("10k", "1m"):
        values = [get(f"joined_{size}", f"d2b16-{p}", m) for m in ("rate_ms_per_1k", "recall") for p in ("max", "sum")]
        values += [get(f"joined_{size}", "d2b16-max", "rate_ms_per_1k_high"), get(f"joined_{size}", "d2b16-sum", "rate_ms_per_1k_low")]
        claim(f"max is faster than sum ({size}; its slowest pass than the other's fastest)", values,
              lambda a, b, c, d, slowest, fastest: slowest < fastest,
              lambda a, b, c, d, *_: f"{b / a:.2f}x: {a:.4f} against {b:.4f} ms per 1k, recall {c:.3f} and {d:.3f}")
    cost = lambda variant: get("ukbench", variant, "mean_ms")
    for baseline, text in (("lists", "the paper's kind of index"), ("d1", "our d1")):
        claim(f"random grouping still speeds retrieval up, against {text}",
              [cost(baseline), *(cost(f"random-{p}") for p in ("mean", "sum", "max")),
               *(get("ukbench", f"random-{p}", "score") for p in ("mean", "sum", "max")), get("ukbench", baseline, "score")],
              lambda base, a, b, c, *_: base / max(a, b, c) > 1,
              lambda base, a, b, c, x, y, z, s: f"mean {base / a:.2f}x, sum {base / b:.2f}x, max {base / c:.2f}x; scores "
              f"{x:.2f}, {y:.2f}, {z:.2f} against {s:.2f}")
    gains = {}
    for run in ("adaptive_kitti00", "adaptive_tum"):
        values = [get(run, v, m) for v in ("regular", "adaptive") for m in ("mean_ms", "recall")]
        if None not in values:
            gains[run] = (values[0] / values[2], values[3] - values[1])
    shown = lambda gain, recall: f"{gain:.2f}x the speed of regular groups, recall {recall:+.3f}"
    claim("adaptive grouping helps little on driving (below 1.2x, 0.05 of recall)", list(gains.get("adaptive_kitti00", [None])),
          lambda gain, recall: gain < 1.2 and recall < 0.05, shown)
    claim("and more with exciting motion",
          [*gains.get("adaptive_tum", [None]), *gains.get("adaptive_kitti00", [None])],
          lambda gain, recall, other, other_recall: gain > max(1, other) or recall > other_recall + 0.01,
          lambda gain, recall, *_: shown(gain, recall))
    return rows


OTHER = ("Our features are ORB (the paper: FAST and BRIEF), the vocabulary is trained on a few hundred images of other "
         "sequences, and our flat index is many times faster than the one the paper measured, which leaves little to gain "
         "over it; `lists`, the structure the paper compared with, shows what the speed-ups were measured against. ")
KITTI = ("Layout for more of it: `DIR/kitti_stereo_excerpts/NN_left.mp4`, `NN_right.mp4`, `NN_poses.txt`, and "
         "`DIR/kitti00/left.mp4`, `poses.txt`; or KITTI's own `NN/image_0/000000.png ...`, `times.txt`, `poses/NN.txt` for "
         "`looptree words`. Only 00 is here as a whole, so the figures' other sequence, 02, is not run.")
TUM = "Layout: `DIR/tum_fr1_rpy/rgb.mp4` (or `rgb/*.png`), `rgb.txt`, `groundtruth.txt`, as TUM hands them out."


def sections(results, data, failed):
    both = lambda stem, text: [(f"{stem}_10k", f"{text}, 10,000 words"), (f"{stem}_1m", f"{text}, a million words")]
    make = lambda *a: section(results, *a, failed)
    yield make("Threshold policy (section 4.1)",
               ["The smallest threshold without a false alarm on KITTI 00 is used everywhere; no number is printed.\n"],
               both("threshold", "KITTI 00, then the excerpts of 02 and 10"),
               "The threshold is chosen on all frames of KITTI 00 and used in every experiment on this page. " + OTHER, KITTI, data / "kitti00")
    yield make("Figures 3 and 4: topologies on KITTI 00",
               ["Drawn, not printed: d2b4-mean and d2b8-mean keep the baseline's curve at 2 to 5 times its speed; d2b16-mean is "
                "slightly worse at ten times; sum and max are exact and, at 10,000 words, slightly slower than the baseline.\n"],
               both("sweep", "KITTI 00"),
               OTHER + "Every tenth frame asks, so recall is of a tenth of the revisits. Mean pooling is measured threshold by "
               "threshold, since it prunes by it.", KITTI, data / "kitti00")
    yield make("Table 1: time-cost rates with synthetic queries",
               [published.TABLE_1["10k"], published.TABLE_1["1m"]],
               [(f"synthetic_{n}_{size}", f"excerpt of KITTI {n}, {size} words") for n in ("02", "10") for size in ("10k", "1m")],
               "201 frames of two sequences stand in for 21 whole ones, and rates over so short a database are mostly the fixed "
               "cost of a query; the joined drive below is longer. Their vocabulary was trained on these very images. " + OTHER,
               KITTI, data / "kitti_stereo_excerpts")
    yield make("Figure 2a: concatenated sequences",
               ["Drawn, not printed: time grows linearly up to 40,000 images, and the speed-up holds.\n"],
               both("joined", "KITTI 00, 02 and 10 joined") + both("scale", "made-up drive"),
               "All real frames there are make 4,943, of which odd ones are inserted and even ones ask, with TUM's desk as negative "
               "queries; a made-up drive with the statistics of KITTI 00 goes on to 40,000, and with `--long` to a million. " + OTHER, KITTI, data / "kitti00")
    million = [(f"scale_{size}_long", f"a million frames, {size} words") for size in ("10k", "1m")]
    if any(results.metrics(name) for name, _ in million):
        yield make("Beyond figure 2a: a million frames", ["Nothing of this size.\n"], million, "Nothing to compare with.", "", None)
    yield make("Figure 2b and section 4.2: in the loop", [published.IN_THE_LOOP],
               [("in_the_loop", "ORB-SLAM2's keyframes of KITTI 00, 100,000 words")],
               "The keyframes are those that a real ORB-SLAM2 inserted, in its order; `same answers` of 1 says that no closure "
               "changed. The paper's 5.80 ms are ORB-SLAM's own index inside the running system; `lists` is built like it. " + OTHER,
               "Layout: `DIR/orbslam2/kitti00_mono.trace.gz`, `DIR/kitti00/poses.txt`.", data / "orbslam2")
    yield make("Table 2: keyframes", [published.TABLE_2_KITTI], [("keyframes", "KITTI 00, keyframes by motion (2 m, 10 degrees)")],
               "One sequence instead of 21, and keyframes by motion instead of ORB-SLAM's. The rate is per thousand images held, so "
               "keyframes do not lower it, they lower how many are held: compare mean ms. " + OTHER, KITTI, data / "kitti00")
    present = [name for name in ("oxford_city_centre", "oxford_new_college") if results.metrics(name)]
    runs = [(name, name.replace("_", " ")) for name in present] or [("oxford_demo", "the rendered street of `looptree demo`, by Oxford's rule")]
    layout = ("" if present else "Layout: `DIR/city_centre/Images/0001.jpg ...` (odd: left, even: right), "
              "`DIR/city_centre/CityCentreTextFormat.txt` (the matrix of loops), likewise `DIR/new_college`. The same code is tested "
              "on small made data in that layout (`tests/cli/eval_test.cpp`, `tests/dataset/readers_test.cpp`).")
    yield make("Table 2: Oxford", [published.TABLE_2_OXFORD], runs,
               "A rendered street stands in; only the protocol is Oxford's: odd frames are the database, even ones ask, KITTI 00 "
               "gives the negative queries. Its numbers say nothing of Oxford. ", layout, data / "city_centre")
    yield make("Figure 5 and section 4.4: adaptive grouping",
               ["Drawn, not printed: marginal gains on driving, more with exciting motion.\n"],
               [("adaptive_kitti00", "KITTI 00"), ("adaptive_tum", "TUM fr1_rpy, right within 0.3 m and 30 degrees")],
               "`regular` groups neighbours in time at the average rate of the others, `adaptive` clusters poses in SE(3), "
               "`parallax` translations only; spread is over trials. The paper shows six sequences of TUM, of which one is here, "
               "and it is short: nearly all of a query is its fixed cost. " + OTHER, TUM, data / "tum_fr1_rpy")
    yield make("Table 3: ukbench", [published.TABLE_3_UKBENCH], [("ukbench", "the first 1,000 images")],
               "1,000 of 10,200 images, our own SIFT, and a vocabulary trained on these very images instead of the authors' words: "
               "fewer distractors and a fitted vocabulary make scores higher, and a tenth of the images leaves less to skip. With "
               "63 groups in 4 nodes of the top layer a beam of 10 cuts nothing there. The paper's speed-up is over an index of "
               "lists. ", "Layout: `DIR/ukbench1000/ukbench00000.jpg ...`; ukbench's own words: `looptree eval retrieval --ukbench FILE`.",
               data / "ukbench1000")
    holidays = bool(results.metrics("holidays"))
    yield make("Table 3: INRIA Holidays", [published.TABLE_3_HOLIDAYS], [("holidays", "1,491 images, the dataset's descriptors")] if holidays else [],
               "The dataset's own descriptors and vocabulary.",
               "" if holidays else "Layout: `DIR/holidays/siftgeo/100000.siftgeo ...`, "
               "`DIR/holidays/clust/clust_k100000.fvecs`. The same readers and protocol are tested on small made files "
               "(`tests/dataset/word_file_test.cpp`, `tests/cli/eval_test.cpp`).", data / "holidays")
    if results.metrics("corridor"):
        yield make("Beyond the paper: truth as a table", ["Nothing.\n"], [("corridor", "a corridor walked twice, 84 images, loops given as an image")],
                   "A tiny set, for the ground truth that is no pose.", "", None)
    yield statistics_section(results)


def page(folder, data, quick, failed):
    """The whole of RESULTS.md."""
    results = Results(folder)
    names = sorted(path.parent.name for path in folder.glob("*/metrics.json"))
    machine = results.config(names[0]).get("machine", {}) if names else {}
    config = results.config(names[0]) if names else {}
    loads = [float(path.read_text()) for path in folder.glob("*/load.txt")]
    about = ", ".join(str(part) for part in (machine.get("cpu"), f"{machine.get('cores')} cores", machine.get("system"),
                                             config.get("compiler"), config.get("commit")) if part) if isinstance(machine, dict) else str(machine)
    head = ["# The paper's experiments, repeated", "",
            "Written by `./dev paper` out of the folders of its runs, nothing by hand. Times are of one thread; variants take turns query",
            "by query, so that ratios within a table suffer less from a busy machine than milliseconds do; the passes show how much. *Against d1* is a speed-up over our best",
            "exact search, *against lists* over an inverted file of linked lists with map accumulators, as DBoW2 builds it and the paper",
            "compared with. DIR is the folder of the datasets (`--data`); word files are made by `looptree words` as `docs/paper/run.py` has it.", "",
            f"Measured on: {about}; other programs kept it busy to a load of up to {max(loads, default=0):.0f}." + (" **This was a quick run: fewer queries and passes.**" if quick else ""), ""]
    excerpts = "DIR/kitti_stereo_excerpts"
    made = ["The word files of the commands below:", "", "```",
            f"looptree words DIR/kitti00 --vocabulary words_10k.voc --train {excerpts}/02_left.mp4 --train {excerpts}/10_left.mp4 --depth 4 --output kitti00_10k.words",
            f"looptree words DIR/kitti00 --vocabulary words_1m.voc --train {excerpts}/02_left.mp4 --train {excerpts}/10_left.mp4 --train {excerpts}/02_right.mp4 "
            f"--train {excerpts}/10_right.mp4 --train DIR/tum_fr1_rpy --train DIR/ukbench1000 --depth 6 --output kitti00_1m.words",
            "looptree words DIR/ukbench1000 --vocabulary ukbench.voc --train DIR/ukbench1000 --depth 5 --features sift --output ukbench1000.words",
            "```", "", "and likewise, with the same vocabularies, for the other sequences.", ""]
    head += made
    claims = ["## The paper's claims, one by one", "", table(["claim", "found", "numbers"], claim_rows(results))]
    text = "\n".join(head + claims + list(sections(results, data, failed)))
    return text.replace(str(data), "DIR").rstrip() + "\n"
