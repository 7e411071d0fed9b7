// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

export const kStages = [
  ['read_ms', 'read'], ['extract_ms', 'extract'], ['histogram_ms', 'histogram'], ['query_ms', 'query'],
  ['temporal_ms', 'consistency'], ['verify_ms', 'verify'], ['insert_ms', 'insert'],
];

// A run as the page shows it. Frames go by their row, which is their number unless some were left out.
export class Run {
  constructor(json) {
    Object.assign(this, json);
    const {number} = this.frames;
    this.rowOf = new Map(number.map((n, row) => [n, row]));
    this.matchRow = this.frames.match.map((m) => m < 0 ? -1 : this.rowOf.get(m) ?? -1);
    this.right = new Set(this.truth?.right ?? []);
    this.missed = new Map((this.truth?.missed ?? []).map(([frame, place]) => [frame, place]));
    this.states = this.frames.decision.map((_, row) => this.stateAt(row));
  }

  get size() { return this.frames.number.length; }

  stateAt(row) {
    const decision = this.frames.decision[row];
    if (decision !== 'closure') return decision;
    if (!this.truth || this.matchRow[row] < 0) return 'claim';
    return this.right.has(this.frames.number[row]) ? 'right' : 'wrong';
  }

  isClosure(row) { return this.frames.decision[row] === 'closure'; }
  isMissed(row) { return this.missed.has(this.frames.number[row]); }
  closures() { return this.rows((row) => this.isClosure(row)); }
  missedRows() { return this.rows((row) => this.isMissed(row)); }
  rows(which) {
    const rows = [];
    for (let row = 0; row < this.size; ++row) if (which(row)) rows.push(row);
    return rows;
  }

  // Where a missed revisit should have been closed with.
  placeMissed(row) { return this.rowOf.get(this.missed.get(this.frames.number[row])) ?? -1; }
  // The frame shown beside another: what it was compared with, or else the place that was missed.
  partner(row) { return this.matchRow[row] >= 0 ? this.matchRow[row] : this.placeMissed(row); }

  label(row) {
    const number = this.frames.number[row];
    const name = this.frames.name?.[row];
    return name && name !== `frame ${number}` ? `frame ${number} · ${name}` : `frame ${number}`;
  }

  // Inliers as [x, y, x in the match, y in the match], and how the match sees the frame.
  evidence(row) {
    const found = this.evidence_[this.frames.number[row]];
    if (!found) return null;
    const values = found[2].split(' ').map(Number);
    const inliers = [];
    for (let i = 0; i + 3 < values.length; i += 4) inliers.push(values.slice(i, i + 4));
    return {inliers, pose: found[1]};
  }

  // [row, score] of what the frame looks like; read once.
  similar(row) {
    this.similarKnown ??= [];
    return this.similarKnown[row] ??= (this.similar_[this.frames.number[row]] || '').split(' ').filter(Boolean).map((pair) => {
      const [number, score] = pair.split(':');
      return [this.rowOf.get(Number(number)) ?? -1, Number(score)];
    });
  }

  time(row) { return kStages.reduce((sum, [key]) => sum + this.frames.stages[key][row], 0); }

  // Live runs grow.
  append(frame) {
    const row = this.size;
    const {frames} = this;
    for (const [key, value] of Object.entries(frame)) {
      if (key === 'stages') for (const [stage, ms] of Object.entries(value)) frames.stages[stage].push(ms);
      else if (key !== 'evidence' && key !== 'similar' && key !== 'place') (frames[key] ??= []).push(value);
    }
    this.rowOf.set(frame.number, row);
    this.matchRow.push(frame.match < 0 ? -1 : this.rowOf.get(frame.match) ?? -1);
    if (frame.evidence) this.evidence_[frame.number] = frame.evidence;
    if (frame.similar) this.similar_[frame.number] = frame.similar;
    if (frame.place) (this.route ??= []).push(frame.place);
    this.states.push(this.stateAt(row));
  }
}

export function readRun(json) {
  const {evidence, similar, ...rest} = json;
  return new Run({...rest, evidence_: evidence, similar_: similar});
}

// A rotation as a quaternion, and a direction, in words: what a driver would say.
export function describePose(pose) {
  if (!pose) return null;
  const [x, y, z, w, dx, dy, dz] = pose;
  const turn = 2 * Math.acos(Math.min(1, Math.abs(w))) * 180 / Math.PI;
  const yaw = Math.atan2(2 * (w * y + x * z), 1 - 2 * (x * x + y * y)) * 180 / Math.PI;
  const parts = [];
  if (Math.abs(dz) > 0.35) parts.push(dz > 0 ? 'ahead' : 'behind');
  if (Math.abs(dx) > 0.35) parts.push(dx > 0 ? 'right' : 'left');
  if (Math.abs(dy) > 0.5) parts.push(dy > 0 ? 'below' : 'above');
  return {
    turned: `${turn.toFixed(1)}°` + (Math.abs(yaw) > 1 ? `, ${Math.abs(yaw).toFixed(1)}° to the ${yaw > 0 ? 'right' : 'left'}` : ''),
    moved: `${parts.join(' and ') || 'beside'} (${[dx, dy, dz].map((d) => d.toFixed(2)).join(', ')}), length unknown`,
  };
}
