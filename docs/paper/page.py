# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""RESULTS.md, out of the folders that run.py's experiments left; nothing else goes into it."""
import claims
import experiments
import figures
import results as tables
import sections

INTRODUCTION = """\
What the paper claims, and how it came out here, on whole sequences where they are at hand. Why a
claim is not confirmed is put down to the *data*, the *feature*, the *topology* or the
*implementation*. *(ours)* marks questions that the paper does not ask. The details follow, every
table with its command; `./dev paper` makes all of it."""
METHOD = """\
Written by `./dev paper` out of the folders of its runs, nothing by hand. Times are processor time
of one thread; variants take turns query by query, so that ratios within a table suffer less from
a busy machine than milliseconds do; the passes show how much. *Against d1* is a speed-up over our
best exact search, *against lists* over an inverted file of linked lists with map accumulators, as
DBoW2 builds it and the paper compared with. Our features are ORB (the paper: FAST and BRIEF), and
the vocabulary is trained on a few hundred images of other sequences. DIR is the folder of the
datasets (`--data`)."""
WORDS = """\
The word files of the commands below, and likewise, with the same vocabularies, those of the other
sequences:

```
looptree words DIR/kitti00 --vocabulary words_10k.voc \\
  --train {0}/02_left.mp4 --train {0}/10_left.mp4 \\
  --depth 4 --features cv-orb --output kitti00_10k.words
looptree words DIR/kitti00 --vocabulary words_1m.voc \\
  --train {0}/02_left.mp4 --train {0}/10_left.mp4 \\
  --train {0}/02_right.mp4 --train {0}/10_right.mp4 \\
  --train DIR/tum_fr1_rpy --train DIR/ukbench1000 \\
  --depth 6 --features cv-orb --output kitti00_1m.words
looptree words DIR/ukbench1000 --vocabulary ukbench.voc --train DIR/ukbench1000 \\
  --depth 5 --features sift --output ukbench1000.words
```
""".format("DIR/kitti_stereo_excerpts")


def measured_on(results, runner):
    """The machine, its load, and what all of it took."""
    names = results.names()
    if not names:
        return "Nothing has been measured yet."
    config = results.config(names[0])
    machine = config.get("machine", {})
    about = [machine.get("cpu"), f"{machine.get('cores')} cores", machine.get("system"),
             config.get("compiler"), config.get("commit")]
    took = [one for one in map(results.took, names) if one]
    words = sum(float(path.read_text()) for path in runner.work.glob("*.seconds"))
    told = (f"Measured on: {', '.join(part for part in about if part)}; other programs kept it "
            f"busy to a load of up to {max((one['load'] for one in took), default=0):.0f}. "
            f"Processor time: {words / 60:.0f} minutes of all threads for word files, and "
            f"{sum(one['seconds'] for one in took) / 60:.0f} for the {len(names)} experiments.")
    return told + (" **This was a quick run: fewer queries and passes.**" if runner.quick else "")


def page(runner, data, pictures):
    """The whole of RESULTS.md; pictures go into the folder of that name."""
    results = tables.Results(runner.folder)
    tum = [(f"adaptive_tum_{name}", f"fr1_{name}") for name in experiments.EXCITING]
    drawn = figures.draw(results, pictures,
                         [("adaptive_kitti00", "KITTI 00"), ("adaptive_once", "no loops")], tum)
    rows = claims.rows(results, drawn, experiments.EXCITING)
    parts = ["# The paper's experiments, repeated", "", INTRODUCTION, "",
             tables.table(claims.HEAD, rows),
             *(f"![{name}](pictures/{name}.svg)" for name in drawn), "",
             "## How it was measured", "", METHOD, "", measured_on(results, runner), "", WORDS,
             *sections.sections(results, data, runner.failed, experiments.PAYS,
                                experiments.EXCITING, experiments.REDUCED)]
    return "\n".join(parts).replace(str(data), "DIR").rstrip() + "\n"
