import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Changes } from './changes.js';

class FakeSource extends EventTarget {
  static readonly opened: FakeSource[] = [];
  isClosed = false;
  onerror: () => void = () => {};

  constructor() {
    super();
    FakeSource.opened.push(this);
  }
  close(): void {
    this.isClosed = true;
  }
  send(type: string, data: unknown): void {
    this.dispatchEvent(Object.assign(new Event(type), { data: JSON.stringify(data) }));
  }
}

const page = Object.assign(new EventTarget(), { hidden: false });
let changes: Changes;
let stop: () => void;
const source = () => FakeSource.opened.at(-1)!;
const counted = (topic?: string) => {
  const counter = { reloads: 0, remove: () => {} };
  counter.remove = changes.listen(topic, () => {
    counter.reloads += 1;
  });
  return counter;
};

beforeEach(() => {
  jest.useFakeTimers();
  Object.assign(globalThis, { document: page });
  page.hidden = false;
  changes = new Changes(() => new FakeSource() as unknown as EventSource);
  stop = changes.start();
  source().send('open', {});
});
afterEach(() => {
  stop();
  jest.useRealTimers();
  // Other specifications in this process have no document.
  Reflect.deleteProperty(globalThis, 'document');
});

describe('A page', () => {
  it('reloads once for many changes of what it shows, and not for others', () => {
    const [shown, other] = [counted('web-services/a'), counted('databases/b')];
    for (let count = 0; count < 20; count += 1) source().send('change', { topics: ['web-services/a'] });
    jest.advanceTimersByTime(1_000);
    expect([shown.reloads, other.reloads]).toEqual([1, 0]);
  });

  it('reloads after any change in the workspace, such as the own one', () => {
    const [one, all] = [counted('web-services/a'), counted()];
    source().send('change', { topics: ['workspaces/w'] });
    jest.advanceTimersByTime(1_000);
    expect([one.reloads, all.reloads]).toEqual([1, 1]);
  });

  it('that is left does not reload', () => {
    const left = counted('web-services/a');
    source().send('change', { topics: ['web-services/a'] });
    left.remove();
    jest.advanceTimersByTime(1_000);
    expect(left.reloads).toBe(0);
  });

  it('reloads after a lost connection, and repeatedly while there is none', () => {
    const shown = counted('web-services/a');
    source().onerror();
    jest.advanceTimersByTime(10_000);
    expect(shown.reloads).toBe(1);
    source().send('open', {});
    expect(shown.reloads).toBe(2);
    jest.advanceTimersByTime(60_000);
    expect(shown.reloads).toBe(2);
  });

  it('reloads when its tab is seen again, and its tab holds no connection meanwhile', () => {
    const shown = counted('web-services/a');
    page.hidden = true;
    page.dispatchEvent(new Event('visibilitychange'));
    jest.advanceTimersByTime(60_000);
    expect(source().isClosed).toBe(true);
    page.hidden = false;
    page.dispatchEvent(new Event('visibilitychange'));
    expect([shown.reloads, source().isClosed]).toEqual([1, false]);
  });
});

it('The end of the session closes the stream, and lets the page ask', () => {
  const shown = counted();
  source().send('end', { reason: 'the session has ended' });
  expect([source().isClosed, shown.reloads]).toEqual([true, 1]);
});
