# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""RESULTS.md, out of the folders that run.py's experiments left; nothing else goes into it."""
import json

import claims
import figures
import published
import run as experiments


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
    if not any(results.metrics(f"statistics_{size}") for size in ("10k", "1m")):
        lines += ["Not run yet; `./dev paper` does.", ""]
    lines += ["A wrong pair is one farther apart than 15 m and more than 300 frames; postings per frame are words that a "
              "query shares with a frame of the database; the last rows are shares of groups that reach the threshold. "
              "Fitted are words per frame, repetitions, scores of wrong pairs, threshold, recall and postings, as well as one set of "
              "parameters can have them at once: at 10,000 words wrong pairs score a little lower on average than on the real drive, at a "
              "million they share more words of less weight, so that pooled nodes of max prune more. A vocabulary trained on other streets, "
              "as on this page, makes wrong pairs score higher than the reference has them.", ""]
    return "\n".join(lines)


OTHER = ("Our features are ORB (the paper: FAST and BRIEF), the vocabulary is trained on a few hundred images of other "
         "sequences, and our flat index is many times faster than the one the paper measured, which leaves little to gain "
         "over it; `lists`, the structure the paper compared with, shows what the speed-ups were measured against. ")
KITTI = ("Layout for more of it: `DIR/kitti_stereo_excerpts/NN_left.mp4`, `NN_right.mp4`, `NN_poses.txt`, and "
         "`DIR/kitti00/left.mp4`, `poses.txt`; or KITTI's own `NN/image_0/000000.png ...`, `times.txt`, `poses/NN.txt` for "
         "`looptree words`. `DIR/kitti05_words/left_10k.words`, `right_10k.words`, `left_1m.words`, `right_1m.words`: KITTI 05 by both cameras, "
         "in words of the same vocabularies. The figures' other sequence, 02, is not here as a whole.")
TUM = "Layout: `DIR/tum_fr1_rpy/rgb.mp4` (or `rgb/*.png`), `rgb.txt`, `groundtruth.txt`, as TUM hands them out."


def moving(results, name):
    """How exciting a sequence's motion is."""
    path = results.folder / f"motion_{name}.json"
    if not path.exists():
        return ""
    motion = json.loads(path.read_text())
    return f" ({motion['degrees']:.2f} degrees and {motion['centimetres']:.1f} cm a frame)"


def sections(results, data, failed):
    both = lambda stem, text: [(f"{stem}_10k", f"{text}, 10,000 words"), (f"{stem}_1m", f"{text}, a million words")]
    make = lambda *a: section(results, *a, failed)
    yield make("Threshold policy (section 4.1)",
               ["The smallest threshold without a false alarm on KITTI 00 is used everywhere; no number is printed.\n"],
               both("threshold", "KITTI 00, then 05 and the excerpts of 02 and 10"),
               "The threshold is chosen on all frames of KITTI 00 and used in every experiment on this page; `left_10k` and `left_1m` are KITTI 05, where it "
               "may have false alarms. " + OTHER, KITTI, data / "kitti00")
    yield make("Figures 3 and 4: topologies on KITTI 00",
               ["Drawn, not printed: d2b4-mean and d2b8-mean keep the baseline's curve at 2 to 5 times its speed; d2b16-mean is "
                "slightly worse at ten times; sum and max are exact and, at 10,000 words, slightly slower than the baseline.\n"],
               both("curves", "KITTI 00, curves") + [("curves_05_10k", "KITTI 05, curves, 10,000 words")] + both("sweep", "KITTI 00, every topology"),
               OTHER + "Every tenth frame asks, so recall is of a tenth of the revisits. Mean pooling is measured threshold by "
               "threshold, since it prunes by it; a curve of few points loses area between them, so the curves have 100 (with 20 points d2b8-mean comes "
               "out at 0.719, with 400 at 0.745, of d1's 0.748: the claim seemed wrong). At a given threshold mean pooling finds far "
               "less than d1, since a mean of 16 frames scores less than the best of them; that moves a point along the curve and hardly moves the curve.",
               KITTI, data / "kitti00")
    yield make("Mean pooling with slack", ["Nothing: it searches where a node's score reaches the threshold, a slack of 1.\n"], both("slack", "KITTI 00"),
               "`@0.8` searches below a node that reaches 0.8 of the threshold. The curve of matches kept against time is in "
               "[pictures/slack.svg](pictures/slack.svg). ", KITTI, data / "kitti00")
    yield make("Table 1: time-cost rates with synthetic queries",
               [published.TABLE_1["10k"], published.TABLE_1["1m"]],
               [(f"table1_{n}_{size}", f"KITTI {n}, {text}, {size} words") for n, text in (("05", "left camera inserted, right camera asks"), ("00", "odd frames inserted, even ones ask"))
                for size in ("10k", "1m")],
               "At 10,000 words pooled nodes are full, and a tree only adds to what d1 reads; at a million d1 is lists of 16 bits, "
               "and a tree of sum or max opens nearly every group of 16, so that max cannot gain on sum. Two whole sequences stand in for 21; of 00 only one camera is here, so its queries follow Oxford's rule. Negative queries are the "
               "other sequence. " + OTHER, KITTI, data / "kitti05_words")
    yield make("Figure 3a: concatenated sequences",
               ["Drawn, not printed: time grows linearly up to 40,000 images, and the speed-up holds.\n"],
               both("joined", "KITTI 00, 05, 02 and 10 joined") + both("scale", "made-up drive"),
               "All real frames there are make 7,704, of which odd ones are inserted and even ones ask, with TUM's desk as negative "
               "queries; a made-up drive with the statistics of KITTI 00 goes on to 40,000, and with `--long` to a million. " + OTHER, KITTI, data / "kitti00")
    yield make("Is there a threshold at which a pooled tree beats d1?", ["Sum and max pooling beat an inverted index with 1M words.\n"],
               [(f"pays_{size}_{tau}", f"{words}, threshold {tau}") for size, words in (("10k", "10,000 words"), ("1m", "a million words")) for tau in experiments.PAYS[size]],
               "A made-up drive of 10,000 frames. The higher the threshold, the more a tree can skip, but the fewer postings d1 has to look at, too: it "
               "bounds scores itself and skips without a tree. Memory was warm.", "", None)
    million = [(f"scale_{size}_long", f"a million frames, {size} words") for size in ("10k", "1m")]
    if any(results.metrics(name) for name, _ in million):
        yield make("Beyond figure 3a: a million frames", ["Nothing of this size.\n"], million, "Nothing to compare with.", "", None)
    yield make("Figure 3b and section 4.2: in the loop", [published.IN_THE_LOOP],
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
    tum = [(f"adaptive_tum_{name}", f"TUM fr1_{name}{moving(results, name)}, right within 0.3 m and 30 degrees") for name in experiments.EXCITING]
    yield make("Section 4.4, figure 5 and the abstract: adaptive and agglomerative groups",
               ["Drawn, not printed: marginal gains on driving, more with exciting motion. Regular groups work as well as sophisticated "
                "agglomerative schemes at a fraction of the cost.\n"],
               [("adaptive_kitti00", "KITTI 00"), ("adaptive_once", "its first 1,500 frames, where no street comes twice"), *tum],
               "`regular` groups neighbours in time at the average rate of the others, `adaptive` clusters poses in SE(3), "
               "`parallax` translations only. Groups by pose put both passes of a street together, which nobody can who has not found the loop yet: that is where they "
               "win on KITTI 00, and before its first loop there is little left of it. `bottleneck` and `ward` merge similar histograms, whatever their poses. Spread is over trials of those that start at "
               "random. TUM's sequences come in the order of how much the camera turns. They are short: much of a query is its fixed cost. "
               "Groups by appearance or pose keep more matches at a threshold because their mean is nearer to every member; how that compares along the whole curve "
               "the recall at one threshold does not say. " + OTHER, TUM, data / "tum_fr1_rpy")
    yield make("FAB-MAP 2.0, the rival of the introduction", ["\"Comparable precision and recall to FAB-MAP 2.0 with an order of magnitude speed increase\", of binary words in general.\n"],
               [("fabmap_kitti00", "KITTI 00, frames within 10 of each other one place"), ("fabmap_kitti00_frames", "KITTI 00, every frame a place of its own"),
                ("corridor", "a corridor walked twice, 84 images, loops given as an image")],
               "Our own code of the published formulas, on the same 10,000 words, with the authors' detector model; trained on KITTI 05, for the corridor on a "
               "desk. Its prior knows no motion and nothing is verified by geometry, as for d1. The precision-recall curves are in "
               "[pictures/fabmap.svg](pictures/fabmap.svg).", KITTI, data / "kitti00")
    if any(results.metrics(f"reduced_{n}") for n in experiments.REDUCED):
        yield make("The range instead of the domain: a vocabulary reduced by the information bottleneck",
                   ["\"Dimensionality reduction by clustering in descriptor space is counter-productive\" (in the text that was cut).\n"],
                   [(f"reduced_{n}", f"KITTI 00, {n} of 10,000 words") for n in experiments.REDUCED],
                   "Words that tell least of where in KITTI 05 an image was taken became one (`looptree eval reduce`). The threshold is each vocabulary's own, "
                   "the smallest without a false alarm on the frames that ask.", KITTI, data / "kitti05_words")
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
    yield statistics_section(results)


def page(folder, data, quick, failed, pictures):
    """The whole of RESULTS.md; pictures go into the folder of that name."""
    results = Results(folder)
    tum = [(f"adaptive_tum_{name}", f"fr1_{name}") for name in experiments.EXCITING]
    drawn = figures.draw(results, pictures, [("adaptive_kitti00", "KITTI 00"), ("adaptive_once", "no loops")], tum)
    names = sorted(path.parent.name for path in folder.glob("*/metrics.json"))
    machine = results.config(names[0]).get("machine", {}) if names else {}
    config = results.config(names[0]) if names else {}
    loads = [float(path.read_text()) for path in folder.glob("*/load.txt")]
    about = ", ".join(str(part) for part in (machine.get("cpu"), f"{machine.get('cores')} cores", machine.get("system"),
                                             config.get("compiler"), config.get("commit")) if part) if isinstance(machine, dict) else str(machine)
    head = ["# The paper's experiments, repeated", "", ""
            
            "Written by `./dev paper` out of the folders of its runs, nothing by hand. Times are processor time of one thread; variants take turns query",
            "by query, so that ratios within a table suffer less from a busy machine than milliseconds do; the passes show how much. *Against d1* is a speed-up over our best",
            "exact search, *against lists* over an inverted file of linked lists with map accumulators, as DBoW2 builds it and the paper",
            "compared with. DIR is the folder of the datasets (`--data`); word files are made by `looptree words` as `docs/paper/run.py` has it.", "",
            f"Measured on: {about}; other programs kept it busy to a load of up to {max(loads, default=0):.0f}." + (" **This was a quick run: fewer queries and passes.**" if quick else ""), ""]
    excerpts = "DIR/kitti_stereo_excerpts"
    made = ["The word files of the commands below:", "", "```",
            f"looptree words DIR/kitti00 --vocabulary words_10k.voc --train {excerpts}/02_left.mp4 --train {excerpts}/10_left.mp4 --depth 4 --features cv-orb --output kitti00_10k.words",
            f"looptree words DIR/kitti00 --vocabulary words_1m.voc --train {excerpts}/02_left.mp4 --train {excerpts}/10_left.mp4 --train {excerpts}/02_right.mp4 "
            f"--train {excerpts}/10_right.mp4 --train DIR/tum_fr1_rpy --train DIR/ukbench1000 --depth 6 --features cv-orb --output kitti00_1m.words",
            "looptree words DIR/ukbench1000 --vocabulary ukbench.voc --train DIR/ukbench1000 --depth 5 --features sift --output ukbench1000.words",
            "```", "", "and likewise, with the same vocabularies, for the other sequences.", ""]
    head += made
    first = [head[0], "", "What the paper claims, and how it came out here, on whole sequences where they are at hand. The details follow, every table with its",
             "command; `./dev paper` makes all of it. What is marked as not run yet was last measured with looptree 0.1: [notes](../notes/paper_0_1.md).", "",
             table(["claim", "found", "numbers", ""], claims.rows(results, drawn)), *(f"![{name}](pictures/{name}.svg)" for name in drawn), "", "## How it was measured", ""] + head[2:]
    text = "\n".join(first + list(sections(results, data, failed)))
    return text.replace(str(data), "DIR").rstrip() + "\n"
