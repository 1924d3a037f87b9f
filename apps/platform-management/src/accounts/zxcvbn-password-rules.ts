import { Injectable } from '@nestjs/common';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { PasswordRules } from './ports.js';

/** Estimated guesses below which a password is refused: what a list of common passwords and their variants finds. */
const FEWEST_GUESSES = 1e6;
/** Longer passwords are judged by their beginning, which bounds the time of the estimate. */
const JUDGED_LENGTH = 64;

/** Finds the 49,000 most common passwords, their variants, repetitions, sequences, keyboard patterns and dates. */
@Injectable()
export class ZxcvbnPasswordRules extends PasswordRules {
  #estimator: ZxcvbnFactory | undefined;

  override problemOf(password: string, ownWords: readonly string[]): string | undefined {
    // The dictionaries take a moment to read, so this happens at the first use.
    this.#estimator ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: JUDGED_LENGTH });
    const { guesses, sequence } = this.#estimator.check(password, ownWords.flatMap(partsOf));
    if (guesses >= FEWEST_GUESSES) return undefined;
    return sequence.some(match => 'dictionaryName' in match && match['dictionaryName'] === 'userInputs')
      ? 'must not be your email address or name, or a variation of it; choose for example four unrelated words'
      : 'is a common password or a simple pattern, which attackers try first; choose for example four unrelated words';
  }
}

const SEPARATORS = /[\s@._+'-]+/g;

/** A word as it is, without separators, and in parts: addresses and names of several words. */
const partsOf = (word: string): string[] =>
  [word, ...word.split('@')]
    .flatMap(each => [each, each.replace(SEPARATORS, ''), ...each.split(SEPARATORS)])
    .filter(part => part.length > 2);
