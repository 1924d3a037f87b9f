import type { Page } from '@postern/contracts';
import { formatCount } from '../formatting.js';
import { PAGE_SIZES } from '../list-query.js';
import { Choice } from './form.js';

interface PagingProps {
  readonly page: Page<unknown>;
  readonly onOffset: (offset: number) => void;
  /** Lets the user choose the size of a page. */
  readonly onLimit?: (limit: number) => void;
}

/** Position in a long list, with links to the next pages; hidden if everything fits on the smallest page. */
export const Paging = ({ page, onOffset, onLimit }: PagingProps) => {
  if (page.total <= Math.min(page.limit, PAGE_SIZES[0]) && page.offset === 0) return null;
  const last = Math.min(page.offset + page.items.length, page.total);
  const first = Math.min(page.offset + 1, page.total);
  return (
    <nav class="paging" aria-label="Pages">
      <button
        type="button"
        disabled={page.offset === 0}
        onClick={() => onOffset(Math.max(0, page.offset - page.limit))}
      >
        Previous
      </button>
      <span>
        {formatCount(first)}–{formatCount(last)} of {formatCount(page.total)}
      </span>
      <button type="button" disabled={last >= page.total} onClick={() => onOffset(page.offset + page.limit)}>
        Next
      </button>
      {onLimit && (
        <Choice
          label="Rows per page"
          hideLabel
          value={String(page.limit)}
          options={PAGE_SIZES.map(size => [String(size), `${size} per page`] as const)}
          onChoice={size => onLimit(Number(size))}
        />
      )}
    </nav>
  );
};
