import type { ProcessList } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { DataTable } from '../../components/data-table.js';
import { Section } from '../../components/page.js';
import { asSentence, NO_VALUE } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { useWebService } from './web-service-layout.js';

/** How often the instances are measured, which changes no resource. */
const SAMPLE_MS = 15_000;

/** The processes besides the instances; hidden if there are none. */
export const ProcessesSection = () => {
  const { path: service } = useWebService();
  const path = `${service}/processes`;
  const processes = useLoading<ProcessList>(signal => api.get(path, {}, signal), [path]);
  useLive(processes, service.slice(1), SAMPLE_MS);
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
