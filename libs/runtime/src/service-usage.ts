/** What the instances of a web service use. */
export interface ServiceUsage {
  readonly webServiceId: string;
  readonly cpuMillicores: number;
  /** Percent of the total limit of all running instances. */
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly memoryPercent: number;
  readonly instances: number;
  /** Since the last measurement; undefined if the runtime does not count requests. */
  readonly answers?: AnswerRates | undefined;
}

/** Answers of a web service to requests, per second. */
export interface AnswerRates {
  readonly perSecond: number;
  /** Those with a status of 500 or above. */
  readonly serverErrors: number;
  /** Milliseconds until the answers began, summed. */
  readonly responseMs: number;
}
