/** The platform API as the dashboard uses it, for one web service. */
import { setTimeout as pause } from 'node:timers/promises';

const OVER = ['live', 'failed', 'cancelled', 'superseded', 'rolled_back'];
const INTERVAL_MS = 300;

/** Polls until there is a result. @returns {Promise<any>} the first result that is not undefined. */
export const eventually = async (what, poll, limitMs = 120_000) => {
  const end = Date.now() + limitMs;
  let last;
  for (;;) {
    const found = await poll().catch(error => {
      last = error;
    });
    if (found !== undefined) return found;
    if (Date.now() > end)
      throw new Error(`${what} did not come about in ${limitMs} ms${last ? `: ${last.message}` : ''}`);
    await pause(INTERVAL_MS);
  }
};

export class WebService {
  constructor(operator, cluster, id) {
    this.operator = operator;
    this.cluster = cluster;
    this.id = id;
    this.path = `/web-services/${id}`;
  }

  /** Makes one in a project of its own. */
  static async create({ cluster, state }, settings) {
    const { operator } = state;
    const project = await operator.request('POST', '/projects', { name: `Check ${Date.now()}` });
    const { id } = await operator.request('POST', '/web-services', { project_id: project.id, port: 3000, ...settings });
    return new WebService(operator, cluster, id);
  }

  /** @param {unknown} [body] */
  request(method, path = '', body = undefined) {
    return this.operator.request(method, `${this.path}${path}`, body);
  }

  read() {
    return this.request('GET');
  }

  requestDeployment() {
    return this.request('POST', '/deployments', {});
  }

  deployment({ id }) {
    return this.request('GET', `/deployments/${id}`);
  }

  /** Waits until the deployment has one of these states or has ended. */
  deploymentIn(deployment, states, limitMs = 300_000) {
    return eventually(
      `the deployment as ${states.join(' or ')}`,
      async () => {
        const found = await this.deployment(deployment);
        return states.includes(found.status) || OVER.includes(found.status) ? found : undefined;
      },
      limitMs,
    );
  }

  outcomeOf(deployment) {
    return this.deploymentIn(deployment, OVER);
  }

  /** @throws with the reason unless it becomes live. */
  async deploy() {
    const outcome = await this.outcomeOf(await this.requestDeployment());
    if (outcome.status !== 'live') {
      const { lines } = await this.request('GET', `/deployments/${outcome.id}/logs`).catch(() => ({ lines: [] }));
      const log = lines.map(({ message }) => message).join('\n');
      throw new Error(`the deployment is ${outcome.status}: ${outcome.error}\n${log}`);
    }
    return outcome;
  }

  untilStatus(status, limitMs = 180_000) {
    return eventually(
      `the web service as ${status}`,
      async () => {
        const found = await this.read();
        return found.status === status ? found : undefined;
      },
      limitMs,
    );
  }

  /** The releases that its instances run. */
  async #rolls() {
    return new Set((await this.instances()).map(({ metadata }) => metadata.labels['postern.dev/roll']));
  }

  /**
   * Requests a restart. @returns a function that waits until the web service runs, with new instances or with a failure reason.
   */
  async requestRestart() {
    const before = await this.#rolls();
    await this.request('POST', '/restart', {});
    return () =>
      eventually('the restart', async () => {
        const [found, rolls] = [await this.read(), await this.#rolls()];
        const isNew = rolls.size > 0 && rolls.isDisjointFrom(before);
        return found.status === 'running' && (isNew || found.status_reason) ? found : undefined;
      });
  }

  /** Restarts, and waits until the web service runs and its instances are new ones. @throws if they do not come up. */
  async restart() {
    const isOver = await this.requestRestart();
    const { status_reason: reason } = await isOver();
    if (reason) throw new Error(`the restart failed: ${reason}`);
  }

  logLine(pattern) {
    return eventually(`a line like ${pattern}`, async () => {
      const { lines } = await this.request('GET', '/logs?tail=1000');
      const found = lines.find(({ message }) => pattern.test(message));
      if (found) return found;
      throw new Error(`the log ends with ${JSON.stringify(lines.slice(-5).map(({ message }) => message))}`);
    });
  }

  /** Address of the Kubernetes Service. */
  async address() {
    const path = `/api/v1/namespaces/postern-tenants/services/ws-${this.id}`;
    return `http://${(await this.cluster.api('GET', path)).spec.clusterIP}`;
  }

  /** The response of an instance. */
  async get(path = '/') {
    const response = await fetch(`${await this.address()}${path}`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(20_000),
    });
    return response.json();
  }

  /** The response of the only instance, once kube-proxy has its endpoint; until then the address refuses connections. */
  firstAnswer() {
    return eventually('an answer', () => this.get(), 30_000);
  }

  /** Pods that are not being deleted. */
  async instances() {
    const pods = await this.cluster.pods('postern-tenants', `postern.dev/web-service=${this.id}`);
    return pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  }
}
