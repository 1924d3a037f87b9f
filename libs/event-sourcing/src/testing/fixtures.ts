import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { type Decider, fold } from '../decider.js';
import type { DomainEvent } from '../event.js';
import { type Upcasters, upcast } from '../upcasting.js';

/**
 * Tests a decider with stored events: every JSON file of the folder holds one history, `{events, state}`, as a
 * release wrote it, and must fold into its state.
 */
export const foldsEveryFixture = <State, Command, Event extends DomainEvent>(
  folder: string,
  decider: Decider<State, Command, Event>,
  upcasters: Upcasters = {},
): void => {
  it.each(readdirSync(folder).filter(name => name.endsWith('.json')))('folds %s as it was written', file => {
    const { events, state } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      events: DomainEvent[];
      state: unknown;
    };
    const folded = fold(
      decider,
      events.map(event => upcast(event, upcasters)),
    );
    expect(JSON.parse(JSON.stringify(folded))).toEqual(state);
  });
};
