/** The data of every event of a sending domain. */
export interface OfDomain {
  readonly service_id: string;
  readonly domain_id: string;
  readonly at: string;
}

/** An event of a sending domain. */
export interface Fact<Type extends string, Data> {
  readonly type: `email-send.${Type}.v1`;
  readonly data: OfDomain & Data;
}
