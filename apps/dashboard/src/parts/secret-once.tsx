import { CopyButton } from './copy-button.js';

interface SecretOnceProps {
  readonly title: string;
  readonly secret: string;
  readonly what: string;
  readonly onStored: () => void;
}

/** A key or secret that the platform keeps no readable copy of for the reader: it stays until they say they have it. */
export const SecretOnce = ({ title, secret, what, onStored }: SecretOnceProps) => (
  <div class="notice good secret" role="status">
    <strong>{title}</strong>
    <p>This is the only time it is shown. Copy it now and keep it somewhere safe.</p>
    <div class="copy-line">
      <code>{secret}</code>
      <CopyButton text={secret} what={what} />
    </div>
    <button type="button" onClick={onStored}>
      I have stored it
    </button>
  </div>
);
