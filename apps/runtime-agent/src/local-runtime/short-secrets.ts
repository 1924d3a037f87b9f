/** Secrets with fewer characters are masked only as whole words, because they also occur within ordinary words. */
export const SHORTEST_ANYWHERE = 4;

const WORD = /[\p{L}\p{M}\p{N}_]/u;

const isWord = (character: string | undefined): boolean => character !== undefined && WORD.test(character);

/** The position of a secret in the text, as a whole word. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

const NONE: readonly Place[] = [];

/** Finds short secrets as whole words in a text that is read character by character. */
export class ShortSecrets {
  readonly #secrets: ReadonlySet<string>;
  readonly #beginnings: ReadonlySet<string>;
  /** The last characters of secrets: most characters of a text are none of them and need no further check. */
  readonly #endings: ReadonlySet<string>;
  /** The last characters, newest first: the maximum length of a short secret, and one more. */
  #newest = '';
  #second = '';
  #third = '';
  #fourth = '';
  #index = 0;
  /** Places that count unless a word character follows them, longest first. */
  #open: readonly Place[] = NONE;

  constructor(secrets: readonly string[]) {
    this.#secrets = new Set(secrets.filter(({ length }) => length > 0 && length < SHORTEST_ANYWHERE));
    this.#beginnings = new Set([...this.#secrets].flatMap(secret => [secret.slice(0, 1), secret.slice(0, 2)]));
    this.#endings = new Set([...this.#secrets].map(secret => secret.slice(-1)));
  }

  get isEmpty(): boolean {
    return this.#secrets.size === 0;
  }

  /** Processes the character at an index of the text; returns the places that it completes. */
  next(character: string, index: number): readonly Place[] {
    const complete = this.#open.length > 0 && isWord(character) && isWord(this.#newest) ? NONE : this.#open;
    this.#fourth = this.#third;
    this.#third = this.#second;
    this.#second = this.#newest;
    this.#newest = character;
    this.#index = index + 1;
    this.#open = this.#endings.has(character) ? this.#endingWith(this.#secrets) : NONE;
    return complete;
  }

  /** Returns the places at the end of the text. */
  end(): readonly Place[] {
    return this.#open;
  }

  /** The start of the text that can still become a secret; the end of the text if there is none. */
  get undecidedFrom(): number {
    const undecided = [...this.#open, ...this.#endingWith(this.#beginnings)];
    return Math.min(this.#index, ...undecided.map(({ start }) => start));
  }

  #endingWith(wanted: ReadonlySet<string>): Place[] {
    const last = this.#fourth + this.#third + this.#second + this.#newest;
    const places: Place[] = [];
    for (let length = Math.min(SHORTEST_ANYWHERE - 1, last.length); length > 0; length -= 1) {
      const found = last.slice(-length);
      const goesOn = isWord(found[0]) && isWord(last.at(-length - 1));
      if (wanted.has(found) && !goesOn) places.push({ start: this.#index - length, end: this.#index });
    }
    return places;
  }
}
