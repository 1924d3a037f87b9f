import type { SeededRandom } from '../run/random.js';

/** An external interface of Postern. */
export interface FuzzTarget {
  readonly name: string;
  /** Sends one input. @returns what is wrong with the response. */
  attack(random: SeededRandom): Promise<string | undefined>;
}

/** Shortens a response for a message. */
export const shortened = (text: string): string => JSON.stringify(text.slice(0, 300));
