import { describe, expect, it } from '@jest/globals';
import type { LogLine } from '@postern/sdk';
import { BuildLog } from './build-log.js';

const DEPLOYMENT = { id: 'd1', created_at: '2030-01-02T03:04:05.000Z' };
const line = (stream: LogLine['stream'], message: string, second = 6): LogLine => ({
  timestamp: `2030-01-02T03:04:0${second}.000Z`,
  instance: 'build',
  stream,
  message,
});

async function* stored(lines: readonly LogLine[], signal: AbortSignal) {
  yield* lines;
  await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
}

describe('The log of postern deploy', () => {
  it('has the lines of the build and the platform since the request', async () => {
    const printed: string[] = [];
    const log = new BuildLog(DEPLOYMENT, text => printed.push(text));
    const following = log.follow(signal =>
      stored(
        [
          line('build', 'of an earlier build', 1),
          line('platform', 'Deployment d1 begins: https://git.example.com/shop.git'),
          line('build', '$ npm ci'),
          line('stdout', 'output of the running version'),
          line('platform', 'Deployment d1 failed: npm ci exited with code 1'),
        ],
        signal,
      ),
    );
    await log.rest();
    log.end();
    await following;
    expect(printed).toEqual([
      'Deployment d1 begins: https://git.example.com/shop.git',
      '$ npm ci',
      'Deployment d1 failed: npm ci exited with code 1',
    ]);
  });

  it('waits for the last line only for a moment', async () => {
    const log = new BuildLog(DEPLOYMENT, () => undefined, 10);
    const following = log.follow(signal => stored([line('build', '$ npm ci')], signal));
    await log.rest();
    log.end();
    await following;
  });

  it('that cannot be read is one line, and the deployment continues', async () => {
    const printed: string[] = [];
    const log = new BuildLog(DEPLOYMENT, text => printed.push(text));
    await log.follow(() => {
      throw new Error('Too many streams.');
    });
    await log.rest();
    expect(printed).toEqual(['The log is not available: Too many streams.']);
  });
});
