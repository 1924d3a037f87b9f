import { describe, expect, it } from '@jest/globals';
import { silentLog } from '@postern/messaging';
import { Tasks } from './tasks.js';

describe('A repeating task', () => {
  it('never overlaps and is repeated after a failure', async () => {
    const tasks = new Tasks(silentLog);
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    let runs = 0;
    tasks.every(1, 'count', async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(done => setImmediate(done));
      running -= 1;
      runs += 1;
      if (runs === 5) resolve();
      if (runs === 2) throw new Error('once');
    });
    await enough;
    await tasks.stop();
    expect(most).toBe(1);
  });

  it('finishes before the service stops, and is not started again', async () => {
    const tasks = new Tasks(silentLog);
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    let finished = 0;
    tasks.every(1, 'slow', async signal => {
      start();
      await new Promise(done => signal.addEventListener('abort', () => setImmediate(done)));
      finished += 1;
    });
    await started;
    await tasks.stop();
    expect(finished).toBe(1);
  });
});
