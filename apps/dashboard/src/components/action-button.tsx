import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { useAction } from '../loading.js';
import { ErrorNotice } from './notice.js';

interface ActionButtonProps {
  readonly work: () => Promise<unknown>;
  /** Accessible name that distinguishes the buttons of a list; must start with the visible text (WCAG 2.5.3). */
  readonly label?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A button that runs `work` without a confirmation and shows its error. */
export const ActionButton = ({ work, label, class: className, children }: ActionButtonProps) => {
  const action = useAction(work);
  return (
    <span class="action">
      <button type="button" class={className} aria-label={label} disabled={action.busy} onClick={() => action.run()}>
        {action.busy ? 'Working…' : children}
      </button>
      <ErrorNotice error={action.error} />
    </span>
  );
};

interface ConfirmButtonProps extends ActionButtonProps {
  readonly question: string;
  /** The effect of the action. */
  readonly consequence: string;
  readonly confirm: string;
  readonly dismiss?: string;
}

/** Asks for confirmation in a native dialog, which traps the focus and closes with Escape. */
export const ConfirmButton = ({
  question,
  consequence,
  confirm,
  dismiss = 'Cancel',
  work,
  label,
  class: className = 'quiet danger',
  children,
}: ConfirmButtonProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const action = useAction(work);
  const title = useId();
  const close = () => dialog.current?.close();
  const confirmed = async () => {
    if (await action.run()) close();
  };
  return (
    <>
      <button
        type="button"
        class={className}
        aria-label={label}
        onClick={() => {
          action.clearError();
          dialog.current?.showModal();
        }}
      >
        {children}
      </button>
      <dialog ref={dialog} aria-labelledby={title}>
        <h2 id={title}>{question}</h2>
        <p>{consequence}</p>
        <ErrorNotice error={action.error} />
        <div class="actions">
          <button type="button" onClick={close}>
            {dismiss}
          </button>
          <button type="button" class="primary danger" disabled={action.busy} onClick={confirmed}>
            {action.busy ? 'Working…' : confirm}
          </button>
        </div>
      </dialog>
    </>
  );
};
