const forms = new Set<symbol>();

/** The browser asks with its own words before it closes or reloads the page. */
const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Registers a form with unsaved changes until the returned function is called. */
export const holdChanges = (): (() => void) => {
  const form = Symbol('form');
  forms.add(form);
  window.addEventListener('beforeunload', warn);
  return () => {
    forms.delete(form);
    if (forms.size === 0) window.removeEventListener('beforeunload', warn);
  };
};

/** Whether the page can be left: nothing is unsaved, or the user discards it. */
export const mayLeave = (): boolean =>
  forms.size === 0 || window.confirm('Leave this page without saving your changes?');
