import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { ChangeStream } from './change-stream.js';

const never = async () => undefined;

describe('A change stream', () => {
  it('joins the changes that a slow reader has not received', async () => {
    const stream = new ChangeStream({ isOver: never });
    // Nobody reads: the buffer fills, and the rest waits as one set.
    for (let count = 0; count < 5_000; count += 1) stream.changed([`web-services/${count % 3}`]);
    expect(stream.body.readableLength).toBeLessThan(100_000);
    const all = text(stream.body);
    await new Promise(resolve => setImmediate(resolve));
    stream.changed(['databases/last']);
    await new Promise(resolve => setImmediate(resolve));
    stream.end();
    expect(await all).toContain('databases/last');
  });

  it('ends when its session is over, and says so', async () => {
    const stream = new ChangeStream({ isOver: async () => 'the session has ended', heartbeatMs: 5 });
    let isEnded = false;
    stream.onEnd(() => {
      isEnded = true;
    });
    expect(await text(stream.body)).toMatch(
      /: heartbeat\n\nevent: end\ndata: \{"reason":"the session has ended"\}\n\n$/,
    );
    expect(isEnded).toBe(true);
  });
});
