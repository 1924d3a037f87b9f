/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** The id of this event, or of the last one before it that has one. */
  readonly id: string;
  /** `message` unless the server names it. */
  readonly type: string;
  readonly data: string;
}

/** Reads server-sent events from text that arrives in pieces (HTML Standard, section 9.2.6). */
export class EventStreamParser {
  #rest = '';
  #id = '';
  #type = '';
  #data: string[] = [];

  /** The events that `text` completes. */
  push(text: string): ServerSentEvent[] {
    const lines = `${this.#rest}${text}`.split(/\r\n|\n|\r(?=.|\n)/s);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap(line => this.#take(line) ?? []);
  }

  #take(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#end();
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'data') this.#data.push(value);
    if (field === 'event') this.#type = value;
    if (field === 'id' && !value.includes('\0')) this.#id = value;
    return undefined;
  }

  #end(): ServerSentEvent | undefined {
    const [type, data] = [this.#type, this.#data];
    this.#type = '';
    this.#data = [];
    return data.length > 0 ? { id: this.#id, type: type || 'message', data: data.join('\n') } : undefined;
  }
}
