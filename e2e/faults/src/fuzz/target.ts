import type { SeededRandom } from '../run/random.js';

/** A part of Postern that takes input from outside. */
export interface FuzzTarget {
  readonly name: string;
  /** Sends one input. @returns what is wrong with the answer. */
  attack(random: SeededRandom): Promise<string | undefined>;
}

/** An answer in short, for a message. */
export const shortened = (text: string): string => JSON.stringify(text.slice(0, 300));
