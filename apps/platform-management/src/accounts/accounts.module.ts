import { Inject, Injectable, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import type { EventMetadata } from '@postern/event-sourcing';
import { PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { CONFIG, Database, Tasks } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { firstOperatorOf, type PlatformManagementConfig } from '../config.js';
import { accounts, ProjectedAccounts } from './accounts.projection.js';
import { Argon2PasswordHasher } from './argon2-password-hasher.js';
import { AuthenticateSession } from './authenticate-session.js';
import { ChangePassword } from './change-password.js';
import { CreateFirstOperator } from './create-first-operator.js';
import { CreateSession } from './create-session.js';
import { CreateUser } from './create-user.js';
import { CreateWorkspace } from './create-workspace.js';
import { ForgetOldLogins } from './delete-expired-logins.js';
import { EndSession } from './end-session.js';
import { GetMe } from './get-me.js';
import { LoginGuard } from './login-guard.js';
import { AccountDirectory, LoginFailures, PasswordHasher, Sessions, UserRegistry } from './ports.js';
import { LoginFailureRows } from './postgres-login-failures.js';
import { SessionRows } from './postgres-sessions.js';
import { PostgresUserRegistry } from './postgres-user-registry.js';
import { SessionsController } from './sessions.controller.js';
import { SwitchWorkspace } from './switch-workspace.js';
import { UsersController } from './users.controller.js';

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
