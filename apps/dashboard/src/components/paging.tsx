import type { Page } from '@postern/contracts';
import { formatCount } from '../formatting.js';
import { PAGE_SIZES } from '../list-query.js';
import { Choice } from './form.js';

/** The largest offset of long lists. */
const MAX_OFFSET = 10_000;

interface PagingProps {
  readonly page: Page<unknown>;
  readonly onOffset: (offset: number) => void;
  /** Lets the user choose the size of a page. */
  readonly onLimit?: (limit: number) => void;
}

/** Position in a long list, with links to the next pages; hidden if everything fits on the smallest page. */
export const Paging = ({ page, onOffset, onLimit }: PagingProps) => {
  if (page.total <= Math.min(page.limit, PAGE_SIZES[0]) && page.offset === 0) return null;
  const last = page.offset + page.items.length;
  const first = Math.min(page.offset + 1, page.total);
  const atEnd = page.total_capped ? page.items.length < page.limit : last >= page.total;
  const beyond = page.offset + page.limit > MAX_OFFSET;
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
        {formatCount(first)}–{formatCount(last)} of {page.total_capped && 'more than '}
        {formatCount(page.total)}
      </span>
      <button
        type="button"
        disabled={atEnd || beyond}
        title={beyond ? 'Use a filter to see what is further back.' : undefined}
        onClick={() => onOffset(page.offset + page.limit)}
      >
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
