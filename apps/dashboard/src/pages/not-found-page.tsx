import { Page } from '../components/page.js';
import { Link } from '../router.js';

export const NotFoundPage = () => (
  <Page title="Page not found">
    <p>
      This page doesn’t exist. <Link to="/">Go to Home</Link>
    </p>
  </Page>
);
