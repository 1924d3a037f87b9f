/**
 * Finds many strings in one pass (Aho and Corasick, 1975). States are numbers, and 0 is the start; a state represents
 * the longest suffix of the text that is a prefix of some string. Decision 59: the npm package is unmaintained.
 */
export class StringAutomaton {
  /** The transitions of state 0 by character code, because most of a text is read in this state. */
  readonly #first = new Int32Array(0x1_00_00);
  readonly #child: Int32Array;
  readonly #sibling: Int32Array;
  readonly #code: Uint16Array;
  readonly #depth: Int32Array;
  readonly #fallback: Int32Array;
  readonly #match: Int32Array;
  #size = 1;

  constructor(strings: readonly string[]) {
    const size = strings.reduce((sum, { length }) => sum + length, 1);
    this.#child = new Int32Array(size);
    this.#sibling = new Int32Array(size);
    this.#code = new Uint16Array(size);
    this.#depth = new Int32Array(size);
    this.#fallback = new Int32Array(size);
    this.#match = new Int32Array(size);
    for (const text of strings) this.#add(text);
    this.#connect();
  }

  next(state: number, code: number): number {
    let from = state;
    for (;;) {
      const to = this.#childOf(from, code);
      if (to !== 0 || from === 0) return to;
      from = this.#fallback[from]!;
    }
  }

  /** The length of the longest string that ends here; 0 if there is none. */
  longestMatch(state: number): number {
    return this.#match[state]!;
  }

  /** How many of the last characters can still become a string. */
  depth(state: number): number {
    return this.#depth[state]!;
  }

  #childOf(state: number, code: number): number {
    if (state === 0) return this.#first[code]!;
    let child = this.#child[state]!;
    while (child !== 0 && this.#code[child] !== code) child = this.#sibling[child]!;
    return child;
  }

  #add(text: string): void {
    let state = 0;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      state = this.#childOf(state, code) || this.#grow(state, code);
    }
    if (state !== 0) this.#match[state] = text.length;
  }

  #grow(parent: number, code: number): number {
    const state = this.#size;
    this.#size += 1;
    this.#code[state] = code;
    this.#depth[state] = this.#depth[parent]! + 1;
    this.#sibling[state] = this.#child[parent]!;
    this.#child[parent] = state;
    if (parent === 0) this.#first[code] = state;
    return state;
  }

  /** Computes the fallbacks breadth-first, because a state falls back to shorter ones. */
  #connect(): void {
    const queue = new Int32Array(this.#size);
    let filled = 1;
    for (let taken = 0; taken < filled; taken += 1) {
      const state = queue[taken]!;
      for (let child = this.#child[state]!; child !== 0; child = this.#sibling[child]!) {
        const fallback = state === 0 ? 0 : this.next(this.#fallback[state]!, this.#code[child]!);
        this.#fallback[child] = fallback;
        this.#match[child] ||= this.#match[fallback]!;
        queue[filled] = child;
        filled += 1;
      }
    }
  }
}
