import type { ProcessList } from '@postern/contracts';
import { api } from '../../api-client.js';
import { DataTable } from '../../components/data-table.js';
import { Section } from '../../components/page.js';
import { asSentence, NO_VALUE } from '../../formatting.js';
import { useLoading, usePolling } from '../../loading.js';
import { useWebService } from './web-service-layout.js';

const POLL_MS = 10_000;

/** The processes besides the instances; hidden if there are none. */
export const ProcessesSection = () => {
  const path = `${useWebService().path}/processes`;
  const processes = useLoading<ProcessList>(signal => api.get(path, {}, signal), [path]);
  usePolling(processes, POLL_MS);
  if (!processes.value || processes.value.length === 0) return null;
  return (
    <Section title="Processes">
      <DataTable
        caption="Processes by type"
        rows={processes.value}
        keyOf={({ type }) => type}
        columns={[
          { title: 'Type', cell: ({ type }) => type },
          { title: 'Running', numeric: true, cell: ({ running, configured }) => `${running} of ${configured}` },
          { title: 'Problem', cell: ({ failure }) => (failure ? asSentence(failure) : NO_VALUE) },
        ]}
      />
    </Section>
  );
};
