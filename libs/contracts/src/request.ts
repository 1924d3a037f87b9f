import type { z } from 'zod';
import type { ServiceName } from './service-name.js';

/** One request that a service answers over NATS: its subject, shapes, refusals and deadline. */
export interface RequestContract<
  Request extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
  Code extends string = string,
> {
  readonly service: ServiceName;
  readonly name: string;
  readonly subject: string;
  readonly request: Request;
  readonly reply: Reply;
  readonly refusals: readonly Code[];
  /** How long the asker waits before it answers "unavailable" itself. */
  readonly deadlineMs: number;
}

export type RequestOf<C extends RequestContract> = z.output<C['request']>;
export type RequestInput<C extends RequestContract> = z.input<C['request']>;
export type ReplyOf<C extends RequestContract> = z.output<C['reply']>;

/** Requests of one service; the subject of each is `postern.requests.<service>.<name>`. */
export const requestsOf =
  (service: ServiceName) =>
  <Request extends z.ZodType, Reply extends z.ZodType, const Code extends string = never>(
    name: string,
    shape: { request: Request; reply: Reply; refusals?: readonly Code[]; deadlineMs?: number },
  ): RequestContract<Request, Reply, Code> => ({
    service,
    name,
    subject: `postern.requests.${service}.${name}`,
    request: shape.request,
    reply: shape.reply,
    refusals: shape.refusals ?? [],
    deadlineMs: shape.deadlineMs ?? 5_000,
  });
