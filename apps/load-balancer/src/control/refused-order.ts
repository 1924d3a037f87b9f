/** An order that is refused, with the HTTP status of the response. The message tells the client what to do. */
export class RefusedOrder extends Error {
  override readonly name = 'RefusedOrder';
  constructor(
    readonly status: 400 | 404 | 409,
    message: string,
  ) {
    super(message);
  }
}
