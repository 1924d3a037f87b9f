import type { BounceRule, TrackedEmail } from '@postern/contracts';
import { HARD_BOUNCE_CAUSES, SOFT_BOUNCE_CAUSES } from '@postern/contracts/bounce-causes';
import { useId, useRef } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Checkbox, Select, TextArea } from '../../components/form-controls.js';
import { formatLabel } from '../../formatting.js';
import { useAction } from '../../loading.js';
import { suggestedPhrase } from './suggested-phrase.js';

const CAUSES = [
  ...SOFT_BOUNCE_CAUSES.map(cause => [cause, `${formatLabel(cause)} (soft)`] as const),
  ...HARD_BOUNCE_CAUSES.map(cause => [cause, `${formatLabel(cause)} (hard)`] as const),
];

interface WrongClassificationProps {
  readonly recipient: TrackedEmail['recipients'][number];
  readonly emailId: string;
  /** Path of the email service in the API. */
  readonly service: string;
  readonly onCorrected: () => void;
}

/** A button at a bounce, with a form that adds a rule for such replies and classifies the bounces of the message again. */
export const WrongClassification = ({ recipient, emailId, service, onCorrected }: WrongClassificationProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const { address, reason } = recipient;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const create = useAction(async ({ phrase = '', cause, status_code = '', only_domain, correct }: Values) => {
    await api.post<BounceRule>(`${service}/bounce-rules`, {
      phrase,
      cause,
      ...(status_code === '' ? {} : { status_code }),
      ...(only_domain === 'on' ? { domain } : {}),
      ...(correct === 'on' ? { email_id: emailId } : {}),
    });
    dialog.current?.close();
    onCorrected();
  });
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={`This was classified wrongly: ${address}`}
        onClick={() => {
          create.clearError();
          dialog.current?.showModal();
        }}
      >
        This was classified wrongly
      </button>
      <dialog ref={dialog} aria-labelledby={title}>
        <h2 id={title}>New bounce rule</h2>
        <p>Later bounces whose reply contains these words get the cause that you choose.</p>
        <Form action={create} submit="Create rule" keepValues>
          <TextArea
            label="Words of the reply"
            name="phrase"
            rows={3}
            required
            defaultValue={suggestedPhrase(reason ?? '')}
            hint="Shorten them to what other replies also contain. Leave out addresses, names and numbers."
          />
          <Select label="Cause" name="cause" options={CAUSES} defaultValue="policy" />
          <Field
            label="Status code"
            name="status_code"
            placeholder="5.7.1"
            pattern="[45](\d\d|\.\d{1,3}\.\d{1,3})"
            title="550 or 5.7.1"
            hint="Optional: only replies with this code"
            autocomplete="off"
          />
          <Checkbox label={`Only recipients at ${domain}`} name="only_domain" />
          <Checkbox
            label="Also classify this message again. After a soft bounce, the address is removed from the suppression list."
            name="correct"
            checked
          />
        </Form>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </dialog>
    </>
  );
};
