import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BalancerProcess, request } from '@postern/load-balancer-client/testing';
import { connectNats, type NatsLink, RequestClient } from '@postern/messaging';
import type { Runtime } from '@postern/runtime';
import { AgentProcess, GitRepository, type RuntimeHarness } from '@postern/runtime/testing';
import { startNats, type TestNats } from '@postern/testing';
import { RemoteRuntime } from '../remote-runtime.js';
import { RUNTIME_AGENT_TIMES, RuntimeAgent } from '../runtime-agent.js';

/** A client of the control plane and the runtime agent as a process, with a real NATS server and load balancer. */
export class RemoteHarness implements RuntimeHarness {
  readonly countsTraffic = true;
  readonly #repositories: GitRepository[] = [];

  private constructor(
    private readonly balancer: BalancerProcess,
    readonly nats: TestNats,
    readonly agent: AgentProcess,
    private client: Client,
  ) {}

  static async start(): Promise<RemoteHarness> {
    const [balancer, nats] = await Promise.all([BalancerProcess.start(), startNats()]);
    const agent = await AgentProcess.start(balancer.home, { POSTERN_NATS_SERVERS: nats.url });
    return new RemoteHarness(balancer, nats, agent, await Client.connect(nats.url));
  }

  get home(): string {
    return this.balancer.home;
  }

  get runtime(): Runtime {
    return this.client.runtime;
  }

  async makeRepository(files: Readonly<Record<string, string>>): Promise<string> {
    const repository = await GitRepository.make(files);
    this.#repositories.push(repository);
    return repository.url;
  }

  async request(url: string): Promise<{ status: number; body: string }> {
    const { status, body } = await request(url);
    return { status, body };
  }

  /** Kills the agent and replaces the client, which acts as a new process of the control plane. */
  async restart(): Promise<void> {
    await this.agent.kill();
    await this.restartClient();
    await this.agent.start();
  }

  async restartClient(): Promise<void> {
    await this.client.close();
    this.client = await Client.connect(this.nats.url);
  }

  /** Connects a second client; the caller closes it before the harness stops. */
  connectAnother(): Promise<Client> {
    return Client.connect(this.nats.url);
  }

  async killInstances(webServiceId: string): Promise<void> {
    for (const id of await readdir(join(this.home, 'instances'))) {
      const text = await readFile(join(this.home, 'instances', id, 'record.json'), 'utf8').catch(() => 'null');
      const record = JSON.parse(text) as { webServiceId: string; process?: { pid: number } } | null;
      if (record?.webServiceId === webServiceId && record.process) process.kill(-record.process.pid, 'SIGKILL');
    }
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.agent.stopEverything();
    await this.balancer.stop();
    await this.nats.stop();
    await Promise.all(this.#repositories.map(repository => repository.remove()));
  }
}

/** The runtime client of one process of the control plane. */
class Client {
  readonly runtime: Runtime;

  private constructor(
    private readonly link: NatsLink,
    private readonly requests: RequestClient,
    private readonly agent: RuntimeAgent,
  ) {
    this.runtime = new RemoteRuntime(agent);
  }

  static async connect(url: string): Promise<Client> {
    const link = await connectNats({ servers: url, name: 'platform-management' });
    const requests = new RequestClient(link);
    const times = { ...RUNTIME_AGENT_TIMES, preemptedRetryMs: 3_000 };
    return new Client(link, requests, new RuntimeAgent(requests, undefined, times));
  }

  async close(): Promise<void> {
    this.agent.close();
    this.requests.close();
    await this.link.close();
  }
}
