import { useEffect, useState } from 'preact/hooks';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for who cannot see what stands beside the button. */
  readonly what: string;
}

export const CopyButton = ({ text, what }: CopyButtonProps) => {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(''), 2_000);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => setSaid((await copied(text)) ? 'Copied' : 'Select and copy it by hand');
  return (
    <button type="button" class="copy" aria-label={said ? undefined : `Copy ${what}`} onClick={copy}>
      <span aria-live="polite">{said || 'Copy'}</span>
    </button>
  );
};

/** Browsers offer the clipboard to secure pages only; a dashboard on plain http inside a network gets the older way. */
const copied = async (text: string): Promise<boolean> => {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const area = document.createElement('textarea');
  area.value = text;
  // Inside an open dialog only what belongs to it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
};
