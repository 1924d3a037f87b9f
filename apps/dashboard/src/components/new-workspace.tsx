import type { Workspace } from '@postern/contracts';
import { useEffect, useId, useRef } from 'preact/hooks';
import { api } from '../api-client.js';
import { useAction } from '../loading.js';
import { Field, Form, type Values } from './form.js';

interface NewWorkspaceProps {
  readonly onCreated: (workspace: Workspace) => void;
  readonly onCancelled: () => void;
}

/** A dialog that opens when it is mounted. */
export const NewWorkspace = ({ onCreated, onCancelled }: NewWorkspaceProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const create = useAction(async ({ name }: Values) => onCreated(await api.post<Workspace>('/workspaces', { name })));
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={title} onClose={onCancelled}>
      <h2 id={title}>New workspace</h2>
      <Form action={create} submit="Create workspace">
        <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
      </Form>
      <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
        Cancel
      </button>
    </dialog>
  );
};
