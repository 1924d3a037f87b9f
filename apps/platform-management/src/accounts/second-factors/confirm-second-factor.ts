import { confirmSecondFactor, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { LoginGuard } from '../login-limits/login-guard.js';
import { newRecoveryCodes, stepOf } from './second-factor-secret.js';
import { SecondFactors } from './second-factors.js';

/** Turns the second factor on with a first code, and returns recovery codes. Other sessions of the user end. */
@Handles(confirmSecondFactor)
export class ConfirmSecondFactor {
  constructor(
    private readonly guard: LoginGuard,
    private readonly factors: SecondFactors,
  ) {}

  async execute(request: RequestOf<typeof confirmSecondFactor>): Promise<ReplyOf<typeof confirmSecondFactor>> {
    const { user_id, code, token_hash } = request;
    const factor = await this.factors.find(user_id);
    if (factor?.confirmed) throw new Refusal('second_factor_enabled', 'two-factor authentication is already on');
    if (!factor?.started) throw notStarted();
    const step = await this.guard.attemptInSession(user_id, async () => stepOf(factor.secret, code, new Date()));
    if (step === undefined) throw new Refusal('credentials_wrong', 'incorrect code; check the clock of your device');
    const { codes, hashes } = newRecoveryCodes();
    if (!(await this.factors.confirm(user_id, step, hashes, token_hash))) throw notStarted();
    return { recovery_codes: [...codes] };
  }
}

const notStarted = (): Refusal =>
  new Refusal('second_factor_not_started', 'start the setup of two-factor authentication first');
