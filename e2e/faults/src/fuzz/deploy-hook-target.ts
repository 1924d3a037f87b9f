import { createHmac } from 'node:crypto';
import type { SeededRandom } from '../run/random.js';
import type { Attacker } from './fuzz-world.js';
import { httpProblemOf, request, statusOf } from './http-messages.js';
import { mutate } from './mutate.js';
import { exchange } from './socket.js';
import { type FuzzTarget, shortened } from './target.js';

const SILENT_MS = 600;

const PUSH = JSON.stringify({
  ref: 'refs/heads/main',
  after: '0123456789012345678901234567890123456789',
  deleted: false,
  repository: { clone_url: 'https://git.example.com/shop/storefront.git' },
  head_commit: { id: '0123456789012345678901234567890123456789', message: 'Change' },
});

type Signed = (body: string, secret: string) => Readonly<Record<string, string>>;

const hmac = (body: string, secret: string): string =>
  createHmac('sha256', secret).update(Buffer.from(body, 'latin1')).digest('hex');

const HOSTS: readonly Signed[] = [
  (body, secret) => ({ 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': `sha256=${hmac(body, secret)}` }),
  (body, secret) => ({ 'X-Gitea-Event': 'push', 'X-Gitea-Signature': hmac(body, secret) }),
  (body, secret) => ({ 'X-Forgejo-Event': 'push', 'X-Forgejo-Signature': hmac(body, secret) }),
  (body, secret) => ({ 'X-Event-Key': 'repo:push', 'X-Hub-Signature': `sha256=${hmac(body, secret)}` }),
  (_body, secret) => ({ 'X-Gitlab-Event': 'Push Hook', 'X-Gitlab-Token': secret }),
];
const TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

const bodyOf = (type: string, random: SeededRandom): string => {
  const body = random.chance(0.8) ? mutate(PUSH, random) : PUSH;
  return type === TYPES[1] ? `payload=${encodeURIComponent(body)}` : body;
};

/** Mutated push events. With a valid signature the body is parsed; with an invalid one every request must be refused. */
export const deployHookTarget = (port: number, { deployHookPath, deployHookSecret }: Attacker): FuzzTarget => ({
  name: 'deploy hooks',
  attack: async random => {
    const type = random.pick(TYPES);
    const body = bodyOf(type, random);
    const isSigned = random.chance(0.7);
    const headers = random.pick(HOSTS)(body, isSigned ? deployHookSecret : `${deployHookSecret}x`);
    const sent = request('POST', deployHookPath, { ...headers, 'Content-Type': type }, body);
    const answer = await exchange(port, [sent], SILENT_MS);
    if (!isSigned && statusOf(answer) < 300 && statusOf(answer) > 0)
      return `a wrong signature was answered with ${statusOf(answer)}: ${shortened(sent)}`;
    return httpProblemOf(sent, answer);
  },
});
