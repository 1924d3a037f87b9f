/** A client of the cluster: its API as JSON, and kubectl where a stream is needed. */
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { callApi, until } from '../control-plane.mjs';

const run = promisify(execFile);

export class Kubernetes {
  constructor({ server, token, caFile, kubectl, file }) {
    this.server = server;
    this.token = token;
    this.caFile = caFile;
    this.program = kubectl;
    this.kubeconfig = file('admin.kubeconfig');
  }

  /** @throws with the status and the response body if the API server returns an error. */
  api(method, path, body) {
    return callApi(this, method, path, body);
  }

  /** Whether a GET of a path succeeds. */
  answers(path) {
    return this.api('GET', path).then(
      () => true,
      () => false,
    );
  }

  /** @returns {Promise<string>} the output of kubectl. */
  async kubectl(...args) {
    const options = { maxBuffer: 64 * 2 ** 20 };
    const { stdout } = await run(this.program, ['--kubeconfig', this.kubeconfig, ...args], options);
    return stdout;
  }

  /** Creates or changes objects. */
  apply(...objects) {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    execFileSync(this.program, ['--kubeconfig', this.kubeconfig, 'apply', '--server-side', '-f', '-'], {
      input: list,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
  }

  async pods(namespace, selector = '') {
    const query = selector ? `?labelSelector=${encodeURIComponent(selector)}` : '';
    return (await this.api('GET', `/api/v1/namespaces/${namespace}/pods${query}`)).items;
  }

  /** A pod of a service of Postern. Excludes pods that are being deleted, for example by an upgrade. */
  async podOf(service) {
    const selector = `app.kubernetes.io/name=${service},app.kubernetes.io/component=service`;
    return (await this.pods('postern', selector)).find(({ metadata }) => !metadata.deletionTimestamp);
  }

  /** @returns {Promise<string>} the image that a service of Postern has to run */
  async imageOf(service) {
    const { spec } = await this.api('GET', `/apis/apps/v1/namespaces/postern/deployments/${service}`);
    return spec.template.spec.containers[0].image;
  }

  /** Runs a program in a pod. @returns {Promise<string>} its output. */
  exec(namespace, pod, ...command) {
    return this.kubectl('exec', '--namespace', namespace, pod, '--', ...command);
  }

  /** Runs a program in the named container of a pod. */
  execIn(namespace, pod, container, ...command) {
    return this.kubectl('exec', '--namespace', namespace, pod, '--container', container, '--', ...command);
  }

  /** Waits until every pod that matches is ready, and there is at least one. */
  async untilReady(namespace, selector, limitMs = 120_000) {
    await until(
      `the pods ${selector} in ${namespace}`,
      async () => {
        const pods = (await this.pods(namespace, selector)).filter(({ metadata }) => !metadata.deletionTimestamp);
        return pods.length > 0 && pods.every(isReady);
      },
      limitMs,
    );
  }
}

export const isReady = ({ status }) =>
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
