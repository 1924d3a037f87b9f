import { describe, expect, it } from '@jest/globals';
import { isRequested, outcomeFor } from './recipient-outcome.js';

const actionsFor = (address: string) =>
  outcomeFor(address, 'simulator.test', 1_000).steps.flatMap(step => (step.kind === 'notify' ? [step.action] : []));

describe('the outcome for a recipient', () => {
  it.each([
    ['HARD-Bounce@Simulator.TEST', ['failed']],
    ['slow+order-7@simulator.test', ['delayed', 'delivered']],
    ['unknown@simulator.test', ['delivered']],
    ['hard-bounce@elsewhere.test', ['delivered']],
    ['hard-bounce@sub.simulator.test', ['delivered']],
  ])('of %s is %j', (address, actions) => {
    expect(actionsFor(address)).toEqual(actions);
  });
});

describe('a notification', () => {
  it.each([
    ['failed', [], true],
    ['delivered', [], false],
    ['relayed', ['SUCCESS'], true],
    ['delayed', ['DELAY'], true],
    ['delayed', ['SUCCESS', 'FAILURE'], false],
    ['failed', ['NEVER'], false],
  ] as const)('%s with NOTIFY=%j is requested: %s', (action, notify, requested) => {
    expect(isRequested(action, [...notify])).toBe(requested);
  });
});
