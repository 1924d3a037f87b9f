import type { OutcomeKind } from '@postern/contracts';
import { useId } from 'preact/hooks';
import { formatLabel } from '../../formatting.js';

export const KINDS: readonly OutcomeKind[] = ['delivered', 'bounced', 'complained', 'opened', 'clicked'];

interface EventKindsProps {
  readonly chosen: readonly OutcomeKind[];
  readonly onChange: (kinds: OutcomeKind[]) => void;
}

/** Checkboxes for the events that an endpoint receives. */
export const EventKinds = ({ chosen, onChange }: EventKindsProps) => {
  const id = useId();
  const toggle = (kind: OutcomeKind) =>
    onChange(KINDS.filter(other => (other === kind ? !chosen.includes(kind) : chosen.includes(other))));
  return (
    <fieldset class="kinds">
      <legend>Events</legend>
      {KINDS.map(kind => (
        <span key={kind} class="check">
          <input type="checkbox" id={`${id}-${kind}`} checked={chosen.includes(kind)} onChange={() => toggle(kind)} />
          <label for={`${id}-${kind}`}>{formatLabel(kind)}</label>
        </span>
      ))}
    </fieldset>
  );
};
