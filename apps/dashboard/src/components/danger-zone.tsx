import { type TargetedEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useAction } from '../loading.js';
import { ErrorNotice } from './notice.js';
import { Section } from './page.js';

interface DangerZoneProps {
  /** The kind of the deleted resource, for example `web service`. */
  readonly what: string;
  /** The name that the user types to confirm. */
  readonly name: string;
  /** Resources that are deleted with it, one line each. */
  readonly goes: readonly string[];
  readonly work: () => Promise<unknown>;
}

/** Lists what a deletion removes, and deletes once the name is typed. */
export const DangerZone = ({ what, name, goes, work }: DangerZoneProps) => {
  const id = useId();
  const [typed, setTyped] = useState('');
  const action = useAction(work);
  const send = (event: TargetedEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (typed === name) void action.run();
  };
  return (
    <Section title={`Delete this ${what}`} about="This cannot be undone. These are deleted:">
      <ul>
        {goes.map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <form class="line" onSubmit={send}>
        <div class="field">
          <label for={id}>
            Type <strong>{name}</strong> to confirm
          </label>
          <input
            id={id}
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={event => setTyped(event.currentTarget.value)}
          />
        </div>
        <button type="submit" class="primary danger" disabled={action.busy || typed !== name}>
          {action.busy ? 'Working…' : `Delete ${what}`}
        </button>
        <ErrorNotice error={action.error} />
      </form>
    </Section>
  );
};
