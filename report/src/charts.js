// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {LineChart, ScatterChart} from 'echarts/charts';
import {GridComponent, LegendComponent, TooltipComponent} from 'echarts/components';
import * as echarts from 'echarts/core';
import {SVGRenderer} from 'echarts/renderers';

echarts.use([LineChart, ScatterChart, GridComponent, LegendComponent, TooltipComponent, SVGRenderer]);

// Told apart by people who see few colours, and in print (Okabe and Ito), then again dashed.
const kColours = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000', '#8A6D3B'];
const kDashes = ['solid', 'dashed', 'dotted'];

const style = (i) => ({
  color: kColours[i % kColours.length],
  lineStyle: {width: 2, type: kDashes[Math.floor(i / kColours.length) % kDashes.length]},
});

export const digits = (value, count = 4) =>
    value === undefined || value === null ? '–' : Number(value.toPrecision(count)).toString();

const narrow = () => window.innerWidth < 600;

const base = (x, y, names) => ({
  animation: false,
  textStyle: {fontFamily: 'system-ui, sans-serif'},
  legend: {type: 'scroll', top: 0, data: names},
  grid: {left: narrow() ? 60 : 76, right: 16, top: 40, bottom: 48, containLabel: false},
  xAxis: {name: x, nameLocation: 'middle', nameGap: 28, type: 'value'},
  yAxis: {name: y, nameLocation: 'middle', nameGap: narrow() ? 46 : 58, type: 'value'},
  tooltip: {trigger: 'item', confine: true},
});

function draw(element, makeOption) {
  const chart = echarts.init(element, null, {renderer: 'svg'});
  chart.setOption(makeOption());
  new ResizeObserver(() => {
    chart.resize();
    const {grid, xAxis, yAxis} = makeOption();
    chart.setOption({grid, xAxis, yAxis});
  }).observe(element);
  element.chart = chart;  // for the button that saves, and for tests
  return chart;
}

export function drawCurves(element, series) {
  return draw(element, () => ({
    ...base('recall', 'precision', series.map((s) => s.name)),
    xAxis: {...base('recall').xAxis, min: 0, max: 1},
    yAxis: {...base('', 'precision').yAxis, min: 0, max: 1},
    tooltip: {
      trigger: 'item',
      confine: true,
      formatter: ({seriesName, data}) => `<b>${seriesName}</b><br>recall ${digits(data[0])}<br>` +
          `precision ${digits(data[1])}<br>threshold ${digits(data[2])}`,
    },
    series: series.map((s, i) => ({
      name: s.name,
      type: 'line',
      data: s.points,
      symbolSize: 7,
      // One point is a method that comes without scores: a mark of its own, not a line.
      showSymbol: s.points.length < 60,
      symbol: s.points.length === 1 ? 'diamond' : 'circle',
      emphasis: {focus: 'series'},
      ...style(i),
    })),
  }));
}

export function drawTimes(element, series, logarithmic) {
  return draw(element, () => ({
    ...base('images in the database', 'ms per query', series.map((s) => s.name)),
    yAxis: {...base('', 'ms per query (median)').yAxis, type: logarithmic ? 'log' : 'value',
      axisLabel: {formatter: (value) => digits(value, 3)}},
    tooltip: {
      trigger: 'axis',
      confine: true,
      axisPointer: {type: 'line'},
      formatter: (items) => `${digits(items[0].data[0], 7)} images<br>` + items.map((item) =>
          `${item.marker}${item.seriesName}: <b>${digits(item.data[1], 3)} ms</b> ` +
          `(${digits(item.data[2], 3)} to ${digits(item.data[3], 3)})${item.data[4]}`).join('<br>'),
    },
    series: series.map((s, i) => ({
      name: s.name,
      type: 'line',
      data: s.points,
      showSymbol: s.points.length < 30,
      symbolSize: 6,
      emphasis: {focus: 'series'},
      ...style(i),
    })),
  }));
}

// Seen from above: driving data has x to the right and z forward; a route that is flat in z is
// drawn over y.
function ground(route) {
  const span = (k) => route.reduce(([low, high], p) => [Math.min(low, p[k]), Math.max(high, p[k])],
                                   [Infinity, -Infinity]);
  const size = (k) => span(k)[1] - span(k)[0];
  const second = size(2) >= size(1) ? 2 : 1;
  return route.map((p) => [p[0], p[second]]);
}

// Axes on which a metre is a metre in both directions, whatever the shape of the chart.
function squareAxes(flat, element, grid) {
  const range = (k) => flat.reduce(([low, high], p) => [Math.min(low, p[k]), Math.max(high, p[k])],
                                   [Infinity, -Infinity]);
  const pixels = [element.clientWidth - grid.left - grid.right, element.clientHeight - grid.top - grid.bottom];
  const ranges = [range(0), range(1)];
  const scale = 1.06 * Math.max(...ranges.map(([low, high], k) => (high - low) / pixels[k]), 1e-9);
  return ranges.map(([low, high], k) => {
    const [middle, half] = [(low + high) / 2, pixels[k] * scale / 2];
    const label = {formatter: (value) => digits(value, 3), showMinLabel: false, showMaxLabel: false};
    return {min: middle - half, max: middle + half, axisLabel: label, axisLine: {onZero: false}};
  });
}

export function drawRoute(element, route, closures) {
  const flat = ground(route);
  const axes = () => squareAxes(flat, element, base('', '').grid);
  const pairs = (right) => closures.filter((c) => (c[3] === 1) === right)
      .flatMap(([query, match, score]) => [[...flat[query], query, match, score],
                                           [...flat[match], query, match, score], [null, null]]);
  const link = (name, colour, right) => ({
    name, type: 'line', color: colour, data: pairs(right), showSymbol: true, symbolSize: 4,
    lineStyle: {width: 1, opacity: 0.7}, connectNulls: false,
  });
  return draw(element, () => ({
    ...base('x (m)', 'z (m)', ['route', 'right closures', 'false alarms']),
    xAxis: {...base('x (m)').xAxis, ...axes()[0]},
    yAxis: {...base('', 'z (m)').yAxis, ...axes()[1]},
    tooltip: {
      trigger: 'item',
      confine: true,
      formatter: ({seriesName, data}) => seriesName === 'route' ? `frame ${data[2]}` :
          `frame ${data[2]} sees the place of frame ${data[3]}<br>score ${digits(data[4])}`,
    },
    series: [
      {name: 'route', type: 'line', color: '#9aa7b5', showSymbol: false, lineStyle: {width: 1.5},
        data: flat.map(([x, z], i) => [x, z, i])},
      link('right closures', '#009E73', true),
      link('false alarms', '#D55E00', false),
    ],
  }));
}
