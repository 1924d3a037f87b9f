/** The URL of the dashboard for links in mail and notifications, without a slash at its end. */
export const dashboardUrlOf = ({ publicUrl }: { readonly publicUrl: string }): string =>
  `${publicUrl.replace(/\/+$/, '')}/dashboard`;
