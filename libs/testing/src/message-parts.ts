import PostalMime, { decodeWords } from 'postal-mime';

/** A leaf of a message as a mail program shows it. */
export interface MessagePart {
  /** The types of the multiparts around it, and its position in each: `multipart/mixed 0 multipart/alternative 1`. */
  readonly path: string;
  readonly type: string;
  readonly disposition: string;
  readonly name: string;
  readonly contentId: string;
  /** Of text, with line feeds and without those at the end; otherwise the bytes in base64. */
  readonly content: string;
}

interface Header {
  readonly value: string;
  readonly params: Readonly<Record<string, string>>;
}

/** A node of the tree of postal-mime, which its types do not show. */
interface Node {
  readonly childNodes: readonly Node[];
  readonly contentType: { readonly parsed: Header };
  readonly contentDisposition: { readonly parsed: Header };
  readonly contentId?: string;
  readonly content: ArrayBuffer | null;
}

/** How the content of a part is read; the default is `contentOf`. */
type ReadContent = (bytes: Buffer, type: string, charset: string | undefined) => string;

/** The leaves of a message, read by postal-mime, in their order. */
export async function messageParts(bytes: Uint8Array, read: ReadContent = contentOf): Promise<readonly MessagePart[]> {
  const parser = new PostalMime({ rfc822Attachments: true } as ConstructorParameters<typeof PostalMime>[0]);
  await parser.parse(bytes);
  return leavesOf((parser as unknown as { readonly root: Node }).root, '', read);
}

async function leavesOf(node: Node, path: string, read: ReadContent): Promise<MessagePart[]> {
  const type = node.contentType.parsed.value.toLowerCase();
  if (node.childNodes.length > 0) {
    const leaves = node.childNodes.map((child, index) => leavesOf(child, `${path}${type} ${index} `, read));
    return (await Promise.all(leaves)).flat();
  }
  const disposition = node.contentDisposition.parsed;
  const name = disposition.params['filename'] ?? node.contentType.parsed.params['name'] ?? '';
  const part = {
    path: path.trim(),
    type,
    disposition: disposition.value.toLowerCase(),
    name: decodeWords(name),
    contentId: node.contentId ?? '',
  };
  const content = Buffer.from(node.content ?? new ArrayBuffer());
  if (type !== 'message/rfc822') {
    return [{ ...part, content: read(content, type, node.contentType.parsed.params['charset']) }];
  }
  // The parts of an attached message may have another encoding, so its bytes may differ.
  const inner = await messageParts(content, read);
  return [{ ...part, content: '' }, ...inner.map(leaf => ({ ...leaf, path: `${path}${type} ${leaf.path}`.trim() }))];
}

const contentOf: ReadContent = (bytes, type, charset) =>
  type.startsWith('text/') ? decoded(bytes, charset).replaceAll('\r\n', '\n').trimEnd() : bytes.toString('base64');

/** Text whose charset is missing, wrong or unknown is compared byte by byte. */
function decoded(bytes: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
