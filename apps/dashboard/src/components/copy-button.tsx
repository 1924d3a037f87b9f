import { useEffect, useState } from 'preact/hooks';

interface CopyButtonProps {
  /** The text, or what makes it when it is needed. */
  readonly text: string | (() => string);
  /** The name of the copied text, for the accessible name. */
  readonly what: string;
}

export const CopyButton = ({ text, what }: CopyButtonProps) => {
  const [status, setStatus] = useState('');
  useEffect(() => {
    if (!status) return undefined;
    const timer = setTimeout(() => setStatus(''), 2_000);
    return () => clearTimeout(timer);
  }, [status]);
  const copy = async () =>
    setStatus(
      (await copyToClipboard(typeof text === 'string' ? text : text()))
        ? 'Copied'
        : 'Copy failed. Select the text instead.',
    );
  return (
    <button type="button" class="copy" aria-label={status ? undefined : `Copy ${what}`} onClick={copy}>
      <span aria-live="polite">{status || 'Copy'}</span>
    </button>
  );
};

/** Falls back to execCommand: the Clipboard API is only available to secure origins. */
const copyToClipboard = async (text: string): Promise<boolean> => {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const area = document.createElement('textarea');
  area.value = text;
  // Inside an open modal dialog only its own elements can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
};
