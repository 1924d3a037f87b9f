import { Page } from '../parts/page.js';
import { Link } from '../router.js';

export const NotFoundPage = () => (
  <Page title="Nothing here">
    <p>
      There is no page at this address. <Link to="/">To the email services</Link>
    </p>
  </Page>
);
