import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { useTheme } from '../theme.js';
import { marksOf, type Unit } from './plot-scale.js';

/** One line or stack of bars; the colour is a custom property. */
export interface ChartSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly colour: `--${string}`;
  readonly dashed?: boolean;
  readonly bars?: boolean;
}

interface ChartProps {
  readonly title: string;
  /** What the chart shows, in words. */
  readonly summary: string;
  /** Unix times in seconds, in order. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly unit: Unit;
  readonly end: number;
  readonly from: number;
  readonly to: number;
  /** Times of deployments, as vertical lines. */
  readonly markers?: readonly number[];
  /** Charts with the same key share the cursor. */
  readonly cursor?: string;
  readonly timeOf: (seconds: number) => string;
  readonly height?: number;
  /** The same numbers as a table. */
  readonly children: ComponentChildren;
}

/** A chart over time, with a table that has the same numbers for those who do not see it. */
export const Chart = (props: ChartProps) => {
  const { title, summary, children } = props;
  const frame = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const { shown: theme } = useTheme();
  const data = JSON.stringify([
    theme,
    props.times,
    props.series.map(({ values }) => values),
    props.markers,
    props.from,
    props.to,
  ]);
  useEffect(() => {
    let chart: uPlot | undefined;
    let isGone = false;
    const resized = new ResizeObserver(([entry]) =>
      chart?.setSize({ width: Math.floor(entry?.contentRect.width ?? 0), height: heightOf(latest.current) }),
    );
    // Loaded with the first chart, not with the first page.
    import('uplot').then(({ default: UPlot }) => {
      if (isGone || !frame.current) return;
      chart = new UPlot(optionsOf(latest.current, frame.current, UPlot), dataOf(latest.current), frame.current);
      resized.observe(frame.current);
    });
    return () => {
      isGone = true;
      resized.disconnect();
      chart?.destroy();
    };
  }, [data]);
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong> <span class="hint">{summary}</span>
      </figcaption>
      <div
        class="plot"
        ref={frame}
        role="img"
        aria-label={`${title}: ${summary}`}
        style={{ minHeight: `${heightOf(props)}px` }}
      />
      {children}
    </figure>
  );
};

const heightOf = ({ height = 140 }: ChartProps): number => height;

const dataOf = ({ times, series }: ChartProps): uPlot.AlignedData =>
  [[...times], ...series.map(({ values }) => [...values])] as uPlot.AlignedData;

const optionsOf = (props: ChartProps, frame: HTMLElement, UPlot: typeof uPlot): uPlot.Options => {
  const { series, unit, end, from, to, cursor, timeOf } = props;
  const colour = (name: string) => resolvedColour(frame, name);
  const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const font = `12px ${getComputedStyle(frame).fontFamily}`;
  return {
    width: Math.max(200, Math.floor(frame.clientWidth)),
    height: heightOf(props),
    legend: { live: true },
    cursor: { drag: { x: false, y: false }, ...(cursor ? { sync: { key: cursor } } : {}) },
    scales: { x: { time: true, range: [from, to] }, y: { range: [0, end] } },
    axes: [
      { ...axis, font, space: 90 },
      {
        ...axis,
        font,
        size: 76,
        splits: () => marksOf(end, unit),
        values: (_, splits) => splits.map(unit.format),
      },
    ],
    series: [
      { label: 'Time', value: (_, seconds) => (seconds == null ? '–' : timeOf(seconds)) },
      ...series.map(({ label, colour: name, dashed, bars }) => ({
        label,
        stroke: colour(name),
        width: 1.5,
        points: { show: false },
        ...(dashed ? { dash: [4, 4] } : {}),
        ...(bars && UPlot.paths.bars ? { fill: colour(name), paths: UPlot.paths.bars({ size: [0.8, 40] }) } : {}),
        value: (_: uPlot, value: number | null) => (value == null ? '–' : unit.format(value)),
      })),
    ],
    hooks: { draw: [chart => drawMarkers(chart, props.markers ?? [], colour('--accent'))] },
  };
};

/** A canvas knows no custom properties and no `light-dark()`. */
const resolvedColour = (frame: HTMLElement, name: string): string => {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  frame.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};

const drawMarkers = (chart: uPlot, markers: readonly number[], stroke: string): void => {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.setLineDash([2, 3]);
  for (const marker of markers) {
    const x = Math.round(chart.valToPos(marker, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
};
