import type { Run, RunWithOutput } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ConfirmButton } from '../../components/action-button.js';
import { Badge } from '../../components/badge.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { EmptyState, Page } from '../../components/page.js';
import { asSentence } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { LogLines } from './log-lines.js';
import { useWebService } from './web-service-layout.js';

const isRunning = ({ finished_at }: Pick<Run, 'finished_at'>): boolean => finished_at === null;

const OUTPUT_MS = 1_500;

/** A one-off command with its output. */
export const RunPage = ({ runId }: { readonly runId: string }) => {
  const { path: service } = useWebService();
  const path = `${service}/runs/${runId}`;
  const run = useLoading<RunWithOutput>(signal => api.get(path, {}, signal), [path]);
  const isActive = run.value !== undefined && isRunning(run.value);
  // The output grows without a notice.
  useLive(run, service.slice(1), isActive ? OUTPUT_MS : undefined);
  const cancel = async () => {
    await api.delete(path);
    run.reload();
  };
  return (
    <Page title="Run">
      <Loaded of={run}>
        {({ status, command, exit_code, reason, lines }) => (
          <>
            <p>
              <Badge status={status} /> <code>{command}</code>
              {exit_code !== null && ` Exit code ${exit_code}`}
            </p>
            {reason && <Notice kind="bad">{asSentence(reason)}</Notice>}
            {isActive && (
              <ConfirmButton
                question="Cancel this run?"
                consequence="The command stops."
                confirm="Cancel run"
                dismiss="Keep running"
                work={cancel}
              >
                Cancel
              </ConfirmButton>
            )}
            {lines.length === 0 ? (
              <EmptyState>{isActive ? 'No output so far.' : 'No output.'}</EmptyState>
            ) : (
              <LogLines lines={lines} following={isActive} file={`run-${runId}.txt`} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
};
