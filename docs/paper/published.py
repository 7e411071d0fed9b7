# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""What the paper prints, and what was measured on KITTI 00 when the library was designed."""

RATE_COLUMNS = ["structure", "ms per 1k images", "speed-up"]

TABLE_1 = {
    "10k": (["structure", "positive", "negative", "overall",
             "speed-up (positive, negative, overall)"],
            [["inverted index", "10.07", "9.86", "9.88", "1"],
             ["mean", "0.69", "0.34", "0.38", "14.59, 29.00, 26.00"],
             ["sum", "8.70", "6.28", "7.92", "1.16, 1.57, 1.25"],
             ["max", "6.65", "5.04", "6.06", "1.52, 1.96, 1.63"]]),
    "1m": (RATE_COLUMNS,
           [["inverted index", "0.64", "1"], ["mean", "not given", "not given"],
            ["sum", "0.30", "2.13"], ["max", "0.30", "2.13"]]),
}
TABLE_2_KITTI = (RATE_COLUMNS, [["inverted index", "8.97", "1"], ["mean", "0.88", "10.14"],
                                ["sum", "7.87", "1.14"], ["max", "6.00", "1.50"]])
TABLE_2_OXFORD = (RATE_COLUMNS, [["inverted index", "6.98", "1"], ["mean", "1.61", "4.34"],
                                 ["sum", "4.71", "1.48"], ["max", "4.20", "1.66"]])
TABLE_3_UKBENCH = (["structure", "ms", "speed-up", "score"],
                   [["inverted index", "1.47", "1", "2.72"],
                    ["random: mean, sum, max", "0.38, 0.37, 0.39", "3.87, 3.97, 3.77",
                     "2.80, 2.83, 2.82"],
                    ["affinity: mean, sum, max", "0.38, 0.38, 0.37", "3.87, 3.87, 3.97",
                     "2.80, 2.83, 2.82"]])
TABLE_3_HOLIDAYS = (["structure", "ms", "speed-up", "mAP"],
                    [["inverted index", "9.11", "1", "0.56"],
                     ["random: mean, sum, max", "5.57, 6.19, 6.24", "1.63, 1.47, 1.46",
                      "0.58, 0.63, 0.62"],
                     ["affinity: mean, sum, max", "5.58, 6.82, 6.53", "1.63, 1.34, 1.40",
                      "0.57, 0.63, 0.62"]])
IN_THE_LOOP = (["structure", "mean ms", "closures missed"],
               [["inverted index", "5.80", "-"], ["max", "2.04", "none"]])

# KITTI 00, ORB, a vocabulary of its own: what the made-up drive was fitted to.
REFERENCE = {
    "10k": {"distinct_words": 1152, "once_share": 0.83, "wrong_mean": 0.116, "wrong_p999": 0.154,
            "wrong_max": 0.182, "threshold": 0.182, "recall": 0.71, "postings_per_frame": 147,
            "max_b2_survive": 0.80, "max_b4_survive": 1.0, "max_b8_survive": 1.0,
            "max_b16_survive": 1.0, "mean_b2_survive": 0.0011, "mean_b16_survive": 0.0019},
    "1m": {"distinct_words": 1336, "once_share": 0.96, "wrong_mean": 0.0042, "wrong_p999": 0.0114,
           "wrong_max": 0.024, "threshold": 0.0204, "recall": 0.75, "postings_per_frame": 3.3,
           "max_b2_survive": 0.0024, "max_b4_survive": 0.12, "max_b8_survive": 0.90,
           "max_b16_survive": 1.0, "mean_b2_survive": 0.0014, "mean_b16_survive": 0.0021},
}
