export interface SecondFactorRow {
  /** The secret in base32. */
  readonly secret: string;
  readonly confirmed: boolean;
  /** Whether the second factor can still be confirmed. */
  readonly started: boolean;
  /** Number of unused recovery codes. */
  readonly recoveryCodes: number;
}

/** Secrets of authenticators, and hashes of recovery codes. */
export abstract class SecondFactors {
  abstract find(userId: string): Promise<SecondFactorRow | undefined>;
  /** @returns false, without a change, if the user has a confirmed second factor. */
  abstract start(userId: string, secret: string): Promise<boolean>;
  /**
   * Confirms the second factor and ends all sessions of the user except the one with the token, in one transaction.
   * @returns false if there is no second factor to confirm. @throws the refusal `second_factor_enabled`.
   */
  abstract confirm(userId: string, step: number, codeHashes: readonly string[], tokenHash: string): Promise<boolean>;
  /** @returns false if a code of this or a later step was used before. */
  abstract useStep(userId: string, step: number): Promise<boolean>;
  /** @returns false if the code does not exist or was used before. */
  abstract useRecoveryCode(userId: string, codeHash: string): Promise<boolean>;
  /** @throws the refusal `second_factor_not_enabled`. */
  abstract renewRecoveryCodes(userId: string, codeHashes: readonly string[]): Promise<void>;
  /** @throws the refusal `second_factor_not_enabled`. */
  abstract remove(userId: string, actorId: string): Promise<void>;
}

/** `absent`: the user has no second factor. `required`: the user has a second factor, and no code was sent. */
export type SecondFactorAnswer = 'absent' | 'required' | 'right' | 'wrong';

/** Checks codes of authenticators and recovery codes, each of which works once. */
export abstract class SecondFactorCheck {
  abstract answer(userId: string, code: string | undefined): Promise<SecondFactorAnswer>;
}
