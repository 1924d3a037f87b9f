/** Text that others chose, without control characters, which could change what the terminal of the operator shows. */
export const terminalText = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/g, '');
