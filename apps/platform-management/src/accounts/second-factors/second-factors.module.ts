import { Module } from '@nestjs/common';
import { EncryptionModule } from '../../infrastructure/encryption/encryption.module.js';
import { AccountTransactionsModule } from '../account-transactions.module.js';
import { LoginLimitsModule } from '../login-limits/login-limits.module.js';
import { UsersModule } from '../users/users.module.js';
import { ConfirmSecondFactor } from './confirm-second-factor.js';
import { DisableSecondFactor } from './disable-second-factor.js';
import { GetSecondFactor } from './get-second-factor.js';
import { RemoveSecondFactor } from './remove-second-factor.js';
import { RenewRecoveryCodes } from './renew-recovery-codes.js';
import { SecondFactorCheck } from './second-factor-check.js';
import { SecondFactors } from './second-factors.js';
import { StartSecondFactor } from './start-second-factor.js';
import { TwoFactorReauthentication } from './two-factor-reauthentication.js';

/** Authenticators and recovery codes of users. */
@Module({
  imports: [AccountTransactionsModule, EncryptionModule, LoginLimitsModule, UsersModule],
  providers: [
    StartSecondFactor,
    ConfirmSecondFactor,
    GetSecondFactor,
    RenewRecoveryCodes,
    DisableSecondFactor,
    RemoveSecondFactor,
    TwoFactorReauthentication,
    SecondFactorCheck,
    SecondFactors,
  ],
  exports: [SecondFactorCheck],
})
export class SecondFactorsModule {}
