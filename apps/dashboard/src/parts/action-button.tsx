import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { useAction } from '../loading.js';
import { ErrorNotice } from './notice.js';

interface ActionButtonProps {
  readonly work: () => Promise<unknown>;
  /** Tells equal buttons of a list apart for who cannot see their row. */
  readonly label?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A button that does something at once, and says beside it when that failed. */
export const ActionButton = ({ work, label, class: look, children }: ActionButtonProps) => {
  const action = useAction(work);
  return (
    <span class="action">
      <button type="button" class={look} aria-label={label} disabled={action.busy} onClick={() => action.run()}>
        {action.busy ? 'One moment…' : children}
      </button>
      <ErrorNotice error={action.error} />
    </span>
  );
};

interface ConfirmButtonProps extends ActionButtonProps {
  readonly question: string;
  /** What will be lost. */
  readonly consequence: string;
  readonly confirm: string;
}

/** Asks first. The browser's own dialog keeps the focus inside and closes with Escape. */
export const ConfirmButton = ({
  question,
  consequence,
  confirm,
  work,
  label,
  children,
  ...look
}: ConfirmButtonProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const action = useAction(work);
  const title = useId();
  const close = () => dialog.current?.close();
  const goOn = async () => {
    if (await action.run()) close();
  };
  return (
    <>
      <button
        type="button"
        class={look.class ?? 'quiet danger'}
        aria-label={label}
        onClick={() => {
          action.forget();
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
            Cancel
          </button>
          <button type="button" class="primary danger" disabled={action.busy} onClick={goOn}>
            {action.busy ? 'One moment…' : confirm}
          </button>
        </div>
      </dialog>
    </>
  );
};
