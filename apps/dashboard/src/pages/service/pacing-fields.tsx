import type { Webhook, WebhookChanges } from '@postern/contracts';
import { Field, type Values } from '../../components/form.js';
import { Checkbox } from '../../components/form-controls.js';

/** How the endpoint is called: its rate limit, and whether one event follows the other. */
export const PacingFields = ({ webhook }: { readonly webhook?: Webhook }) => (
  <>
    <Field
      label="Requests per second"
      name="rate_limit"
      type="number"
      min={1}
      max={1000}
      defaultValue={webhook?.rate_limit?.toString() ?? ''}
      hint="Optional. Events above the limit wait."
    />
    <Checkbox label="Send one event after the other" name="ordered" checked={webhook?.ordered ?? false} />
  </>
);

/** The changes that the values of `PacingFields` describe. */
export const pacingOf = ({ rate_limit = '', ordered }: Values): Pick<WebhookChanges, 'rate_limit' | 'ordered'> => ({
  rate_limit: rate_limit === '' ? null : Number(rate_limit),
  ordered: ordered !== undefined,
});
