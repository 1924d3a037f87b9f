/** The row that sealed credentials are bound to. */
export const providerEndpointRow = (id: string): string => `provider_endpoints/${id}`;
