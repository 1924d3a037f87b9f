import { waitFor } from '@postern/testing';
import { Secret, TOTP } from 'otpauth';
import type { Mailbox } from '../mailbox.js';
import { ONE_WITH_DISK, type Resources } from './resources.js';
import { TestUser } from './test-user.js';

/** What a call of an operation needs in addition to a resource in every place and a sample body. */
export interface Preparation {
  /** By place name. */
  readonly ids?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The caller, if not the operator. */
  readonly user?: TestUser;
}

type Prepare = (setup: Setup) => Promise<Preparation>;

const DASHBOARD = '/dashboard/api';
const NEW_PASSWORD = 'four unrelated words here';
const TOTP_PERIOD_MS = 30_000;
/** Longer than a run of all operations. */
const ENDLESS = 'sleep 3600';

/** Creates the resources that the preparations need. */
export class Setup {
  private addresses = 0;
  private controlled: Promise<string> | undefined;

  constructor(
    readonly operator: TestUser,
    readonly resources: Resources,
    readonly mailbox: Mailbox,
    private readonly receiverUrl: string,
  ) {}

  /** An address with a mailbox but without a user. */
  newAddress(): string {
    return `prepared-${Date.now()}-${++this.addresses}@customers.test`;
  }

  newUser(): Promise<TestUser> {
    const { baseUrl, token } = this.operator;
    return TestUser.create(baseUrl, token, 'prepared', this.receiverUrl, this.newAddress());
  }

  /** A user who has started the setup of a second factor, and a code that confirms it, valid for at least a minute. */
  async starting(): Promise<{ readonly user: TestUser; readonly code: string }> {
    const user = await this.newUser();
    const { secret } = await send(user, 'POST', '/me/second-factor', passwordOf(user));
    const totp = new TOTP({ secret: Secret.fromBase32(String(secret)) });
    // The code of the next period is accepted too, to tolerate clock differences.
    return { user, code: totp.generate({ timestamp: Date.now() + TOTP_PERIOD_MS }) };
  }

  /** A user with a second factor, and a password and a recovery code to authenticate. */
  async enrolled(): Promise<{ readonly user: TestUser; readonly body: object }> {
    const { user, code } = await this.starting();
    const { recovery_codes } = await send(user, 'POST', '/me/second-factor/confirm', { code });
    const [recoveryCode] = recovery_codes as readonly string[];
    return { user, body: { ...passwordOf(user), code: recoveryCode } };
  }

  /** A user with an invitation to the workspace of the operator. */
  async invited(): Promise<{ readonly user: TestUser; readonly ids: { readonly id: string } }> {
    const user = await this.newUser();
    const member = { email: user.email, role: 'viewer' };
    const { id } = await this.send('POST', `/workspaces/${this.operator.workspaceId}/members`, member);
    return { user, ids: { id: String(id) } };
  }

  /** The id of a new resource in a top-level collection. */
  another(collection: string): Promise<string> {
    return this.resources.another({ name: 'id', in: 'path', collection: `${DASHBOARD}/${collection}` });
  }

  /** The id of a running web service, for the operations that deploy, start and stop it. */
  controlledService(): Promise<string> {
    this.controlled ??= this.resources.deployedService();
    return this.controlled;
  }

  async deploymentsOf(service: string): Promise<readonly { readonly id: string; readonly status: string }[]> {
    const { items } = await this.send('GET', `/web-services/${service}/deployments`);
    return items as readonly { readonly id: string; readonly status: string }[];
  }

  send(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    return send(this.operator, method, path, body);
  }
}

/** @throws if the call does not succeed. */
const send = async (user: TestUser, method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
  const answer = await user.call(method, DASHBOARD + path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body}`);
  return answer.json;
};

const passwordOf = (user: TestUser) => ({ password: user.known()['password'] });

/** For operations that end the sessions of their user, or change a workspace that other users act in. */
const inOwnWorkspace =
  (...names: readonly string[]): Prepare =>
  async setup => {
    const user = await setup.newUser();
    return { user, ids: Object.fromEntries(names.map(name => [name, user.workspaceId])) };
  };

const onControlledService: Prepare = async setup => ({ ids: { web_service_id: await setup.controlledService() } });

/** For an operation that deletes a part of a web service; `method` creates that part. */
const withPart =
  (method: 'POST' | 'PUT', part: string, body?: object): Prepare =>
  async setup => {
    const web_service_id = await setup.another('web-services');
    await setup.send(method, `/web-services/${web_service_id}/${part}`, body);
    return { ids: { web_service_id } };
  };

/** In a separate service, because other calls replace all variables of a service. */
const variableToDelete: Prepare = async setup => {
  const web_service_id = await setup.another('web-services');
  const variable = { key: 'UNUSED', value: 'x', is_secret: false };
  const { id } = await setup.send('POST', `/web-services/${web_service_id}/env`, variable);
  return { ids: { web_service_id, var_id: String(id) } };
};

/** In a separate project, because other calls replace all secrets of a project. */
const secretToDelete: Prepare = async setup => {
  const project_id = await setup.another('projects');
  const secret = { key: 'UNUSED', value: 'x', is_secret: true, scope: 'production' };
  const { id } = await setup.send('POST', `/projects/${project_id}/secrets`, secret);
  return { ids: { project_id, secret_id: String(id) } };
};

const deploymentToRollBackTo: Prepare = async setup => {
  const web_service_id = await setup.resources.deployedService();
  const live = (await setup.deploymentsOf(web_service_id)).find(({ status }) => status === 'live');
  if (!live) throw new Error(`The web service ${web_service_id} has no live deployment`);
  return { ids: { web_service_id, deployment_id: live.id } };
};

const deploymentToCancel: Prepare = async setup => {
  const web_service_id = await setup.another('web-services');
  const repository = await setup.resources.startDeployment(web_service_id, ENDLESS);
  const findBuild = async () => {
    const [deployment] = await setup.deploymentsOf(web_service_id);
    const { lines } = await setup.send('GET', `/web-services/${web_service_id}/deployments/${deployment?.id}/logs`);
    const isBuilding = (lines as readonly { message: string }[]).some(({ message }) => message.includes(ENDLESS));
    return isBuilding ? deployment : undefined;
  };
  const found = await waitFor(findBuild, { timeoutMs: 60_000, intervalMs: 100, describe: 'a build without an end' });
  repository.remove();
  return { ids: { web_service_id, deployment_id: found.id } };
};

const runToCancel: Prepare = async setup => {
  const web_service_id = await setup.resources.deployedService();
  const { id } = await setup.send('POST', `/web-services/${web_service_id}/runs`, { command: ENDLESS });
  return { ids: { web_service_id, run_id: String(id) } };
};

const onDisk: Prepare = async setup => {
  const web_service_id = await setup.another('web-services');
  await setup.send('PATCH', `/web-services/${web_service_id}`, ONE_WITH_DISK);
  return { ids: { web_service_id } };
};

const recipientWithCode: Prepare = async setup => {
  const service_id = await setup.another('email-services');
  const address = setup.newAddress();
  const { id } = await setup.send('POST', `/email-services/${service_id}/recipients`, { address });
  return { ids: { service_id, recipient_id: String(id) }, body: { code: await setup.mailbox.codeSentTo(address) } };
};

const scheduledEmail: Prepare = async setup => {
  const collection = `${DASHBOARD}/email-services`;
  const service_id = await setup.resources.idOf({ name: 'service_id', in: 'path', collection });
  const { key } = await setup.send('POST', `/email-services/${service_id}/api-keys`, { name: 'scheduled' });
  const id = await setup.resources.scheduleEmail(String(key));
  return { ids: { service_id, id, scheduled_email_id: id } };
};

/** Operations of both documents, by method and path without the base path. */
const IN_BOTH_DOCUMENTS: Readonly<Record<string, Prepare>> = {
  'POST /web-services/{web_service_id}/deploy': onControlledService,
  'POST /web-services/{web_service_id}/deployments': onControlledService,
  'POST /web-services/{web_service_id}/restart': onControlledService,
  'POST /web-services/{web_service_id}/start': onControlledService,
  'POST /web-services/{web_service_id}/stop': onControlledService,
  'POST /web-services/{web_service_id}/deployments/{deployment_id}/rollback': deploymentToRollBackTo,
  'POST /web-services/{web_service_id}/disk/backups': onDisk,
  'DELETE /web-services/{web_service_id}/env/{var_id}': variableToDelete,
  'DELETE /projects/{project_id}/secrets/{secret_id}': secretToDelete,
};

const IN_DASHBOARD_DOCUMENT: Readonly<Record<string, Prepare>> = {
  'POST /session': async setup => {
    const user = await setup.newUser();
    return { body: { email: user.email, ...passwordOf(user) } };
  },
  'DELETE /session': inOwnWorkspace(),
  'DELETE /sessions': inOwnWorkspace(),
  'DELETE /sessions/{session_id}': async setup => {
    const user = await setup.newUser();
    await user.newSession();
    const sessions: unknown = await send(user, 'GET', '/sessions');
    const other = (sessions as readonly { id: string; current: boolean }[]).find(({ current }) => !current);
    return { user, ids: { session_id: String(other?.id) } };
  },
  'POST /session/workspace': inOwnWorkspace('workspace_id'),
  'POST /me/password': async setup => {
    const user = await setup.newUser();
    return { user, body: { current_password: passwordOf(user).password, new_password: NEW_PASSWORD } };
  },
  'POST /me/second-factor': async setup => {
    const user = await setup.newUser();
    return { user, body: passwordOf(user) };
  },
  'POST /me/second-factor/confirm': async setup => {
    const { user, code } = await setup.starting();
    return { user, body: { code } };
  },
  'POST /me/second-factor/disable': setup => setup.enrolled(),
  'POST /me/second-factor/recovery-codes': setup => setup.enrolled(),
  'POST /password-reset/confirm': async setup => {
    const { email } = await setup.newUser();
    await setup.send('POST', '/password-reset', { email });
    const token = await setup.mailbox.linkTokenSentTo(email, 'Set a new password');
    return { body: { token, password: NEW_PASSWORD } };
  },
  'POST /invitations/accept': async setup => {
    const email = setup.newAddress();
    await setup.send('POST', `/workspaces/${setup.operator.workspaceId}/members`, { email, role: 'viewer' });
    const token = await setup.mailbox.linkTokenSentTo(email, 'Invitation to a workspace');
    return { body: { token, password: NEW_PASSWORD } };
  },
  'POST /invitations/{id}/accept': setup => setup.invited(),
  'POST /invitations/{id}/decline': setup => setup.invited(),
  'POST /users': async setup => ({
    body: { email: setup.newAddress(), password: NEW_PASSWORD, workspace_name: 'Prepared' },
  }),
  'DELETE /users/{id}/second-factor': async setup => ({ ids: { id: (await setup.enrolled()).user.id } }),
  'PATCH /workspaces/{id}': inOwnWorkspace('id'),
  'DELETE /workspaces/{id}': async setup => {
    const user = await setup.newUser();
    const { id } = await send(user, 'POST', '/workspaces', { name: 'Unused' });
    return { user, ids: { id: String(id) } };
  },
  'POST /workspaces/{id}/leave': async setup => {
    const { user, ids } = await setup.invited();
    await send(user, 'POST', `/invitations/${ids.id}/accept`);
    return { user, ids: { id: setup.operator.workspaceId } };
  },
  'POST /email-services/{service_id}/recipients': async setup => ({ body: { address: setup.newAddress() } }),
  'POST /email-services/{service_id}/recipients/me': async setup => ({
    ids: { service_id: await setup.another('email-services') },
  }),
  'POST /email-services/{service_id}/recipients/{recipient_id}/verify': recipientWithCode,
  'PATCH /email-services/{service_id}/scheduled-emails/{scheduled_email_id}': scheduledEmail,
  'DELETE /email-services/{service_id}/scheduled-emails/{scheduled_email_id}': scheduledEmail,
  'POST /email-services/{service_id}/templates/{template_id}/preview': async () => ({ body: { variables: {} } }),
  'POST /email-services/{service_id}/templates/{template_id}/test': async ({ operator }) => ({
    body: { from: 'shop@shop.test', to: [operator.email], variables: {} },
  }),
  'DELETE /web-services/{web_service_id}/deploy-hook': withPart('POST', 'deploy-hook'),
  'DELETE /web-services/{web_service_id}/deploy-key': withPart('POST', 'deploy-key'),
  'DELETE /web-services/{web_service_id}/git-token': withPart('PUT', 'git-token', { token: 'ghp_unused' }),
  'POST /web-services/{web_service_id}/deployments/{deployment_id}/cancel': deploymentToCancel,
  'DELETE /web-services/{web_service_id}/runs/{run_id}': runToCancel,
};

const below = (basePath: string, preparations: Readonly<Record<string, Prepare>>) =>
  Object.fromEntries(
    Object.entries(preparations).map(([title, prepare]) => [title.replace(' ', ` ${basePath}`), prepare]),
  );

/** The preparations of operations, by `<METHOD> <path>`. */
export const PREPARATIONS: Readonly<Record<string, Prepare>> = {
  'POST /emails': async ({ operator }) => ({
    body: { from: 'shop@shop.test', to: [operator.email], subject: 'Prepared', text: 'Prepared' },
  }),
  'POST /scheduled-emails': async ({ operator }) => ({
    body: {
      send_at: new Date(Date.now() + 86_400_000).toISOString(),
      email: { from: 'shop@shop.test', to: [operator.email], subject: 'Prepared', text: 'Prepared' },
    },
  }),
  'PATCH /scheduled-emails/{id}': scheduledEmail,
  'DELETE /scheduled-emails/{id}': scheduledEmail,
  ...below('/api/v1', IN_BOTH_DOCUMENTS),
  ...below(DASHBOARD, { ...IN_BOTH_DOCUMENTS, ...IN_DASHBOARD_DOCUMENT }),
};
