import { describe, expect, it } from '@jest/globals';
import { EventStreamParser } from './event-stream.js';

const STREAM =
  'retry: 2000\n\nid: 1\ndata: one\n\n: a comment\n\nevent: end\ndata: two\ndata: lines\n\ndata\n\nid: 4\n\n';
const EVENTS = [
  { id: '1', type: 'message', data: 'one' },
  { id: '1', type: 'end', data: 'two\nlines' },
  { id: '1', type: 'message', data: '' },
];

describe('Server-sent events', () => {
  it.each([
    ['LF', STREAM],
    ['CR LF', STREAM.replaceAll('\n', '\r\n')],
    ['CR', STREAM.replaceAll('\n', '\r')],
  ])('are read with lines that end with %s', (_, stream) => {
    // The last line of a stream with CR ends only when more arrives.
    expect(new EventStreamParser().push(`${stream}: end`)).toEqual(EVENTS);
  });

  it('are the same, however the stream is cut', () => {
    const stream = STREAM.replaceAll('\n', '\r\n');
    for (let size = 1; size < 9; size += 1) {
      const parser = new EventStreamParser();
      const pieces = stream.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
      expect(pieces.flatMap(piece => parser.push(piece))).toEqual(EVENTS);
    }
  });

  it('keep colons and spaces of their data', () => {
    expect(new EventStreamParser().push('data:  {"a": 1}\n\n')).toMatchObject([{ data: ' {"a": 1}' }]);
  });
});
