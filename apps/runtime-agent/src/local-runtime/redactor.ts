import type { Redactor } from './logs/line-splitter.js';
import { formsOf } from './redactor-forms.js';
import { ShortSecrets } from './short-secrets.js';
import { StringAutomaton } from './string-automaton.js';

export const MASK = '********';

/** Output streams of one build or instance share the automaton of their secrets. */
const automata = new WeakMap<readonly string[], StringAutomaton>();

/**
 * Secrets of more characters than an environment can hold are not searched for, to limit the memory of the platform.
 */
const MAX_CHARACTERS = 1024 * 1024;
const WITHHELD = '[output withheld: there are too many secrets to look for]';

/**
 * Masks secrets in every form that programs print them in, regardless of chunk boundaries. Takes time linear in the
 * text, for any secrets, and holds back less than the longest string that it searches for (256 characters).
 */
export const redactor = (secrets: readonly string[]): Redactor => {
  if (secrets.reduce((sum, { length }) => sum + length, 0) > MAX_CHARACTERS)
    return { push: () => '', end: () => WITHHELD };
  const automaton = automata.get(secrets) ?? new StringAutomaton(secrets.flatMap(formsOf));
  automata.set(secrets, automaton);
  return new StreamRedactor(automaton, new ShortSecrets(secrets));
};

interface Span {
  readonly start: number;
  readonly end: number;
  /** Whether the mask of the span has been emitted; the beginning of the span is then no longer held. */
  readonly isMasked: boolean;
}

class StreamRedactor implements Redactor {
  #state = 0;
  #held = '';
  /** Offset of `#held` in the whole text. */
  #offset = 0;
  /** The spans of the held text to mask, in order and without overlap. */
  #spans: Span[] = [];

  constructor(
    private readonly automaton: StringAutomaton,
    private readonly short: ShortSecrets,
  ) {}

  push(chunk: string): string {
    const from = this.#offset + this.#held.length;
    this.#held += chunk;
    const searchesShort = !this.short.isEmpty;
    for (let index = 0; index < chunk.length; index += 1) {
      if (searchesShort)
        for (const { start, end } of this.short.next(chunk.charAt(index), from + index)) this.#mark(start, end);
      this.#state = this.automaton.next(this.#state, chunk.charCodeAt(index));
      const length = this.automaton.longestMatch(this.#state);
      const end = from + index + 1;
      if (length > 0) this.#mark(end - length, end);
    }
    const undecided = from + chunk.length - this.automaton.depth(this.#state);
    return this.#release(searchesShort ? Math.min(undecided, this.short.undecidedFrom) : undecided);
  }

  end(): string {
    this.#state = 0;
    for (const { start, end } of this.short.end()) this.#mark(start, end);
    return this.#release(this.#offset + this.#held.length);
  }

  #mark(start: number, end: number): void {
    let span: Span = { start, end, isMasked: false };
    for (let last = this.#spans.at(-1); last && last.end > start; last = this.#spans.at(-1)) {
      span = { start: Math.min(span.start, last.start), end, isMasked: span.isMasked || last.isMasked };
      this.#spans.pop();
    }
    this.#spans.push(span);
  }

  /** Returns the text before `safe`, in which no later match can begin. */
  #release(safe: number): string {
    const pieces: string[] = [];
    let at = this.#offset;
    for (const { start, end, isMasked } of this.#spans) {
      if (start >= safe && end > safe) break;
      pieces.push(this.#held.slice(at - this.#offset, start - this.#offset), isMasked ? '' : MASK);
      at = Math.min(end, safe);
    }
    pieces.push(this.#held.slice(at - this.#offset, safe - this.#offset));
    this.#spans = this.#spans
      .filter(({ end }) => end > safe)
      .map(({ start, end, isMasked }) => ({ start: Math.max(start, safe), end, isMasked: isMasked || start < safe }));
    this.#held = this.#held.slice(safe - this.#offset);
    this.#offset = safe;
    return pieces.join('');
  }
}
