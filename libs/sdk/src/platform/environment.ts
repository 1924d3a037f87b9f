import type {
  BulkResult,
  Deletion,
  ResolvedVariable,
  SecretFile,
  SetSecretFilesBody,
  SetVariableBody,
  SetVariablesBody,
  Variable,
} from '../api-types.js';
import type { CallOptions, CommandOptions } from '../http-client.js';
import { type PlatformCaller, pathOf } from './caller.js';

/** Environment variables of web services. Changes take effect at the next start, restart or deployment. */
export class Environment {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** The variables by key; secret values are masked. */
  list(webServiceId: string, options?: CallOptions): Promise<Variable[]> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/env`, options);
  }

  /** The variables that a start would use, with their origins. */
  resolved(webServiceId: string, options?: CallOptions): Promise<ResolvedVariable[]> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/env/resolved`, options);
  }

  /** Creates a variable, or updates its value. */
  set(webServiceId: string, variable: SetVariableBody, options?: CommandOptions): Promise<Variable> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/env`, { body: variable, ...options });
  }

  /** Creates or updates many variables, all or none; others are kept. */
  setAll(
    webServiceId: string,
    variables: SetVariablesBody['variables'],
    options?: CommandOptions,
  ): Promise<BulkResult> {
    return this.#api.put(pathOf`/web-services/${webServiceId}/env/bulk`, { variables }, options);
  }

  delete(webServiceId: string, variableId: string, options?: CommandOptions): Promise<Deletion> {
    return this.#api.delete(pathOf`/web-services/${webServiceId}/env/${variableId}`, options);
  }
}

/** Files that instances and commands find below `/etc/secrets`. Changes take effect at the next start, restart or deployment. */
export class SecretFiles {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** The files by path, without their contents. */
  list(webServiceId: string, options?: CallOptions): Promise<SecretFile[]> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/files`, options);
  }

  /** Creates or replaces files, all or none; others are kept. */
  setAll(webServiceId: string, files: SetSecretFilesBody['files'], options?: CommandOptions): Promise<BulkResult> {
    return this.#api.put(pathOf`/web-services/${webServiceId}/files`, { files }, options);
  }

  delete(webServiceId: string, fileId: string, options?: CommandOptions): Promise<Deletion> {
    return this.#api.delete(pathOf`/web-services/${webServiceId}/files/${fileId}`, options);
  }
}
