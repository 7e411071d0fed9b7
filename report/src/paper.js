// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What the paper published, by protocol; shown beside our numbers, never mixed with them. Rates are
// in ms per 1k images, on the authors' machine of 2016 and over their structure, so that only
// ratios compare.
const rate = (name, overall, speedup, more = {}) =>
    ({name, metrics: {rate_ms_per_1k: overall, speedup, ...more}});

export const paper = {
  synthetic: [
    {
      title: 'Table 1, KITTI 01 to 21, all frames, 10K words',
      rows: [
        rate('inverted index', 9.88, 1.0, {positive_rate_ms_per_1k: 10.07, positive_speedup: 1.0,
          negative_rate_ms_per_1k: 9.86, negative_speedup: 1.0}),
        rate('mean', 0.38, 26.0, {positive_rate_ms_per_1k: 0.69, positive_speedup: 14.59,
          negative_rate_ms_per_1k: 0.34, negative_speedup: 29.0}),
        rate('sum', 7.92, 1.25, {positive_rate_ms_per_1k: 8.7, positive_speedup: 1.16,
          negative_rate_ms_per_1k: 6.28, negative_speedup: 1.57}),
        rate('max', 6.06, 1.63, {positive_rate_ms_per_1k: 6.65, positive_speedup: 1.52,
          negative_rate_ms_per_1k: 5.04, negative_speedup: 1.96}),
      ],
    },
    {
      title: 'Table 1, KITTI 01 to 21, all frames, 1M words',
      rows: [rate('inverted index', 0.64, 1.0), rate('sum', 0.3, 2.13), rate('max', 0.3, 2.13)],
    },
    {
      title: 'Table 2, Oxford, 10K words',
      rows: [rate('inverted index', 6.98, 1.0), rate('mean', 1.61, 4.34), rate('sum', 4.71, 1.48),
        rate('max', 4.2, 1.66)],
    },
  ],
  keyframes: [
    {
      title: 'Table 2, KITTI keyframes of ORB-SLAM, 10K words',
      rows: [rate('inverted index', 8.97, 1.0), rate('mean', 0.88, 10.14), rate('sum', 7.87, 1.14),
        rate('max', 6.0, 1.5)],
    },
  ],
  'in-the-loop': [
    {
      title: 'Section 4.2, ORB-SLAM on KITTI',
      rows: [
        {name: 'inverted index', metrics: {mean_ms: 5.8, same_answers: 1}},
        {name: 'max', metrics: {mean_ms: 2.04, same_answers: 1}},
      ],
    },
  ],
  retrieval: [
    {
      title: 'Table 3, ukbench (10,200 images, 1M words)',
      metric: 'score',
      rows: [['inverted index', 1.47, 1.0, 2.72], ['random-mean', 0.38, 3.87, 2.8],
        ['random-sum', 0.37, 3.97, 2.83], ['random-max', 0.39, 3.77, 2.82],
        ['affinity-mean', 0.38, 3.87, 2.8], ['affinity-sum', 0.38, 3.87, 2.83],
        ['affinity-max', 0.37, 3.97, 2.82]]
          .map(([name, mean_ms, speedup, score]) => ({name, metrics: {mean_ms, speedup, score}})),
    },
    {
      title: 'Table 3, INRIA Holidays (1,491 images, 100K words)',
      metric: 'map',
      rows: [['inverted index', 9.11, 1.0, 0.56], ['random-mean', 5.57, 1.63, 0.58],
        ['random-sum', 6.19, 1.47, 0.63], ['random-max', 6.24, 1.46, 0.62],
        ['affinity-mean', 5.58, 1.63, 0.57], ['affinity-sum', 6.82, 1.34, 0.63],
        ['affinity-max', 6.53, 1.4, 0.62]]
          .map(([name, mean_ms, speedup, map]) => ({name, metrics: {mean_ms, speedup, map}})),
    },
  ],
};
paper.scale = paper.synthetic.slice(0, 2);
