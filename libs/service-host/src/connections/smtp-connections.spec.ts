import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { clientNetworkOf } from './client-network.js';
import { SmtpConnections } from './smtp-connections.js';

const LIMITS = { perClient: 50, sessionMs: 60_000 };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('The SMTP connections of a client', () => {
  it('have the same limit in a /64 network as from one address', () => {
    const connections = new SmtpConnections(LIMITS, () => []);
    const admitted = Array.from({ length: 200 }, (_, index) =>
      connections.add(`attacker ${index}`, clientNetworkOf(`2001:db8:bad:1::${index.toString(16)}`)),
    );
    expect(admitted.filter(Boolean)).toHaveLength(50);
    expect(connections.add('other', clientNetworkOf('2001:db8:bad:2::1'))).toBe(true);
  });

  it('free their places when they end', () => {
    const connections = new SmtpConnections({ ...LIMITS, perClient: 1 }, () => []);
    expect([connections.add('first', 'a'), connections.add('second', 'a')]).toEqual([true, false]);
    connections.remove('second');
    expect(connections.add('third', 'a')).toBe(false);
    connections.remove('first');
    expect(connections.add('fourth', 'a')).toBe(true);
  });

  it('are closed after their lifetime, on whichever server they are', () => {
    const { servers, closed } = serversWith(['first'], ['second', 'third']);
    const connections = new SmtpConnections(LIMITS, () => servers);
    for (const id of ['first', 'second', 'third']) connections.add(id, 'a');
    connections.remove('third');
    jest.advanceTimersByTime(LIMITS.sessionMs - 1);
    expect(closed).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(closed).toEqual(['first', 'second']);
  });

  it('do not expire after the listener was closed', () => {
    const connections = new SmtpConnections(LIMITS, () => []);
    connections.add('first', 'a');
    connections.close();
    expect(jest.getTimerCount()).toBe(0);
  });
});

const serversWith = (...ids: readonly (readonly string[])[]) => {
  const closed: string[] = [];
  const connection = (id: string) => ({ id, close: () => void closed.push(id) });
  return { closed, servers: ids.map(own => ({ connections: new Set(own.map(connection)) })) };
};
