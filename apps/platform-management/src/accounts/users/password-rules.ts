import { Injectable } from '@nestjs/common';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/** Minimum number of estimated guesses; fewer are covered by lists of common passwords and their variants. */
const FEWEST_GUESSES = 1e6;
/** Only this many first characters of a password are checked, which bounds the time of the estimate. */
const JUDGED_LENGTH = 64;

/** Finds the 49,000 most common passwords, their variants, repetitions, sequences, keyboard patterns and dates. */
@Injectable()
export class PasswordRules {
  #estimator: ZxcvbnFactory | undefined;

  /**
   * The reason why a new password is refused, as the end of a sentence; undefined if it is accepted. `ownWords` are the
   * address and names of the user.
   */
  problemOf(password: string, ownWords: readonly string[]): string | undefined {
    // Created at the first use, because reading the dictionaries takes time.
    this.#estimator ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: JUDGED_LENGTH });
    const { guesses, sequence } = this.#estimator.check(password, ownWords.flatMap(partsOf));
    if (guesses >= FEWEST_GUESSES) return undefined;
    return sequence.some(match => 'dictionaryName' in match && match['dictionaryName'] === 'userInputs')
      ? 'must not be your email address or name, or a variation of it; choose for example four unrelated words'
      : 'is a common password or a simple pattern, which attackers try first; choose for example four unrelated words';
  }
}

const SEPARATORS = /[\s@._+'-]+/g;

/** Splits an address or name: returns it unchanged, without separators, and in parts. */
const partsOf = (word: string): string[] =>
  [word, ...word.split('@')]
    .flatMap(each => [each, each.replace(SEPARATORS, ''), ...each.split(SEPARATORS)])
    .filter(part => part.length > 2);
