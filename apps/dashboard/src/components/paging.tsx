import type { Page } from '@postern/contracts';
import { formatCount } from '../formatting.js';

interface PagingProps {
  readonly page: Page<unknown>;
  readonly onOffset: (offset: number) => void;
}

/** Position in a long list, with links to the next pages; hidden if everything fits on one page. */
export const Paging = ({ page, onOffset }: PagingProps) => {
  if (page.total <= page.limit && page.offset === 0) return null;
  const last = Math.min(page.offset + page.items.length, page.total);
  return (
    <nav class="paging" aria-label="Pages">
      <button
        type="button"
        disabled={page.offset === 0}
        onClick={() => onOffset(Math.max(0, page.offset - page.limit))}
      >
        Newer
      </button>
      <span>
        {formatCount(page.offset + 1)}–{formatCount(last)} of {formatCount(page.total)}
      </span>
      <button type="button" disabled={last >= page.total} onClick={() => onOffset(page.offset + page.limit)}>
        Older
      </button>
    </nav>
  );
};
