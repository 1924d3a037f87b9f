import type { SendingDomain } from '@postern/contracts';
import { api } from '../../api-client.js';
import { ConfirmButton } from '../../components/action-button.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import { useAction } from '../../loading.js';
import { RecordDetails } from './record-details.js';
import { stateOfRecord } from './state-of-record.js';

interface TrackingHostProps {
  readonly domain: SendingDomain;
  readonly path: string;
  readonly onChanged: (domain: SendingDomain) => void;
}

/** The host of links and pixels in messages from the domain, with its record, or the form to set one. */
export const TrackingHostSection = ({ domain: { domain, tracking, status }, path, onChanged }: TrackingHostProps) => {
  const set = useAction(async ({ host }: Values) => {
    onChanged(await api.put<SendingDomain>(`${path}/tracking-host`, { host }));
  });
  const remove = async () => onChanged(await api.delete<SendingDomain>(`${path}/tracking-host`));
  return (
    <details open={tracking?.status === 'record_lost'}>
      <summary>Tracking host</summary>
      <p class="about">
        Optional. Tracked links, pixels and the page to unsubscribe use a host below {domain} in place of the host of
        this installation. Links in messages that were sent before keep working.
      </p>
      {tracking ? (
        <>
          {tracking.status === 'record_lost' && (
            <Notice kind="warning">
              The record is missing or different. New messages use the host of this installation until it is found
              again.
            </Notice>
          )}
          {tracking.status === 'verified' && status === 'pending' && (
            <Notice kind="plain">The host is used once the domain itself is verified.</Notice>
          )}
          <RecordDetails
            record={tracking.record}
            state={stateOfRecord(tracking.record, tracking.status === 'pending' ? 'pending' : 'verified')}
          />
          <ConfirmButton
            label={`Delete the tracking host of ${domain}`}
            question={`Delete the tracking host ${tracking.host}?`}
            consequence="New messages use the host of this installation. Keep the DNS record as long as links in sent messages must work."
            confirm="Delete tracking host"
            class="quiet"
            work={remove}
          >
            Delete tracking host
          </ConfirmButton>
        </>
      ) : (
        <Form action={set} submit="Set tracking host" class="line">
          <Field
            label="Host"
            name="host"
            required
            maxLength={253}
            placeholder={`click.${domain}`}
            autocomplete="off"
            spellcheck={false}
          />
        </Form>
      )}
    </details>
  );
};
