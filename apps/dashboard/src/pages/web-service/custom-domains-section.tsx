import type { CustomDomain } from '@postern/contracts';
import { api } from '../../api-client.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { Badge, Tag } from '../../components/badge.js';
import { CopyButton } from '../../components/copy-button.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { asSentence } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { useWebService } from './web-service-layout.js';

/** The domains of a web service, with the records that prove them. */
export const CustomDomainsSection = () => {
  const path = `${useWebService().path}/domains`;
  const domains = useLoading<CustomDomain[]>(signal => api.get(path, {}, signal), [path]);
  const add = useAction(async ({ domain = '' }: Values) => {
    await api.post(path, { domain });
    domains.reload();
  });
  return (
    <Section
      title="Domains"
      about="Create the CNAME record at your DNS provider, or the TXT record if the domain can’t have a CNAME record. Then verify."
    >
      <Form action={add} submit="Add domain" class="line">
        <Field
          label="Domain"
          name="domain"
          required
          maxLength={255}
          placeholder="shop.example.com"
          autocomplete="off"
        />
      </Form>
      <Loaded of={domains}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No domains yet. Add one above to serve the web service from it.</EmptyState>
          ) : (
            <DomainTable list={list} path={path} reload={domains.reload} />
          )
        }
      </Loaded>
    </Section>
  );
};

interface DomainTableProps {
  readonly list: readonly CustomDomain[];
  readonly path: string;
  readonly reload: () => void;
}

const DomainTable = ({ list, path, reload }: DomainTableProps) => {
  const change = async (work: Promise<unknown>) => {
    await work;
    reload();
  };
  return (
    <DataTable
      caption="Domains of this web service"
      rows={list}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Domain',
          cell: ({ domain, status, message, certificate }) => (
            <>
              {domain} <Badge status={status} />
              {message && <p class="hint long">{asSentence(message)}</p>}
              {certificate && <Certificate of={certificate} />}
            </>
          ),
        },
        { title: 'CNAME record', cell: ({ target }) => <Record text={target} what="the target" /> },
        {
          title: 'TXT record',
          cell: ({ txt }) => (
            <>
              <Record text={txt.name} what="the name of the TXT record" />
              <Record text={txt.value} what="the value of the TXT record" />
            </>
          ),
        },
        {
          title: 'Actions',
          buttons: true,
          cell: ({ id, domain, status }) => (
            <>
              {status === 'pending' && (
                <ActionButton label={`Verify ${domain}`} work={() => change(api.post(`${path}/${id}/verify`))}>
                  Verify
                </ActionButton>
              )}{' '}
              <ConfirmButton
                label={`Delete ${domain}`}
                question={`Delete ${domain}?`}
                consequence="Requests for it will fail."
                confirm="Delete domain"
                work={() => change(api.delete(`${path}/${id}`))}
              >
                Delete
              </ConfirmButton>
            </>
          ),
        },
      ]}
    />
  );
};

const Certificate = ({ of: { valid_until, error } }: { readonly of: NonNullable<CustomDomain['certificate']> }) =>
  error === null ? (
    <p class="hint">
      Certificate valid until <Time at={valid_until} exact />
    </p>
  ) : (
    <p class="long">
      <Tag tone="bad">No valid certificate</Tag> {asSentence(error)}
    </p>
  );

const Record = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <p class="copy-line">
    <code>{text}</code> <CopyButton text={text} what={what} />
  </p>
);
