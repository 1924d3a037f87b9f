import { startHttpReceiver, type TestHttpReceiver } from '@postern/testing';

/** A span as received by a collector; ids are lower-case hex. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** A test collector: accepts OTLP over HTTP as protobuf, and keeps the received spans. */
export class OtlpReceiver {
  private constructor(private readonly receiver: TestHttpReceiver) {}

  static async start(): Promise<OtlpReceiver> {
    return new OtlpReceiver(await startHttpReceiver());
  }

  get url(): string {
    return this.receiver.url;
  }

  get spans(): readonly ReceivedSpan[] {
    return this.receiver.requests
      .filter(({ url }) => url === '/v1/traces')
      .flatMap(({ body }) => messageIn(body).all(1).flatMap(spansOfResource));
  }

  stop(): Promise<void> {
    return this.receiver.stop();
  }
}

// Field numbers of opentelemetry/proto: collector/trace/v1, trace/v1, resource/v1 and common/v1.

const spansOfResource = (bytes: Buffer): ReceivedSpan[] => {
  const resourceSpans = messageIn(bytes);
  const service = String(attributesIn(resourceSpans.one(1), 1)['service.name']);
  return resourceSpans.all(2).flatMap(scopeSpans =>
    messageIn(scopeSpans)
      .all(2)
      .map(span => spanOf(service, span)),
  );
};

const spanOf = (service: string, bytes: Buffer): ReceivedSpan => {
  const span = messageIn(bytes);
  return {
    service,
    traceId: span.one(1).toString('hex'),
    spanId: span.one(2).toString('hex'),
    parentId: span.one(4).toString('hex'),
    name: span.one(5).toString('utf8'),
    attributes: attributesIn(bytes, 9),
  };
};

const attributesIn = (bytes: Buffer, field: number): Record<string, string | number> =>
  Object.fromEntries(
    messageIn(bytes)
      .all(field)
      .map(pair => {
        const { one } = messageIn(pair);
        const value = messageIn(one(2));
        return [one(1).toString('utf8'), value.number(3) ?? value.one(1).toString('utf8')];
      }),
  );

/** The fields of one protobuf message: length-delimited fields as bytes, varints as numbers. */
const messageIn = (bytes: Buffer) => {
  const delimited = new Map<number, Buffer[]>();
  const numbers = new Map<number, number>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes.readUInt8(at++);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const [field, wireType] = [key >>> 3, key & 7];
    if (wireType === 0) numbers.set(field, varint());
    else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else {
      const length = varint();
      delimited.set(field, [...(delimited.get(field) ?? []), bytes.subarray(at, at + length)]);
      at += length;
    }
  }
  return {
    all: (field: number): readonly Buffer[] => delimited.get(field) ?? [],
    one: (field: number): Buffer => delimited.get(field)?.at(-1) ?? Buffer.alloc(0),
    number: (field: number): number | undefined => numbers.get(field),
  };
};
