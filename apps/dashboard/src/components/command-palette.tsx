import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { navigate } from '../router.js';
import { everything, type Found, matching } from './quick-search.js';

/** A dialog that finds pages and resources by name: Ctrl+K, or / outside of fields. ? lists the keys. */
export const CommandPalette = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [all, setAll] = useState<readonly Found[]>();
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const open = () => {
    setText('');
    setChosen(0);
    dialog.current?.showModal();
    void everything(new AbortController().signal).then(setAll);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isCombination = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
      const isSingle = (event.key === '/' || event.key === '?') && !isTyping(event.target);
      if ((!isCombination && !isSingle) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      open();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const shown = matching(all ?? [], text);
  const go = (found: Found | undefined) => {
    if (!found) return;
    dialog.current?.close();
    navigate(found.to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChosen(Math.min(shown.length - 1, Math.max(0, chosen + step)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      go(shown[chosen]);
    }
  };
  return (
    <>
      <button type="button" class="search-button" onClick={open}>
        Search <kbd>Ctrl K</kbd>
      </button>
      <dialog ref={dialog} class="palette" aria-label="Search">
        <div class="field">
          <label for={id}>Search pages and resources</label>
          <input
            id={id}
            type="text"
            role="combobox"
            aria-expanded={shown.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={shown.length > 0 ? `${id}-${chosen}` : undefined}
            value={text}
            autocomplete="off"
            spellcheck={false}
            onInput={event => {
              setText(event.currentTarget.value);
              setChosen(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        <div id={`${id}-list`} role="listbox" aria-label="Results" class="results">
          {shown.map((found, index) => (
            <div
              key={`${found.kind} ${found.to}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              tabIndex={-1}
              onClick={() => go(found)}
              onKeyDown={onKeyDown}
            >
              {found.name} <small class="hint">{found.kind}</small>
            </div>
          ))}
        </div>
        {all && shown.length === 0 && <p class="hint">Nothing has this name.</p>}
        <p class="hint">
          Arrow keys choose, Enter opens, Escape closes. <kbd>Ctrl K</kbd> or <kbd>/</kbd> opens this search.
        </p>
      </dialog>
    </>
  );
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
