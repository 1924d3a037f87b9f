import { ApiClient, type ApiClientOptions } from './api-client.js';

/** Client of the dashboard's API, signed in as the operator. */
export class DashboardClient extends ApiClient {
  constructor(baseUrl: string, options: ApiClientOptions = {}) {
    super(`${baseUrl}/dashboard/api`, '', options);
  }

  async login(email: string, password: string): Promise<void> {
    const { token } = await this.post<{ token: string }>('/session', { email, password });
    this.token = token;
  }
}
