import { describe, expect, it } from '@jest/globals';
import { filtered, instancesIn, type Line, levelOf, marked, newLinesAfter, sourceOf, textOf } from './log-filter.js';

const line = (message: string, more: Partial<Line> = {}): Line => ({
  timestamp: '2026-03-01T10:00:00.000Z',
  instance: 'web-1',
  stream: 'stdout',
  message,
  ...more,
});
const ALL = { stream: '', instance: '', level: '', search: '' };

describe('the level of a line', () => {
  it.each([
    ['TypeError: x is not a function', 'error'],
    ['{"level":"error","msg":"no"}', 'error'],
    ['{"level":50}', 'error'],
    ['panic: no config', 'error'],
    ['WARN slow query', 'warning'],
    ['{"level":40}', 'warning'],
    ['GET / 200', 'other'],
    ['terrors and forewarned', 'other'],
  ])('of %j is %s', (message, level) => expect(levelOf(line(message))).toBe(level));
});

describe('the shown lines', () => {
  const lines = [
    line('started'),
    line('Error: no', { stream: 'stderr', instance: 'web-2' }),
    line('warning: slow', { stream: 'stderr' }),
    line('Deployment is live', { instance: 'platform', stream: 'platform' }),
  ];

  it.each([
    ['all without a filter', ALL, [0, 1, 2, 3]],
    ['those of a stream', { ...ALL, stream: 'stderr' }, [1, 2]],
    ['those of an instance', { ...ALL, instance: 'web-1' }, [0, 2]],
    ['errors', { ...ALL, level: 'error' }, [1]],
    ['warnings and errors', { ...ALL, level: 'warning' }, [1, 2]],
    ['those that contain a text, in any case', { ...ALL, search: 'LIVE' }, [3]],
    ['those that match all filters', { ...ALL, stream: 'stderr', instance: 'web-1', level: 'warning' }, [2]],
  ])('are %s', (_, filter, shown) => expect(filtered(lines, filter)).toEqual(shown.map(index => lines[index])));

  it('name their source, and the platform once', () => {
    expect(lines.map(sourceOf)).toEqual(['web-1', 'web-2 stderr', 'web-1 stderr', 'platform']);
    expect(instancesIn(lines)).toEqual(['web-1', 'web-2']);
    expect(textOf(lines.slice(1, 2))).toBe('2026-03-01T10:00:00.000Z web-2 stderr: Error: no\n');
  });
});

describe('the number of new lines', () => {
  const [a, b, c] = [line('a'), line('b'), line('c')];

  it.each<[string, Line | undefined, readonly Line[], number]>([
    ['is 0 at the last line', b, [a, b], 0],
    ['counts those after it', a, [a, b, c], 2],
    ['counts those after an equal line of another reply', { ...b }, [a, b, c], 1],
    ['counts all when it is gone', a, [b, c], 2],
    ['is 0 before anything was seen', undefined, [a, b], 0],
  ])('%s', (_, seen, lines, count) => expect(newLinesAfter(seen, lines)).toBe(count));
});

describe('the marked parts of a line', () => {
  it('are every occurrence of the search, in any case', () =>
    expect(marked('Error: an error', 'error')).toEqual([
      { part: 'Error', hit: true },
      { part: ': an ', hit: false },
      { part: 'error', hit: true },
    ]));
  it('are none without a search', () => expect(marked('a', '')).toEqual([{ part: 'a', hit: false }]));
});
