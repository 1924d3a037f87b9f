import type { AddedSuppressions } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Form, type Values } from '../../components/form.js';
import { TextArea } from '../../components/form-controls.js';
import { Notice } from '../../components/notice.js';
import { CollapsibleSection } from '../../components/page.js';
import { asSentence, formatCount } from '../../formatting.js';
import { useAction } from '../../loading.js';
import { linesOf, portionsOf } from './address-lines.js';

interface AddSuppressionsProps {
  /** Path of the suppression list in the API. */
  readonly path: string;
  readonly onAdded: () => void;
}

const NOTHING: AddedSuppressions = { added: [], already_listed: [], refused: [] };
const SHOWN = 10;

/** Adds one address, or imports one address per line from a field or a file. */
export const AddSuppressions = ({ path, onAdded }: AddSuppressionsProps) => {
  const [result, setResult] = useState<AddedSuppressions>();
  const add = useAction(async ({ addresses = '' }: Values) => {
    setResult(undefined);
    let total = NOTHING;
    for (const portion of portionsOf(linesOf(addresses))) {
      total = sumOf(total, await api.post<AddedSuppressions>(path, { addresses: portion }));
      setResult(total);
    }
    onAdded();
  });
  return (
    <CollapsibleSection title="Add or import addresses">
      <Form action={add} submit="Add to list">
        <TextArea label="Addresses, one per line" name="addresses" rows={5} required placeholder="ada@example.com" />
      </Form>
      {result && <Result of={result} />}
    </CollapsibleSection>
  );
};

const sumOf = (one: AddedSuppressions, other: AddedSuppressions): AddedSuppressions => ({
  added: [...one.added, ...other.added],
  already_listed: [...one.already_listed, ...other.already_listed],
  refused: [...one.refused, ...other.refused],
});

const Result = ({ of: { added, already_listed, refused } }: { readonly of: AddedSuppressions }) => (
  <Notice kind={refused.length > 0 ? 'warning' : 'good'}>
    <p>
      {formatCount(added.length)} {added.length === 1 ? 'address' : 'addresses'} added
      {already_listed.length > 0 && `, ${formatCount(already_listed.length)} already on the list`}
      {refused.length > 0 && `, ${formatCount(refused.length)} not added`}.
    </p>
    {refused.length > 0 && (
      <ul>
        {refused.slice(0, SHOWN).map(({ address, reason }) => (
          <li key={address} class="long">
            <code>{address}</code> {asSentence(reason)}
          </li>
        ))}
        {refused.length > SHOWN && <li>and {formatCount(refused.length - SHOWN)} more</li>}
      </ul>
    )}
  </Notice>
);
