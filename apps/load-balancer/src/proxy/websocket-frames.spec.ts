import { describe, expect, it } from '@jest/globals';
import { WebSocketFrames } from './websocket-frames.js';

const text = (bytes: number): Buffer => {
  const payload = Buffer.alloc(bytes, 'x');
  if (bytes < 126) return Buffer.concat([Buffer.from([0x81, bytes]), payload]);
  if (bytes < 65_536) return Buffer.concat([Buffer.from([0x81, 126, bytes >> 8, bytes & 255]), payload]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(bytes));
  return Buffer.concat([Buffer.from([0x81, 127]), length, payload]);
};

const after = (...chunks: readonly Buffer[]): boolean => {
  const frames = new WebSocketFrames();
  for (const chunk of chunks) frames.push(chunk);
  return frames.betweenFrames;
};

describe('The frames of a WebSocket', () => {
  it.each([0, 1, 125, 126, 65_535, 65_536, 100_000])('end after a payload of %i bytes', bytes => {
    const frame = text(bytes);
    expect(after(frame)).toBe(true);
    expect(after(frame.subarray(0, -1))).toBe(false);
    expect(after(frame, frame.subarray(0, 1))).toBe(false);
    expect(after(frame, frame)).toBe(true);
  });

  it('are found regardless of how the bytes are split', () => {
    const bytes = Buffer.concat([text(3), text(300), text(70_000), text(0)]);
    for (const size of [1, 2, 3, 13, 14, 1_000, 65_536]) {
      const frames = new WebSocketFrames();
      for (let from = 0; from < bytes.length; from += size) frames.push(bytes.subarray(from, from + size));
      expect(frames.betweenFrames).toBe(true);
    }
  });

  it('of clients are masked', () => {
    const masked = Buffer.from([0x81, 0x82, 1, 2, 3, 4, 9, 9]);
    expect(after(masked)).toBe(true);
    expect(after(masked.subarray(0, 7))).toBe(false);
  });
});
