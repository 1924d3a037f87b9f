import type { Provider } from '@nestjs/common';
import type { EventMetadata } from '@postern/event-sourcing';
import { PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { Database, ServiceLog } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { Argon2PasswordHasher } from './adapters/passwords/argon2-password-hasher.js';
import { LoginFailureRows } from './adapters/postgres/login-failure-rows.js';
import { SessionRows } from './adapters/postgres/session-rows.js';
import { PostgresUserRegistry } from './adapters/postgres/user-registry.js';
import { AuthenticateSession } from './commands/authenticate-session.js';
import { ChangePassword } from './commands/change-password.js';
import { CreateSession } from './commands/create-session.js';
import { CreateUser } from './commands/create-user.js';
import { CreateWorkspace } from './commands/create-workspace.js';
import { EndSession } from './commands/end-session.js';
import { GetMe } from './commands/get-me.js';
import { LoginGuard } from './commands/login-guard.js';
import { SwitchWorkspace } from './commands/switch-workspace.js';
import { PrismaClient } from './generated/prisma/client.js';
import { AccountDirectory, LoginFailures, PasswordHasher, Sessions, UserRegistry } from './ports/accounts.js';
import { accounts, ProjectedAccounts } from './projections/accounts.js';
import { CreateFirstOperator } from './reactions/create-first-operator.js';
import { ForgetOldLogins } from './reactions/forget-old-logins.js';

/** A timer's work belongs to no request and begins a correlation of its own. */
const metadata = (): EventMetadata => ({ correlationId: uuidv7(), ...currentContext() });

/** What platform-management is made of. */
export const providers: Provider[] = [
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
  { provide: PasswordHasher, useClass: Argon2PasswordHasher },
  { provide: AccountDirectory, useClass: ProjectedAccounts },
  {
    provide: PrismaClient,
    inject: [Database],
    useFactory: (database: Database) => new PrismaClient({ adapter: database.prismaAdapter() }),
  },
  {
    provide: PostgresEventStore,
    inject: [Database],
    useFactory: ({ pool }: Database) => new PostgresEventStore(pool),
  },
  {
    provide: ProjectionRunner,
    inject: [PostgresEventStore, ServiceLog],
    useFactory: (store: PostgresEventStore, log: ServiceLog) =>
      new ProjectionRunner({
        store,
        projections: [accounts],
        onError: (projection, err) => log.error({ err, projection }, 'A projection stands still; trying again'),
      }),
  },
  {
    provide: UserRegistry,
    inject: [PostgresEventStore, ProjectionRunner],
    useFactory: (store: PostgresEventStore, runner: ProjectionRunner) =>
      new PostgresUserRegistry({ store, metadata, waitUntil: position => runner.waitUntil(accounts.name, position) }),
  },
  { provide: Sessions, inject: [Database], useFactory: ({ pool }: Database) => new SessionRows(pool) },
  { provide: LoginFailures, inject: [Database], useFactory: ({ pool }: Database) => new LoginFailureRows(pool) },
];
