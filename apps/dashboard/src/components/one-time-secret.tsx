import { CopyButton } from './copy-button.js';

interface OneTimeSecretProps {
  readonly title: string;
  readonly secret: string;
  readonly what: string;
  readonly onSaved: () => void;
}

/** Shows a key or secret that cannot be shown again, until the user confirms that it is saved. */
export const OneTimeSecret = ({ title, secret, what, onSaved }: OneTimeSecretProps) => (
  <div class="notice good secret" role="status">
    <strong>{title}</strong>
    <p>Copy it now and store it in a safe place. You won’t be able to see it again.</p>
    <div class="copy-line">
      <code>{secret}</code>
      <CopyButton text={secret} what={what} />
    </div>
    <button type="button" onClick={onSaved}>
      Done, I saved it
    </button>
  </div>
);
