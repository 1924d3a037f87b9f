import type { Redactor } from '../line-splitter.js';

/** Reference implementation: holds back all text that could be the beginning of a secret. Slow, but simple. */
export const plainRedactor = (secrets: readonly string[]): Redactor => {
  let held = '';
  const masked = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '********'), text);
  return {
    push(chunk) {
      const text = masked(held + chunk);
      let keep = 0;
      for (const secret of secrets)
        for (let length = 1; length < secret.length; length += 1)
          if (text.endsWith(secret.slice(0, length))) keep = Math.max(keep, length);
      held = text.slice(text.length - keep);
      return text.slice(0, text.length - keep);
    },
    end() {
      const rest = held;
      held = '';
      return rest;
    },
  };
};
