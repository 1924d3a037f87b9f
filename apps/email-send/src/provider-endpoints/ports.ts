/** Reads documents of Amazon SNS. */
export abstract class SnsDocuments {
  /** The body of a 200 response; follows no redirect. @throws for every other outcome. */
  abstract get(url: URL): Promise<string>;
}
