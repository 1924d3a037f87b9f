/** The part of the optional package that this library uses. */
declare module '@react-email/render' {
  export function render(element: unknown): Promise<string>;
}
