// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {LineChart, ScatterChart} from 'echarts/charts';
import {GridComponent, LegendComponent, TooltipComponent} from 'echarts/components';
import * as echarts from 'echarts/core';
import {SVGRenderer} from 'echarts/renderers';

echarts.use([LineChart, ScatterChart, GridComponent, LegendComponent, TooltipComponent, SVGRenderer]);

// Told apart by people who see few colours, and in print (Okabe and Ito), then again dashed; on dark paper the same, lighter.
const kPapers = {
  light: {ink: '#1d2733', soft: '#5b6876', line: '#d8dee6', card: '#ffffff', route: '#9aa7b5', right: '#009E73', wrong: '#D55E00',
    curves: ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000', '#8A6D3B']},
  dark: {ink: '#e9eef4', soft: '#a5b2c0', line: '#2c3744', card: '#171f28', route: '#5b6876', right: '#2fcb9c', wrong: '#ff8449',
    curves: ['#56a9e8', '#ff8449', '#2fcb9c', '#f08fc8', '#eab13c', '#a9dcff', '#e9eef4', '#c9a46a']},
};
const kDashes = ['solid', 'dashed', 'dotted'];
const darkness = window.matchMedia('(prefers-color-scheme: dark)');
const onScreen = () => kPapers[darkness.matches ? 'dark' : 'light'];

const style = ({curves}, i) => ({
  color: curves[i % curves.length],
  lineStyle: {width: 2, type: kDashes[Math.floor(i / curves.length) % kDashes.length]},
});

export const digits = (value, count = 4) =>
    value === undefined || value === null ? '–' : Number(value.toPrecision(count)).toString();

const narrow = () => window.innerWidth < 600;

function base(paper, x, y, names) {
  const axis = (name, nameGap) => ({name, nameLocation: 'middle', nameGap, type: 'value', nameTextStyle: {color: paper.ink}, axisLabel: {color: paper.soft},
    axisLine: {lineStyle: {color: paper.soft}}, axisTick: {lineStyle: {color: paper.soft}}, splitLine: {lineStyle: {color: paper.line}}});
  return {
    animation: false,
    backgroundColor: paper.card,
    textStyle: {fontFamily: 'system-ui, sans-serif', color: paper.ink},
    legend: {type: 'scroll', top: 0, data: names, textStyle: {color: paper.ink}, inactiveColor: paper.line, pageTextStyle: {color: paper.soft},
      pageIconColor: paper.ink, pageIconInactiveColor: paper.line},
    grid: {left: narrow() ? 60 : 76, right: 16, top: 40, bottom: 48, containLabel: false},
    xAxis: axis(x, 28),
    yAxis: axis(y, narrow() ? 46 : 58),
    tooltip: {trigger: 'item', confine: true, backgroundColor: paper.card, borderColor: paper.line, textStyle: {color: paper.ink}},
  };
}

function draw(element, makeOption) {
  const chart = echarts.init(element, null, {renderer: 'svg'});
  chart.setOption(makeOption(onScreen()));
  const resized = new ResizeObserver(() => {
    chart.resize();
    const {grid, xAxis, yAxis} = makeOption(onScreen());
    chart.setOption({grid, xAxis, yAxis});
  });
  resized.observe(element);
  const repaint = () => chart.setOption(makeOption(onScreen()));
  darkness.addEventListener('change', repaint);
  const dispose = chart.dispose.bind(chart);
  chart.dispose = () => {
    resized.disconnect();
    darkness.removeEventListener('change', repaint);
    dispose();
  };
  // For papers: on white, whatever the screen; what was hidden stays so.
  chart.svgForPrint = () => {
    const print = echarts.init(null, null, {renderer: 'svg', ssr: true, width: chart.getWidth(), height: chart.getHeight()});
    const option = makeOption(kPapers.light);
    print.setOption({...option, legend: {...option.legend, type: 'plain', selected: chart.getOption().legend[0].selected}});
    const svg = print.renderToSVGString();
    print.dispose();
    return svg;
  };
  element.chart = chart;  // for the button that saves, and for tests
  return chart;
}

export function drawCurves(element, series) {
  return draw(element, (paper) => ({
    ...base(paper, 'recall', 'precision', series.map((s) => s.name)),
    xAxis: {...base(paper, 'recall').xAxis, min: 0, max: 1},
    yAxis: {...base(paper, '', 'precision').yAxis, min: 0, max: 1},
    tooltip: {
      ...base(paper).tooltip,
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
      ...style(paper, i),
    })),
  }));
}

export function drawTimes(element, series, logarithmic) {
  return draw(element, (paper) => ({
    ...base(paper, 'images in the database', 'ms per query', series.map((s) => s.name)),
    yAxis: {...base(paper, '', 'ms per query (median)').yAxis, type: logarithmic ? 'log' : 'value',
      axisLabel: {color: paper.soft, formatter: (value) => digits(value, 3)}},
    tooltip: {
      ...base(paper).tooltip,
      trigger: 'axis',
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
      ...style(paper, i),
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
function squareAxes(flat, element, {grid, xAxis}) {
  const range = (k) => flat.reduce(([low, high], p) => [Math.min(low, p[k]), Math.max(high, p[k])],
                                   [Infinity, -Infinity]);
  const pixels = [element.clientWidth - grid.left - grid.right, element.clientHeight - grid.top - grid.bottom];
  const ranges = [range(0), range(1)];
  const scale = 1.06 * Math.max(...ranges.map(([low, high], k) => (high - low) / pixels[k]), 1e-9);
  return ranges.map(([low, high], k) => {
    const [middle, half] = [(low + high) / 2, pixels[k] * scale / 2];
    const label = {...xAxis.axisLabel, formatter: (value) => digits(value, 3), showMinLabel: false, showMaxLabel: false};
    return {min: middle - half, max: middle + half, axisLabel: label, axisLine: {...xAxis.axisLine, onZero: false}};
  });
}

export function drawRoute(element, route, closures) {
  const flat = ground(route);
  const pairs = (right) => closures.filter((c) => (c[3] === 1) === right)
      .flatMap(([query, match, score]) => [[...flat[query], query, match, score],
                                           [...flat[match], query, match, score], [null, null]]);
  const link = (name, colour, right) => ({
    name, type: 'line', color: colour, data: pairs(right), showSymbol: true, symbolSize: 4,
    lineStyle: {width: 1, opacity: 0.7}, connectNulls: false,
  });
  return draw(element, (paper) => {
    const common = base(paper, 'x (m)', 'z (m)', ['route', 'right closures', 'false alarms']);
    const [x, y] = squareAxes(flat, element, common);
    return {
      ...common,
      xAxis: {...common.xAxis, ...x},
      yAxis: {...common.yAxis, ...y},
      tooltip: {
        ...common.tooltip,
        formatter: ({seriesName, data}) => seriesName === 'route' ? `frame ${data[2]}` :
            `frame ${data[2]} sees the place of frame ${data[3]}<br>score ${digits(data[4])}`,
      },
      series: [
        {name: 'route', type: 'line', color: paper.route, showSymbol: false, lineStyle: {width: 1.5},
          data: flat.map(([x_, z], i) => [x_, z, i])},
        link('right closures', paper.right, true),
        link('false alarms', paper.wrong, false),
      ],
    };
  });
}
