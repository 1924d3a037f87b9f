import type { Deployment } from '@postern/contracts';
import { useEffect, useState } from 'preact/hooks';
import { formatDuration } from '../../formatting.js';
import { type ShownStage, shownStages } from './deployment-stages.js';

const SIGNS: Readonly<Record<ShownStage['state'], string>> = {
  done: '✓',
  active: '●',
  failed: '✗',
  cancelled: '–',
  pending: '○',
};
const WORDS: Readonly<Record<ShownStage['state'], string>> = {
  done: 'done',
  active: 'in progress',
  failed: 'failed',
  cancelled: 'cancelled',
  pending: 'to come',
};

/** The stages of a deployment, each with its duration, which counts while the stage is in progress. */
export const Stages = ({ of: deployment }: { readonly of: Deployment }) => {
  const stages = shownStages(deployment);
  const now = useSeconds(stages.some(({ state }) => state === 'active'));
  if (stages.length === 0) return null;
  return (
    <ol class="stages" aria-label="Stages of the deployment">
      {stages.map(({ title, state, started_at, finished_at }) => (
        <li key={title} class={state}>
          <span aria-hidden="true">{SIGNS[state]}</span> {title}
          <span class="visually-hidden"> {WORDS[state]}</span>
          {started_at !== null && <span class="hint"> {formatDuration(started_at, finished_at ?? now)}</span>}
        </li>
      ))}
    </ol>
  );
};

/** The commit of a deployment with its first line and its author, or the image. */
export const Commit = ({
  of: { commit, commit_message, commit_author, branch, image },
}: {
  readonly of: Deployment;
}) => (
  <>
    <code class="long">{image ?? commit?.slice(0, 10)}</code> {branch}
    {commit_message && <span class="commit-message"> {commit_message}</span>}
    {commit_author && <span class="hint"> by {commit_author}</span>}
  </>
);

/** The current time, every second while `counts`. */
const useSeconds = (counts: boolean): string => {
  const [now, setNow] = useState(() => new Date().toISOString());
  useEffect(() => {
    if (!counts) return undefined;
    const tick = () => setNow(new Date().toISOString());
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [counts]);
  return now;
};
