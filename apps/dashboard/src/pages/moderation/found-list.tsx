import type { Page as ListPage } from '@postern/contracts';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/page.js';
import { Paging } from '../../components/paging.js';
import type { ListState } from '../../list-state.js';
import { useLoading } from '../../loading.js';

interface Found {
  readonly id: string;
  readonly name: string;
}

interface FoundListProps<Row> {
  /** Below `/moderation` of the API. */
  readonly path: string;
  readonly caption: string;
  readonly list: ListState;
  readonly columns: readonly Column<Row>[];
  /** The button of each row. */
  readonly choose: string;
  /** Shown above the list, for the chosen row. */
  readonly form: (row: Row, onChanged: () => void) => ComponentChildren;
}

/** What a search in all workspaces finds, and a form for the chosen row. */
export const FoundList = <Row extends Found>({ path, caption, list, columns, choose, form }: FoundListProps<Row>) => {
  const { offset, limit, filter, setOffset, setLimit } = list;
  const { search = '' } = filter;
  const [chosen, setChosen] = useState<Row>();
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => shown.current?.focus(), [chosen?.id]);
  const found = useLoading<ListPage<Row>>(
    signal => api.get(`/moderation/${path}`, { search, limit, offset }, signal),
    [path, search, limit, offset],
  );
  return (
    <>
      {chosen && (
        <div key={chosen.id} ref={shown} tabIndex={-1}>
          {form(chosen, found.reload)}
        </div>
      )}
      <Loaded of={found}>
        {page => (
          <>
            {page.items.length === 0 ? (
              <EmptyState>{search === '' ? 'There are none yet.' : `Nothing matches “${search}”.`}</EmptyState>
            ) : (
              <DataTable
                caption={caption}
                rows={page.items}
                keyOf={({ id }) => id}
                columns={[
                  ...columns,
                  {
                    title: 'Actions',
                    buttons: true,
                    cell: row => (
                      <button
                        type="button"
                        class="quiet"
                        aria-label={`${choose}: ${row.name}`}
                        onClick={() => setChosen(row)}
                      >
                        {choose}
                      </button>
                    ),
                  },
                ]}
              />
            )}
            <Paging page={page} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
    </>
  );
};
