import { expect, it } from '@jest/globals';
import { linesOfDeployment } from './deployment-lines.js';
import type { Line } from './log-filter.js';

const line = (stream: Line['stream'], second: number): Line => ({
  timestamp: `2030-01-02T03:04:0${second}.000Z`,
  instance: 'x',
  stream,
  message: `${stream} ${second}`,
});
const LINES = [line('build', 1), line('platform', 2), line('stdout', 3), line('build', 4)];

it('The log of a deployment in progress has its build and its release, and no output of instances', () =>
  expect(linesOfDeployment(LINES, { started_at: '2030-01-02T03:04:02.000Z' }).map(({ message }) => message)).toEqual([
    'platform 2',
    'build 4',
  ]));

it('The log of a queued deployment is empty', () => expect(linesOfDeployment(LINES, { started_at: null })).toEqual([]));
