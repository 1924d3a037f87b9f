import { type Answer, callApi } from './client.js';

const PASSWORDS = ['correct horse battery staple', 'another horse, another staple'] as const;

/** A signed-in user of the matrix. */
export class TestUser {
  private constructor(
    readonly baseUrl: string,
    readonly id: string,
    readonly name: string,
    readonly email: string,
    public token: string,
    readonly workspaceId: string,
    private readonly receiverUrl: string,
    private password: string = PASSWORDS[0],
  ) {}

  /** Creates a user as an operator. Mail to the login address bounces, which creates a suppression; webhooks go to the receiver. */
  static async create(
    baseUrl: string,
    operatorToken: string,
    name: string,
    receiverUrl: string,
    email = `hard-bounce+${name}-${Date.now()}@simulator.test`,
  ): Promise<TestUser> {
    const created = await callApi(baseUrl, {
      method: 'POST',
      path: '/dashboard/api/users',
      headers: { authorization: `Bearer ${operatorToken}` },
      body: { email, password: PASSWORDS[0], workspace_name: `Workspace of ${name}` },
    });
    if (created.status !== 201) throw new Error(`The user ${name} was not created: ${created.body}`);
    const [workspace] = created.json['workspaces'] as readonly { id: string }[];
    const user = new TestUser(baseUrl, String(created.json['id']), name, email, '', workspace?.id ?? '', receiverUrl);
    user.token = await user.newSession();
    return user;
  }

  /** Signs in an existing user, with their first workspace. */
  static async signIn(
    baseUrl: string,
    name: string,
    { email, password }: { readonly email: string; readonly password: string },
    receiverUrl: string,
  ): Promise<TestUser> {
    const user = new TestUser(baseUrl, '', name, email, '', '', receiverUrl, password);
    const token = await user.newSession();
    const { json } = await callApi(baseUrl, {
      method: 'GET',
      path: '/dashboard/api/me',
      headers: { authorization: `Bearer ${token}` },
    });
    const { id } = json['active_workspace'] as { readonly id: string };
    return new TestUser(baseUrl, String(json['id']), name, email, token, id, receiverUrl, password);
  }

  /** Creates another session, also after a password change. */
  async newSession(): Promise<string> {
    for (const password of [this.password, ...PASSWORDS]) {
      const body = { email: this.email, password };
      const { json } = await callApi(this.baseUrl, { method: 'POST', path: '/dashboard/api/session', body });
      this.password = password;
      if (json['token']) return String(json['token']);
    }
    throw new Error(`${this.name} cannot sign in`);
  }

  /** Retries after a 503, which a loaded machine can cause: these calls only prepare the test. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const authorization = `Bearer ${this.token}`;
    const send = () => callApi(this.baseUrl, { method, path, headers: { authorization, ...headers }, body });
    let answer = await send();
    for (let again = 0; answer.status === 503 && again < 5; again++) {
      await new Promise(resolve => setTimeout(resolve, 1_000));
      answer = await send();
    }
    return answer;
  }

  /** Values for fields that are specific to this user. */
  known(): Readonly<Record<string, unknown>> {
    return {
      url: this.receiverUrl,
      email: this.email,
      address: `customer-of-${this.name}@customers.test`,
      password: this.password,
      current_password: this.password,
      send_at: new Date(Date.now() + 86_400_000).toISOString(),
      new_password: PASSWORDS.find(password => password !== this.password),
    };
  }
}
