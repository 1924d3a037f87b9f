/** Keeps the iptables rules of the node in sync with the NetworkPolicies of the cluster. */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { CHAIN, rulesFor } from './policies.mjs';

const INTERVAL_MS = 1_000;

const iptables = (...args) => execFileSync('iptables', ['-w', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });

const stateOf = async cluster => {
  const [policies, pods, namespaces] = await Promise.all(
    ['/apis/networking.k8s.io/v1/networkpolicies', '/api/v1/pods', '/api/v1/namespaces'].map(
      async path => (await cluster.api('GET', path)).items,
    ),
  );
  return { policies, pods, namespaces };
};

/**
 * Enforces policies within a second or two of each change, until the run ends. Calls `failed` with errors.
 * @returns {{ settled(): Promise<void> }} `settled` resolves when the current policies are enforced for the current pods.
 */
export const enforcePolicies = (cluster, failed) => {
  iptables('-N', CHAIN);
  for (const hook of ['FORWARD', 'INPUT']) iptables('-I', hook, '1', '-j', CHAIN);
  let applied = '';
  let [begun, ended] = [0, 0];
  const follow = async () => {
    for (;;) {
      begun += 1;
      // While the API server is unavailable, the last rules stay in place.
      const state = await stateOf(cluster).catch(() => undefined);
      const rules = state ? rulesFor(state) : applied;
      if (rules !== applied)
        execFileSync('iptables-restore', ['-w', '--noflush'], { input: rules, stdio: ['pipe', 'ignore', 'pipe'] });
      applied = rules;
      if (state) ended = begun;
      await pause(INTERVAL_MS);
    }
  };
  follow().catch(failed);
  const settled = async () => {
    const next = begun + 1;
    while (ended < next) await pause(100);
  };
  return { settled };
};
