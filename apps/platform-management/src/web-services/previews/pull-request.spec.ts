import { describe, expect, it } from '@jest/globals';
import { afterEvent, type PullRequest } from './pull-request.js';
import type { PullRequestAction } from './pull-request-event.js';

const at = (second: number) => new Date(second * 1_000);

/** Applies events in the order of their delivery; each is an action with the second at which it happened. */
const delivered = (...events: readonly (readonly [PullRequestAction, number | undefined])[]) => {
  let request: PullRequest | undefined;
  const ignored: string[] = [];
  for (const [action, second] of events) {
    const next = afterEvent(request, { action, changedAt: second === undefined ? undefined : at(second) });
    if ('ignored' in next) ignored.push(action);
    else request = next;
  }
  return { isOpen: request?.isOpen, ignored };
};

describe('a pull request', () => {
  it.each([
    [
      'is open after it was opened and updated',
      [
        ['open', 1],
        ['update', 2],
      ],
      true,
      [],
    ],
    ['is open if its first event is an update', [['update', 2]], true, []],
    [
      'stays open if events are repeated',
      [
        ['open', 1],
        ['open', 1],
        ['update', 1],
      ],
      true,
      [],
    ],
    ['is closed at once if its first event closes it', [['close', 3]], false, []],
    [
      'stays closed if an update comes late',
      [
        ['open', 1],
        ['close', 3],
        ['update', 2],
      ],
      false,
      ['update'],
    ],
    [
      'stays closed if an update has the same time',
      [
        ['open', 1],
        ['close', 3],
        ['update', 3],
      ],
      false,
      ['update'],
    ],
    [
      'stays closed if its opening comes late',
      [
        ['close', 3],
        ['open', 1],
      ],
      false,
      ['open'],
    ],
    [
      'stays closed if it is closed again',
      [
        ['open', 1],
        ['close', 3],
        ['close', 3],
      ],
      false,
      [],
    ],
    [
      'is open after it was reopened',
      [
        ['open', 1],
        ['close', 3],
        ['reopen', 4],
        ['update', 5],
      ],
      true,
      [],
    ],
    [
      'is open after it was reopened in the same second',
      [
        ['close', 3],
        ['reopen', 3],
      ],
      true,
      [],
    ],
    [
      'stays closed if an earlier reopening comes late',
      [
        ['close', 5],
        ['reopen', 4],
      ],
      false,
      ['reopen'],
    ],
    [
      'stays open if an earlier closing comes late',
      [
        ['open', 1],
        ['reopen', 4],
        ['close', 3],
      ],
      true,
      ['close'],
    ],
    [
      'is closed by a later closing whatever came between',
      [
        ['reopen', 4],
        ['update', 9],
        ['close', 5],
      ],
      false,
      [],
    ],
    [
      'follows the order of delivery without times',
      [
        ['open', undefined],
        ['close', undefined],
        ['update', undefined],
      ],
      false,
      ['update'],
    ],
    [
      'is reopened without times',
      [
        ['close', undefined],
        ['reopen', undefined],
      ],
      true,
      [],
    ],
  ] as const)('%s', (_, events, isOpen, ignored) => expect(delivered(...events)).toEqual({ isOpen, ignored }));
});
