import { describe, expect, it } from '@jest/globals';
import { passedSocket } from './passed-socket.js';

describe('The socket that systemd passes', () => {
  it('is the first descriptor after standard error', () =>
    expect(passedSocket({ LISTEN_FDS: '1', LISTEN_PID: '42' }, 42)).toEqual({ fd: 3 }));

  it.each([
    ['none is passed', {}],
    ['it was passed to a parent', { LISTEN_FDS: '1', LISTEN_PID: '41' }],
  ])('is not used if %s', (_when, environment) => expect(passedSocket(environment, 42)).toBeUndefined());

  it('must be the only one', () =>
    expect(() => passedSocket({ LISTEN_FDS: '2', LISTEN_PID: '42' }, 42)).toThrow('must have one ListenStream'));
});
