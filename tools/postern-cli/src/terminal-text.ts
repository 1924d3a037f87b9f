/** Removes control characters of external text, which could change the display of the operator's terminal. */
export const terminalText = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/g, '');
