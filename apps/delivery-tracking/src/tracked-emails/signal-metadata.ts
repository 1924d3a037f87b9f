import type { EventMetadata } from '@postern/event-sourcing';
import { currentContext } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';

/** Metadata of events caused by the current request, or with a new correlation id outside of requests. */
export const signalMetadata = (actor?: string): EventMetadata => {
  const context = currentContext();
  if (!context) return { correlationId: uuidv7(), ...(actor === undefined ? {} : { actor }) };
  const { correlationId, causationId, traceparent } = context;
  return { correlationId, causationId, traceparent, actor: context.actor ?? actor };
};
