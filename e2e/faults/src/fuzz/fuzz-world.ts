import { DashboardClient, type RunningPostern } from '@postern/local-start';
import { waitFor } from '@postern/testing';

/** The attacker's credentials and resources: those of an ordinary tenant, and a link from an email to them. */
export interface Attacker {
  readonly sessionToken: string;
  readonly platformKey: string;
  readonly apiKey: string;
  readonly projectId: string;
  readonly serviceId: string;
  readonly webServiceId: string;
  /** The path of a deploy hook, with its token. */
  readonly deployHookPath: string;
  readonly deployHookSecret: string;
  /** The path of a tracked link, `/c/…`. */
  readonly linkPath: string;
}

const PASSWORD = 'correct horse battery staple';
const SUBJECT = 'Fuzz';

interface Created {
  readonly id: string;
  readonly key: string;
}

const newUser = async (postern: RunningPostern, name: string): Promise<[DashboardClient, string]> => {
  const operator = new DashboardClient(postern.baseUrl);
  await operator.login(postern.operator.email, postern.operator.password);
  const email = `${name}@fuzz.test`;
  await operator.post('/users', { email, password: PASSWORD, workspace_name: name });
  // The attacks use up the request limit of this host's address.
  const user = new DashboardClient(postern.baseUrl, { retryForMs: 60_000 });
  await user.login(email, PASSWORD);
  const { token } = await user.post<{ token: string }>('/session', { email, password: PASSWORD });
  return [user, token];
};

const sendEmail = async (postern: RunningPostern, apiKey: string, to: string): Promise<void> => {
  const body = {
    from: 'shop@fuzz.test',
    to: [to],
    subject: SUBJECT,
    message: '<a href="https://example.com/">link</a>',
  };
  const headers = { 'content-type': 'application/json', 'api-key': apiKey };
  const response = await fetch(`${postern.baseUrl}/emails`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`The email was answered with ${response.status}: ${await response.text()}`);
};

const emailService = async (postern: RunningPostern, user: DashboardClient, address: string): Promise<Created> => {
  const { id } = await user.post<Created>('/email-services', { name: 'fuzz' });
  await user.patch(`/email-services/${id}`, { click_tracking: true });
  await user.post(`/email-services/${id}/recipients/me`);
  const { key } = await user.post<Created>(`/email-services/${id}/api-keys`, { name: 'fuzz' });
  await sendEmail(postern, key, address);
  return { id, key };
};

interface Mail {
  readonly subject: string;
  readonly envelope_from: string;
  readonly raw: string;
}

/** The email that `sendEmail` sent to an address; the address also gets emails about its account. */
const emailTo = (postern: RunningPostern, address: string): Promise<Mail> =>
  waitFor(
    async () => {
      const mails = await (await fetch(`${postern.mailboxUrl}/messages?to=${encodeURIComponent(address)}`)).json();
      return (mails as Mail[]).find(({ subject }) => subject === SUBJECT);
    },
    { timeoutMs: 20_000, describe: `the email to ${address}` },
  );

const linkPathIn = ({ raw }: Mail): string => {
  const path = /\/c\/[\w.~-]+/.exec(raw.replace(/=\r\n/g, '').replaceAll('=3D', '='))?.[0];
  if (path === undefined) throw new Error('The email has no tracked link.');
  return path;
};

export const createAttacker = async (postern: RunningPostern): Promise<Attacker> => {
  const [user, sessionToken] = await newUser(postern, 'attacker');
  const service = await emailService(postern, user, 'attacker@fuzz.test');
  const { key } = await user.post<Created>('/platform-keys', { name: 'fuzz', scope: 'write' });
  const { id: projectId } = await user.post<Created>('/projects', { name: 'fuzz' });
  const { id: webServiceId } = await user.post<Created>('/web-services', {
    name: 'fuzz',
    project_id: projectId,
    git_repository_url: 'https://git.example.com/shop/storefront.git',
    port: 3000,
  });
  const hook = await user.post<{ url: string; secret: string }>(`/web-services/${webServiceId}/deploy-hook`);
  const linkPath = linkPathIn(await emailTo(postern, 'attacker@fuzz.test'));
  return {
    sessionToken,
    platformKey: key,
    apiKey: service.key,
    projectId,
    serviceId: service.id,
    webServiceId,
    deployHookPath: new URL(hook.url).pathname,
    deployHookSecret: hook.secret,
    linkPath,
  };
};

/** Another tenant, whose data must not change. */
export interface Bystander {
  /** The envelope sender of an email of this tenant, the address for its bounces. */
  readonly returnPath: string;
  /** Everything that the tenant can read through the API. */
  read(): Promise<string>;
}

export const createBystander = async (postern: RunningPostern): Promise<Bystander> => {
  const [user] = await newUser(postern, 'bystander');
  const { id } = await emailService(postern, user, 'bystander@fuzz.test');
  await user.post('/projects', { name: 'bystander' });
  await user.post(`/email-services/${id}/webhooks`, { url: 'https://hooks.example.com/events', events: ['clicked'] });
  const paths = ['', '/emails', '/recipients', '/webhooks', '/suppressions', '/domains'].map(
    path => `/email-services/${id}${path}`,
  );
  const read = async () => {
    const seen = await Promise.all([...paths, '/projects', '/me'].map(path => user.get(path)));
    return JSON.stringify(seen, (key, value) => (key === 'last_used_at' ? undefined : value), 1);
  };
  await waitFor(async () => (await read()).includes('"delivered"'), { timeoutMs: 20_000, describe: 'the delivery' });
  const { envelope_from: returnPath } = await emailTo(postern, 'bystander@fuzz.test');
  return { returnPath, read };
};
