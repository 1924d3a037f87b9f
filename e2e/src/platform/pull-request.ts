import { createHmac } from 'node:crypto';
import type { Repository } from './repository.js';

const REPOSITORY = 1_296_269;

interface PullRequestEvent {
  readonly action: string;
  /** The commit and the id of the repository that it comes from. */
  readonly commit: string;
  readonly head?: number;
  readonly updatedAt: Date;
}

/** Sends an event of pull request 7 from the branch `feature` into `main` to a deploy hook, as GitHub signs it. */
export const sendPullRequestEvent = async (
  hook: Readonly<Record<string, unknown>>,
  { action, commit, head = REPOSITORY, updatedAt }: PullRequestEvent,
): Promise<Record<string, unknown>> => {
  const payload = JSON.stringify({
    action,
    number: 7,
    pull_request: {
      number: 7,
      state: action === 'closed' ? 'closed' : 'open',
      title: 'Add a cart',
      html_url: 'https://git.example.com/shop/pull/7',
      updated_at: updatedAt.toISOString(),
      head: { ref: 'feature', sha: commit, repo: { id: head } },
      base: { ref: 'main', repo: { id: REPOSITORY } },
    },
    repository: { id: REPOSITORY, default_branch: 'main' },
  });
  const signature = createHmac('sha256', String(hook['secret'])).update(payload).digest('hex');
  const answer = await fetch(String(hook['url']), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'pull_request',
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body: payload,
  });
  return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
};

/** The newest commit of a repository. */
export const headOf = (repository: Repository): string => repository.git('rev-parse', 'HEAD').trim();
