import { Inject, Injectable, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import type { EventMetadata } from '@postern/event-sourcing';
import { PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { CONFIG, Database, Tasks } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { SessionsController } from './adapters/nats/sessions.controller.js';
import { UsersController } from './adapters/nats/users.controller.js';
import { Argon2PasswordHasher } from './adapters/passwords/argon2-password-hasher.js';
import { LoginFailureRows } from './adapters/postgres/login-failure-rows.js';
import { SessionRows } from './adapters/postgres/session-rows.js';
import { PostgresUserRegistry } from './adapters/postgres/user-registry.js';
import { AuthenticateSession } from './commands/accounts/authenticate-session.js';
import { ChangePassword } from './commands/accounts/change-password.js';
import { CreateSession } from './commands/accounts/create-session.js';
import { CreateUser } from './commands/accounts/create-user.js';
import { CreateWorkspace } from './commands/accounts/create-workspace.js';
import { EndSession } from './commands/accounts/end-session.js';
import { GetMe } from './commands/accounts/get-me.js';
import { LoginGuard } from './commands/accounts/login-guard.js';
import { SwitchWorkspace } from './commands/accounts/switch-workspace.js';
import { firstOperatorOf, type PlatformManagementConfig } from './config.js';
import { AccountDirectory, LoginFailures, PasswordHasher, Sessions, UserRegistry } from './ports/accounts.js';
import { accounts, ProjectedAccounts } from './projections/accounts.js';
import { CreateFirstOperator } from './reactions/create-first-operator.js';
import { ForgetOldLogins } from './reactions/forget-old-logins.js';

/** The first operator, and what logins need by the clock. */
@Injectable()
export class AccountsAtStart implements OnApplicationBootstrap {
  constructor(
    @Inject(CONFIG) private readonly config: PlatformManagementConfig,
    private readonly tasks: Tasks,
    private readonly operator: CreateFirstOperator,
    private readonly logins: ForgetOldLogins,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const firstOperator = firstOperatorOf(this.config);
    if (firstOperator) await this.operator.run(firstOperator);
    this.tasks.every(10 * 60_000, 'forget old logins', () => this.logins.run());
  }
}

/** A timer's work belongs to no request and begins a correlation of its own. */
const metadata = (): EventMetadata => ({ correlationId: uuidv7(), ...currentContext() });

/** Needs `PostgresEventStore`, `PrismaClient`, and `ProjectionRunner` with the projection `accounts`. */
export const accountsProviders: Provider[] = [
  LoginGuard,
  CreateSession,
  AuthenticateSession,
  EndSession,
  SwitchWorkspace,
  GetMe,
  CreateUser,
  CreateWorkspace,
  ChangePassword,
  CreateFirstOperator,
  ForgetOldLogins,
  AccountsAtStart,
  { provide: PasswordHasher, useClass: Argon2PasswordHasher },
  { provide: AccountDirectory, useClass: ProjectedAccounts },
  {
    provide: UserRegistry,
    inject: [PostgresEventStore, ProjectionRunner],
    useFactory: (store: PostgresEventStore, runner: ProjectionRunner) =>
      new PostgresUserRegistry({ store, metadata, waitUntil: position => runner.waitUntil(accounts.name, position) }),
  },
  { provide: Sessions, inject: [Database], useFactory: ({ pool }: Database) => new SessionRows(pool) },
  { provide: LoginFailures, inject: [Database], useFactory: ({ pool }: Database) => new LoginFailureRows(pool) },
];

export const accountsControllers = [SessionsController, UsersController];

export const accountsProjections = [accounts];
