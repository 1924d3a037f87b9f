import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { Metrics } from './metrics.js';

/** Each collection resets the measurement, so collections need an interval. */
const COLLECT_EVERY_MS = 500;
const BLOCKED_MS = 400;

describe('the metrics of a process', () => {
  let metrics: Metrics;

  const longestDelayS = async (): Promise<number> =>
    Number(/^nodejs_eventloop_delay_max\S* (\S+)/m.exec(await metrics.render())?.[1]);

  beforeEach(() => {
    metrics = new Metrics('metrics-spec', '1.2.3');
  });

  afterEach(() => metrics.close());

  it('name the release', async () =>
    expect(await metrics.render()).toMatch(
      /^postern_build_info\{(?=.*version="1\.2\.3").*service_name="metrics-spec".*\} 1/m,
    ));

  it('report no delay for an idle event loop', async () => {
    const onTime = async () => {
      const delayS = await longestDelayS();
      return delayS > 0 && delayS < 0.01;
    };
    await waitFor(onTime, { describe: 'a delay of less than 10 ms', intervalMs: COLLECT_EVERY_MS });
  });

  it('report how long the event loop was blocked since the last collection', async () => {
    const blocked = async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
      await pause(1);
      return (await longestDelayS()) > (BLOCKED_MS - 150) / 1_000;
    };
    await waitFor(blocked, { describe: 'the delay', intervalMs: COLLECT_EVERY_MS });
  });
});
